# SPDX-License-Identifier: Apache-2.0
"""Whether what one stage gives is what the next one takes, as far as their annotations say: found when the stream is built."""

from __future__ import annotations

import collections.abc as abc
import inspect
import types
from typing import TYPE_CHECKING, Any, Union, get_args, get_origin, get_type_hints

from octavo.errors import UsageError
from octavo.streams.items import Again, To

if TYPE_CHECKING:
    from octavo.streams.stages import Stage

SEVERAL = (abc.Iterator, abc.Generator, abc.Iterable, abc.AsyncIterator, abc.AsyncGenerator, abc.AsyncIterable)
NUMBERS = (int, float, complex)  # each may stand for the next


def check_fit(before: Stage[Any, Any], behind: Stage[Any, Any]) -> None:
    gives, takes = given_by(before), taken_by(behind)
    if not gives or not takes or any(_fits(each, wanted) for each in gives for wanted in takes):
        return
    raise UsageError(f"stage '{before.name}' gives {_text(gives)}, and stage '{behind.name}' takes {_text(takes)}. Join stages of one type")


def given_by(stage: Stage[Any, Any]) -> list[type[Any]]:
    """The classes of its results; none where that is not said."""
    call = _call(stage)
    said = _hints(call).get("return", Any)
    if (inspect.isgeneratorfunction(call) or inspect.isasyncgenfunction(call)) and get_origin(said) in SEVERAL:
        said = get_args(said)[0] if get_args(said) else Any
    results = [each for each in _choices(said) if get_origin(each) is not Again and each is not Again]
    classes = _classes(get_args(each)[0] if get_origin(each) is To else each for each in results)
    return [] if stage.dealing.gathers and classes else classes


def needs_item(function: Any) -> bool:
    """It cannot be called without one."""
    try:
        inspect.signature(function).bind()
    except TypeError:
        return True
    except ValueError:  # of C, without a signature
        return False
    return False


def feeds_back(stage: Stage[Any, Any]) -> bool:
    """As far as its annotations say."""
    said = _hints(_call(stage)).get("return", Any)
    if get_origin(said) in SEVERAL and get_args(said):
        said = get_args(said)[0]
    return any(each is Again or get_origin(each) is Again for each in _choices(said))


def taken_by(stage: Stage[Any, Any]) -> list[type[Any]]:
    call = _call(stage)
    if stage.dealing.kind == "parts":
        return []
    try:
        parameters = list(inspect.signature(call).parameters.values())
    except (TypeError, ValueError):
        return []
    parameters = parameters[1:] if _is_unbound(stage) else parameters
    said = _hints(call).get(parameters[0].name, Any) if parameters else Any
    return _classes(_choices(said)) if said is not Any and parameters[0].kind is not inspect.Parameter.VAR_POSITIONAL else []


def call_in(what: Any) -> Any:
    """What is called with an item, of a function, an object or a class; None: nothing is."""
    if hasattr(what, "svc"):
        return what.svc
    if not isinstance(what, type):
        return what
    return next((vars(each)["__call__"] for each in what.__mro__ if "__call__" in vars(each)), None)


def _call(stage: Stage[Any, Any]) -> Any:
    return call_in(stage.what)


def _is_unbound(stage: Stage[Any, Any]) -> bool:
    return isinstance(stage.what, type)


def _hints(call: Any) -> dict[str, Any]:
    try:
        return get_type_hints(call)
    except Exception:  # names that are not there, and what has no annotations
        return {}


def _choices(said: Any) -> tuple[Any, ...]:
    return get_args(said) if get_origin(said) in (Union, types.UnionType) else (said,)


def _classes(choices: abc.Iterable[Any]) -> list[type[Any]]:
    """None where one of them may be anything."""
    found: list[type[Any]] = []
    for each in choices:
        origin = get_origin(each) or each
        if each is None:
            origin = type(None)
        if not isinstance(origin, type) or origin in (Any, object) or getattr(origin, "_is_protocol", False):
            return []
        found.append(origin)
    return found


def _fits(given: type[Any], wanted: type[Any]) -> bool:
    """A subclass may be what comes, too."""
    try:
        related = issubclass(given, wanted) or issubclass(wanted, given)
    except TypeError:
        return True
    return related or (given in NUMBERS and wanted in NUMBERS and NUMBERS.index(given) < NUMBERS.index(wanted))


def _text(classes: list[type[Any]]) -> str:
    return " or ".join(each.__name__ for each in classes)
