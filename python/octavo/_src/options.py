# SPDX-License-Identifier: Apache-2.0
"""What a caller gave by name and a function does not have: said in the caller's words, with what was probably meant."""

from __future__ import annotations

import difflib
import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any, TypeVar, cast

from octavo.errors import UsageError

F = TypeVar("F", bound=Callable[..., Any])
NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def names_of(function: Callable[..., Any]) -> list[str]:
    """What can be given by name."""
    return [each.name for each in inspect.signature(function).parameters.values() if each.kind in NAMED and each.name != "self"]


def known_options(name: str, more: Iterable[str] = ()) -> Callable[[F], F]:
    """UsageError for an option that is neither a parameter nor one of ``more``, which the function hands on. ``name``: as its caller knows it."""

    def around(function: F) -> F:
        known = [*names_of(function), *more]

        @functools.wraps(function)
        def checked(*given: Any, **options: Any) -> Any:
            for each in options:
                if each not in known:
                    raise UsageError(_no_option(name, each, known))
            return function(*given, **options)

        return cast(F, checked)

    return around


def _no_option(name: str, option: str, known: list[str]) -> str:
    near = difflib.get_close_matches(option, known, 1)
    return f"{name}() has no option '{option}'" + (f": did you mean '{near[0]}'?" if near else f". It has {', '.join(known)}")
