# SPDX-License-Identifier: Apache-2.0
"""What decorators and ``typing`` make beside classes and functions, by value. Each of a module is one object there, as its function or name is."""

from __future__ import annotations

import dataclasses
import functools
import io
import pickle
import sys
import threading
import typing
from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from octavo.objects.by_value.functions import is_one_of_module
from octavo.objects.by_value.names import is_found_by_name
from octavo.objects.by_value.registry import registry

if TYPE_CHECKING:
    from octavo.objects.by_value.pickler import Pickler, Reduced

CACHED = type(functools.lru_cache(abs))
SENTINELS = {type(dataclasses.MISSING): "MISSING", type(dataclasses.KW_ONLY): "KW_ONLY", type(dataclasses._HAS_DEFAULT_FACTORY): "_HAS_DEFAULT_FACTORY"}  # type: ignore[attr-defined]


def reduce_cached(pickler: Pickler, function: Any) -> Reduced:
    """``@functools.cache``: what it has kept here stays here."""
    if is_found_by_name(function, pickler.modules):
        return NotImplemented
    within = function.__wrapped__
    is_one = isinstance(within, FunctionType) and is_one_of_module(within)
    if is_one and (known := pickler.reference(function)) is not None:
        return known
    token = registry.token(function) if is_one else None
    state = {name: value for name, value in vars(function).items() if name != "cache_parameters"}
    return make_cached, (token, within, function.cache_parameters()), state, None, None, complete_cached


def make_cached(token: bytes | None, function: Callable[..., Any], parameters: dict[str, Any]) -> Any:
    known = None if token is None else registry.find(token)
    if known is not None:
        return known
    made = functools.lru_cache(**parameters)(function)
    return made if token is None else registry.arrive(token, made)


def complete_cached(function: Any, state: dict[str, Any]) -> None:
    if registry.begin_completion(function):
        vars(function).update(state)
        registry.complete(function)


def reduce_cached_property(_: Pickler, what: Any) -> Reduced:
    """Until Python 3.11 it has a lock."""
    return make_empty, (type(what),), {name: value for name, value in vars(what).items() if name != "lock"}, None, None, complete_cached_property


def make_empty(kind: type) -> Any:
    return object.__new__(kind)


def complete_cached_property(what: Any, state: dict[str, Any]) -> None:
    vars(what).update(state)
    if sys.version_info < (3, 12):
        what.lock = threading.RLock()


def reduce_dispatching_method(_: Pickler, what: Any) -> Reduced:
    return make_dispatching_method, (type(what), what.func, what.dispatcher)


def make_dispatching_method(kind: Any, function: Callable[..., Any], dispatcher: Any) -> Any:
    made = kind(function)
    made.dispatcher = dispatcher
    return made


def reduce_new_type(pickler: Pickler, what: Any) -> Reduced:
    return of_typing(pickler, what, (what.__supertype__,), {})


def reduce_variable(pickler: Pickler, what: Any) -> Reduced:
    """A TypeVar, ParamSpec or TypeVarTuple."""
    names = {"bound": "__bound__", "covariant": "__covariant__", "contravariant": "__contravariant__", "infer_variance": "__infer_variance__"}
    given = {name: getattr(what, attribute, None) for name, attribute in names.items()}
    if hasattr(what, "has_default") and what.has_default():
        given["default"] = what.__default__
    return of_typing(pickler, what, getattr(what, "__constraints__", ()), {name: value for name, value in given.items() if value})


def reduce_alias(pickler: Pickler, what: Any) -> Reduced:
    """Of a ``type`` statement. Nothing can refer to it weakly, so it has no token."""
    return NotImplemented if is_found_by_name(what, pickler.modules) else (make_alias, (type(what), what.__name__, what.__value__, what.__type_params__))


def make_alias(kind: Any, name: str, value: object, parameters: tuple[Any, ...]) -> Any:
    return kind(name, value, type_params=parameters)


def of_typing(pickler: Pickler, what: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Reduced:
    if is_found_by_name(what, pickler.modules):
        return NotImplemented
    known = pickler.reference(what)
    if known is not None:
        return known
    return make_of_typing, (registry.token(what), type(what), what.__name__, arguments, keywords, what.__module__)


def make_of_typing(token: bytes, kind: Any, name: str, arguments: tuple[Any, ...], keywords: dict[str, Any], module: str) -> Any:
    known = registry.find(token)
    if known is not None:
        return known
    made = kind(name, *arguments, **keywords)
    if getattr(made, "__module__", None) != module:
        made.__module__ = module
    made = registry.arrive(token, made)
    registry.complete(made)
    return made


def reduce_sentinel(_: Pickler, what: object) -> str:
    return SENTINELS[type(what)]


def reduce_part_of_parameters(_: Pickler, what: Any) -> Reduced:
    """``P.args`` and ``P.kwargs``."""
    return getattr, (what.__origin__, "args" if isinstance(what, typing.ParamSpecArgs) else "kwargs")


def reduce_file(_: Pickler, file: io.TextIOWrapper) -> Reduced:
    """The program's own standard ones are those of whoever reads it. (cloudpickle would send what the file holds, as a StringIO.)"""
    for name in ("stdin", "stdout", "stderr"):
        if file in (getattr(sys, name), getattr(sys, f"__{name}__")):
            return getattr, (sys, name)
    raise TypeError(f"cannot pickle an open file, {file.name!r}: it stays in its process. Send its path, or what it holds")


def reduce_array(pickler: Pickler, array: np.ndarray[Any, Any]) -> Reduced:
    """NumPy itself changes a byte order that is not the machine's where an array does not lie in one piece, and of times."""
    kind = array.dtype
    if kind.isnative or kind.hasobject or (array.flags.forc and kind.kind not in "mM"):
        return NotImplemented
    order: Literal["C", "F"] = "F" if array.flags.fnc else "C"
    elements: Any = np.array(array, order=order).reshape(-1, order=order).view(np.uint8)
    return array_of, (pickle.PickleBuffer(elements), kind, array.shape, order)


def array_of(memory: Any, dtype: np.dtype[Any], shape: tuple[int, ...], order: Literal["C", "F"]) -> np.ndarray[Any, Any]:
    made: np.ndarray[Any, Any] = np.ndarray(shape, dtype, memory, order=order)
    return made


reducers: dict[type, Callable[[Pickler, Any], Any]] = {
    np.ndarray: reduce_array,
    CACHED: reduce_cached,
    io.TextIOWrapper: reduce_file,
    functools.cached_property: reduce_cached_property,
    functools.singledispatchmethod: reduce_dispatching_method,
    typing.NewType: reduce_new_type,
    typing.ParamSpec: reduce_variable,
    typing.TypeVar: reduce_variable,
    typing.ParamSpecArgs: reduce_part_of_parameters,
    typing.ParamSpecKwargs: reduce_part_of_parameters,
    **dict.fromkeys(SENTINELS, reduce_sentinel),
}
if sys.version_info >= (3, 11):
    reducers[typing.TypeVarTuple] = reduce_variable
if sys.version_info >= (3, 12):
    reducers[typing.TypeAliasType] = reduce_alias
