# SPDX-License-Identifier: Apache-2.0
"""What in a value cannot be sent, and where it stands, in the words of who made the call: ``argument x['lock']._handle``, ``the value[1]``."""

import dis
import functools
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType, GetSetDescriptorType, MemberDescriptorType, MethodType
from typing import Any, ClassVar, NoReturn

from octavo.errors import UsageError

deepest = 6
most_items = 1000  # of a container
CURE = "Send what it was made from, and make it there"
Place = tuple[str, object]  # where a value stands, and the value
Travels = Callable[[object], bool]  # whether a value can be sent


class Stays:
    """Of this process alone. ``cannot_travel`` says what it is, and what to send instead."""

    cannot_travel: ClassVar[str]

    def __reduce__(self) -> NoReturn:
        raise UsageError(self.cannot_travel)


def explain(value: object, problem: BaseException, travels: Travels, place: str = "") -> str:
    where, what = find(value, travels)
    named = what if isinstance(what, type | FunctionType) else type(what)
    said = f"{named.__module__}.{named.__qualname__} cannot be sent to another process: {problem}"
    if place:
        return f"{place}{where}: {said}. {CURE}"
    where = where.strip(". ")
    return f"{said}{f' (it is {where} of what was to be sent)' if where else ''}. {CURE}"


def places_in_request(name: str, arguments: tuple[Any, ...]) -> Iterator[Place]:
    if name == "call":
        yield from places_of_arguments(*arguments)
    elif name == "apply":
        yield from places_of_call(*arguments)
    elif name == "setattr":
        yield "the value", arguments[1]
    elif name == "operator" and arguments[0] in ("getitem", "setitem", "delitem"):
        yield from zip(("the index", "the value"), arguments[1:], strict=False)
    elif name == "operator" and arguments[0] == "contains":
        yield "the value", arguments[1]
    else:
        yield from (("the operand", operand) for operand in arguments)


def places_of_call(function: object, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Iterator[Place]:
    if hasattr(function, "__qualname__"):
        yield f"the {'class' if isinstance(function, type) else 'function'} {name_in_text(function)}", function
    else:
        yield f"the {type(function).__qualname__}", function
    yield from places_of_arguments(arguments, keywords)


def places_of_arguments(arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Iterator[Place]:
    yield from ((f"argument {number}", each) for number, each in enumerate(arguments, 1))
    yield from ((f"argument {name}", each) for name, each in keywords.items())


def find(value: object, travels: Travels) -> tuple[str, object]:
    """The innermost part of a value that cannot be pickled, with its place; the value itself where all its parts can be."""
    where, seen = "", set[int]()
    for _ in range(deepest):
        seen.add(id(value))
        inner = None if isinstance(value, Stays) else next((each for each in parts_of(value) if id(each[1]) not in seen and not travels(each[1])), None)
        if inner is None:
            break
        where, value = where + inner[0], inner[1]
    return where, value


def parts_of(value: object) -> Iterator[Place]:
    if isinstance(value, dict):
        items = list(value.items())[:most_items]
        yield from ((f"[{key!r}]", part) for key, part in items)
    elif isinstance(value, list | tuple | set | frozenset):
        yield from ((f"[{index}]", part) for index, part in enumerate(list(value)[:most_items]))
    elif isinstance(value, FunctionType):
        yield from captured_by(value)
    elif isinstance(value, functools.partial):
        yield from ((f".{name}", getattr(value, name)) for name in ("func", "args", "keywords"))
    elif isinstance(value, MethodType):
        yield ".__self__", value.__self__
    elif isinstance(value, type):
        yield from parts_of_class(value)
    elif hasattr(value, "__dict__"):
        yield from ((f".{name}", part) for name, part in vars(value).items())
        yield "", type(value)


def parts_of_class(kind: type) -> Iterator[Place]:
    """Of one that travels by value."""
    for name, part in vars(kind).items():
        function = getattr(part, "fget", getattr(part, "__func__", part))
        if isinstance(function, FunctionType):
            yield from captured_by(function)
        elif name != "_abc_impl" and not isinstance(part, GetSetDescriptorType | MemberDescriptorType):
            yield f".{name}", part
    yield from (("", base) for base in kind.__bases__)


def captured_by(function: FunctionType) -> Iterator[Place]:
    """What a function takes along where it travels by value."""
    name = name_in_text(function)
    for variable, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=False):
        try:
            yield f" (variable {variable} of {name})", cell.cell_contents
        except ValueError:  # it has no value yet
            continue
    yield from ((f" (default of {name})", each) for each in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()))
    known = function.__globals__
    yield from ((f" (global {each} of {name})", known[each]) for each in globals_of(function.__code__) if each in known)


def name_in_text(what: Any) -> str:
    """Of a class or function, without the functions in which it was made."""
    return str(what.__qualname__.rpartition("<locals>.")[2])


def globals_of(code: CodeType) -> Iterator[str]:
    yield from dict.fromkeys(each.argval for each in dis.get_instructions(code) if each.opname == "LOAD_GLOBAL")
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from globals_of(inner)
