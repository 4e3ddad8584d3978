# SPDX-License-Identifier: Apache-2.0
"""Options given one by one, as keywords, put together into Target, Budget and RawLayout; and those that a function does not have, said in
the caller's words, with what was probably meant."""

from __future__ import annotations

import difflib
import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any, TypeVar, cast

from octavo.errors import UsageError
from octavo.options import Budget, JobKeywords, RawLayout, Target

F = TypeVar("F", bound=Callable[..., Any])
Options = TypeVar("Options", Target, Budget, RawLayout)
NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def names_of(function: Callable[..., Any]) -> list[str]:
    """What can be given by name."""
    return [each.name for each in inspect.signature(function).parameters.values() if each.kind in NAMED and each.name != "self"]


def known_options(name: str, more: type[Any] | None = None) -> Callable[[F], F]:
    """UsageError for an option that is neither a parameter nor a key of ``more``, the TypedDict of its other ones. ``name``: as its caller knows it."""

    def around(function: F) -> F:
        known = [*names_of(function), *(more.__annotations__ if more else ())]

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


@dataclass(frozen=True)
class JobChoices:
    """What is chosen for a job beside its source, target and operation."""

    target: Target
    budget: Budget


@dataclass(frozen=True)
class Whole:
    """What the caller gave of it whole. ``target_name``: what the parameter of the target is called there."""

    memory: int | str | None = None
    target: Target | None = None
    budget: Budget | None = None
    target_name: str = "target"

    def with_keywords(self, keywords: JobKeywords) -> JobChoices:
        """And of what was given one by one. UsageError where one of them was given both ways."""
        alone: dict[str, Any] = dict(keywords)
        if self.memory is not None:
            alone["memory"] = self.memory
        budget = either(Budget, self.budget, alone, "budget")
        return JobChoices(target_of(self.target, alone, self.target_name), budget or Budget())


def target_of(whole: Target | None, keywords: Mapping[str, Any], name: str = "target") -> Target:
    """UsageError where it was given both ways."""
    return either(Target, whole, keywords, name) or Target()


def raw_of(whole: RawLayout | None, keywords: Mapping[str, Any]) -> RawLayout | None:
    """None if nothing was said. UsageError where it was given both ways, or not enough of it."""
    return either(RawLayout, whole, keywords, "raw")


def either(kind: type[Options], whole: Options | None, keywords: Mapping[str, Any], name: str) -> Options | None:
    """``whole``, or one of those of the keywords that are its fields; None if nothing was given that is not the default."""
    if whole is None:
        alone = said(kind, keywords)
        if kind is RawLayout and alone and not {"shape", "dtype"} <= set(alone):
            raise UsageError(f"{', '.join(alone)} of a raw file without both its shape and its dtype. Give at least shape and dtype, or none")
        return kind(**alone) if alone else None
    if not isinstance(whole, kind):
        raise UsageError(f"{name} is of type {type(whole).__name__}. Give an octavo.{kind.__name__}, or its fields as keywords")
    if twice := [each.name for each in fields(kind) if keywords.get(each.name) is not None]:
        raise UsageError(f"{', '.join(twice)} beside {name}. Give all in it: {name}=octavo.{kind.__name__}({twice[0]}=...)")
    return whole


def said(kind: type[Options], keywords: Mapping[str, Any]) -> dict[str, Any]:
    """Those that are fields of ``kind`` and say something: None and the default are what is meant by leaving them out."""
    found = {each.name: (keywords[each.name], each.default) for each in fields(kind) if each.name in keywords}
    return {name: value for name, (value, default) in found.items() if value is not None and (default in (None, MISSING) or value != default)}
