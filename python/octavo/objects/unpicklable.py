# SPDX-License-Identifier: Apache-2.0
"""What in a value cannot be pickled, and where it stands: ``argument 1['lock']._handle``."""

from collections.abc import Iterator
from typing import NoReturn

import cloudpickle

from octavo.errors import UsageError

deepest = 6
most_items = 1000  # of a container


def explain(value: object, problem: Exception) -> str:
    where, what = find(value, "", deepest)
    place = f" (it is {where.lstrip('.')} of what was to be sent)" if where else ""
    kind = f"{type(what).__module__}.{type(what).__qualname__}"
    return f"{kind} cannot be sent to another process: {problem}{place}. Send what it was made from, and make it there"


def raise_with_place(problem: BaseException, place: str) -> NoReturn:
    """The same error, of an argument: ``argument 2``, ``argument 'start'``."""
    kind = UsageError if isinstance(problem, UsageError) else TypeError
    raise kind(f"{place}: {problem}") from problem


def find(value: object, where: str, depth: int) -> tuple[str, object]:
    """The innermost part of a value that cannot be pickled, with its place; the value itself where all its parts can be."""
    if depth > 0:
        for name, part in parts_of(value):
            if not travels(part):
                return find(part, where + name, depth - 1)
    return where, value


def parts_of(value: object) -> Iterator[tuple[str, object]]:
    if isinstance(value, dict):
        items = list(value.items())[:most_items]
        yield from ((f"[{key!r}]", part) for key, part in items)
    elif isinstance(value, list | tuple | set | frozenset):
        yield from ((f"[{index}]", part) for index, part in enumerate(list(value)[:most_items]))
    elif hasattr(value, "__dict__") and not isinstance(value, type):
        yield from ((f".{name}", part) for name, part in vars(value).items())
    closure = getattr(value, "__closure__", None)
    if closure and hasattr(value, "__code__"):
        for name, cell in zip(value.__code__.co_freevars, closure, strict=False):
            yield f".<variable {name}>", cell.cell_contents


def travels(value: object) -> bool:
    try:
        cloudpickle.dumps(value, protocol=5)
    except Exception:
        return False
    return True
