# SPDX-License-Identifier: Apache-2.0
"""Classes by value. What made one has run where it was defined; there it is put together of what came of that, and neither a metaclass nor
``__init_subclass__`` of the script runs again. A class that is known there already is left alone.
"""

from __future__ import annotations

import abc
import enum
import inspect
import sys
from _abc import _get_dump  # type: ignore[import-not-found]
from types import GetSetDescriptorType, MemberDescriptorType
from typing import TYPE_CHECKING, Any

import cloudpickle

from octavo.objects.by_value.enums import reduce_enum
from octavo.objects.by_value.functions import annotations_of
from octavo.objects.by_value.making import IS_OF_PYTHON, complete_class, create
from octavo.objects.by_value.names import is_found_by_name
from octavo.objects.by_value.registry import registry

if TYPE_CHECKING:
    from octavo.objects.by_value.pickler import Pickler, Reduced

AT_FIRST = ("__module__", "__qualname__", "__orig_bases__", "__firstlineno__", "_is_protocol")  # what its making looks at
OF_C = ("_pack_", "_anonymous_", "_layout_", "_align_", "_fields_", "_type_", "_length_")  # what that of ctypes does


def reduce_class(pickler: Pickler, kind: type) -> Reduced:
    if not kind.__flags__ & IS_OF_PYTHON:
        return cloudpickle.Pickler.reducer_override(pickler, kind)  # it knows those that have no name
    if is_found_by_name(kind, pickler.modules):
        return NotImplemented
    known = pickler.reference(kind)
    if known is not None:
        return known
    if issubclass(kind, enum.Enum):
        return reduce_enum(kind, first_of(kind), *state_of(kind))
    return make_class, (registry.token(kind), metaclass_of(kind), kind.__name__, kind.__bases__, first_of(kind)), state_of(kind), None, None, complete_class


def metaclass_of(kind: type) -> type | None:
    """None: that of its base, which may have no name (in ctypes)."""
    return None if type(kind) is type(kind.__bases__[0]) else type(kind)


def first_of(kind: type) -> dict[str, Any]:
    names = (*AT_FIRST, *OF_C) if any(each.__module__ == "_ctypes" for each in inspect.getmro(type(kind))) else AT_FIRST
    found = {name: vars(kind)[name] for name in names if name in vars(kind)}
    found["__qualname__"] = kind.__qualname__
    if "__slots__" in vars(kind):
        made = (name for name, value in vars(kind).items() if is_slot(kind, value))
        found["__slots__"] = (*made, *(name for name in ("__dict__", "__weakref__") if isinstance(vars(kind).get(name), GetSetDescriptorType)))
    return found


def is_slot(kind: type, value: object) -> bool:
    return isinstance(value, MemberDescriptorType) and value.__objclass__ is kind


def state_of(kind: type) -> tuple[dict[str, Any], list[type]]:
    """Its attributes, and the classes that were registered with it."""
    first = first_of(kind).keys() - {"__slots__"}
    left_out = {"_abc_impl", "__annotate_func__", "__annotate__", "__annotations_cache__", *first}
    attributes = {name: value for name, value in vars(kind).items() if name not in left_out and not is_made(kind, value)}
    if sys.version_info >= (3, 14) and (annotations := annotations_of(kind)):
        attributes["__annotations__"] = annotations
    registered = [each() for each in _get_dump(kind)[0]] if isinstance(kind, abc.ABCMeta) else []
    return attributes, [each for each in registered if each is not None]


def is_made(kind: type, value: object) -> bool:
    """With the class."""
    return is_slot(kind, value) or (isinstance(value, GetSetDescriptorType) and value.__objclass__ is kind) or type(value).__module__ == "_ctypes"


def make_class(token: bytes, metaclass: type | None, name: str, bases: tuple[type, ...], first: dict[str, Any]) -> type:
    known: type | None = registry.find(token)
    return registry.arrive(token, create(metaclass, name, bases, first)) if known is None else known
