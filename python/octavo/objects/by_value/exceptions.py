# SPDX-License-Identifier: Apache-2.0
"""Exceptions as what they are, and not as what made them: where one arrives its ``__init__`` is not called, which may take other arguments than ``args``, or
make another text of them. One whose class says ``__reduce__`` itself is left to that.
"""

from __future__ import annotations

import copyreg
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from octavo.objects.by_value.pickler import Pickler, Reduced

MOST_CAUSES = 50  # each of which is pickled within that which it caused
Attributes = dict[str, Any]


class Alone:
    """An exception without its cause; where this arrives it is one again. takes: which of its attributes go along; none: all do."""

    def __init__(self, error: BaseException, takes: Callable[[object], bool] | None = None) -> None:
        self._error, self._takes = error, takes

    def __reduce__(self) -> Reduced:
        if self._takes is None and says_itself(type(self._error)):
            return itself, (self._error,)
        return reduced(self._error, None, self._takes)


def reduce_exception(pickler: Pickler, error: BaseException) -> Reduced:
    return NotImplemented if says_itself(type(error)) else reduced(error, cause_of(pickler, error))


def says_itself(kind: type[BaseException]) -> bool:
    """How it is pickled."""
    own = [each for each in kind.__mro__ if each.__module__ != "builtins"]
    return kind in copyreg.dispatch_table or any(name in vars(each) for each in own for name in ("__reduce__", "__reduce_ex__"))


def reduced(error: BaseException, cause: BaseException | None, takes: Callable[[object], bool] | None = None) -> Reduced:
    kind, state = type(error), dict(vars(error))
    _, args, *more = built_in(kind).__reduce__(error)  # with what is none of `args`, such as the file's name of an OSError
    fields = {name: value for name, value in (more[0] if more else {}).items() if name not in state}
    fields |= {name: getattr(error, name) for name in slots_of(kind) if hasattr(error, name)}
    if takes is not None:
        state, fields = of_those(takes, state), of_those(takes, fields)
        if built_in(kind).__name__ in ("BaseExceptionGroup", "ExceptionGroup"):
            args = (args[0], [Alone(each, takes) for each in args[1]])
    return make_exception, (kind, args), (state, fields, cause), None, None, complete_exception


def of_those(takes: Callable[[object], bool], attributes: Attributes) -> Attributes:
    return {name: value for name, value in attributes.items() if takes(value)}


def built_in(kind: type[BaseException]) -> Any:
    return next(each for each in kind.__mro__ if each.__module__ == "builtins" and issubclass(each, BaseException))


def slots_of(kind: type) -> list[str]:
    names: list[str] = copyreg._slotnames(kind)  # type: ignore[attr-defined]
    return names


def cause_of(pickler: Pickler, error: BaseException) -> BaseException | None:
    """If it can be sent; its own cause may not."""
    cause, depth = error.__cause__, pickler.depths.get(id(error), 0) + 1
    if cause is None or depth > MOST_CAUSES or not pickler.can_send(Alone(cause)):
        return None
    pickler.depths[id(cause)] = depth
    return cause


def itself(error: BaseException) -> BaseException:
    return error


def make_exception(kind: Any, args: tuple[Any, ...]) -> BaseException:
    base = built_in(kind)
    try:
        error: BaseException = base.__new__(kind, *args)
    except TypeError:  # of one that is made in C
        error = kind.__new__(kind, *args)
    base.__init__(error, *args)
    return error


def complete_exception(error: Any, more: tuple[Attributes, Attributes, BaseException | None]) -> None:
    state, fields, cause = more
    if getattr(type(error).__setstate__, "__objclass__", None) is not BaseException and state:  # of its own
        error.__setstate__(state)
    else:
        vars(error).update(state)
    if cause is not None:
        fields = {**fields, "__cause__": cause}
    for name, value in fields.items():
        object.__setattr__(error, name, value)  # also of a frozen class
