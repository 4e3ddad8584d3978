# SPDX-License-Identifier: Apache-2.0
"""Enums by value. Their members are made as they are, without the ``__new__`` and ``__init__`` that once made them of what stood in the class statement."""

from __future__ import annotations

import copyreg
import enum
from typing import TYPE_CHECKING, Any

from octavo.objects.by_value.making import complete_class, create
from octavo.objects.by_value.names import is_found_by_name
from octavo.objects.by_value.registry import registry

if TYPE_CHECKING:
    from octavo.objects.by_value.pickler import Pickler, Reduced

MAPS = ("_member_names_", "_member_map_", "_value2member_map_")
AT_FIRST = ("_member_type_", "_flag_mask_", "_singles_mask_", "_all_bits_", "_boundary_", "_value_repr_", "_use_args_")  # by which members are found
Member = tuple[str, tuple[Any, ...], object]  # its name, of what its data type makes it, its value


def reduce_enum(kind: Any, first: dict[str, Any], attributes: dict[str, Any], registered: list[type]) -> Reduced:
    members = list({id(each): each for each in kind._member_map_.values()}.values())
    index = {id(each): number for number, each in enumerate(members)}
    by_name = {name: index[id(each)] for name, each in kind._member_map_.items()}
    by_value = [(value, index[id(each)]) for value, each in kind._value2member_map_.items() if id(each) in index]  # the others are made when asked for
    made = [(each._name_, data_of(each, kind._member_type_), each._value_) for each in members]
    in_class = [name for name, value in attributes.items() if id(value) in index]
    first = {**first, **{name: attributes[name] for name in AT_FIRST if name in attributes}}
    attributes = {name: value for name, value in attributes.items() if name not in (*MAPS, *in_class, *first)}
    whole = (registry.token(kind), type(kind), kind.__name__, kind.__bases__, first, made, (list(kind._member_names_), by_name, by_value, in_class))
    return make_enum, whole, (attributes, registered, [variables_of(each) for each in members]), None, None, complete_enum


def reduce_member(pickler: Pickler, member: Any) -> Reduced:
    """By its name: a value may be another object there, and not equal. One of no name (of a Flag) as it says itself."""
    kind = type(member)
    if is_found_by_name(kind, pickler.modules) or kind._member_map_.get(member._name_) is not member:
        return NotImplemented
    return member_named, (kind, member._name_)


def member_named(kind: Any, name: str) -> Any:
    return kind._member_map_[name]


def data_of(member: Any, kind: type) -> tuple[Any, ...]:
    if kind is object:
        return ()
    reduced: Any = kind.__reduce_ex__(member, 2) if not issubclass(kind, enum.Enum) else object.__reduce_ex__(member, 2)
    return tuple(reduced[1][1:] if reduced[0] is copyreg.__newobj__ else reduced[1])  # type: ignore[attr-defined]


def variables_of(member: Any) -> dict[str, Any]:
    slots = {name: getattr(member, name) for name in copyreg._slotnames(type(member)) if hasattr(member, name)}  # type: ignore[attr-defined]
    return {**slots, **{name: value for name, value in vars(member).items() if name != "_inverted_"}}


def make_enum(token: bytes, metaclass: type, name: str, bases: tuple[type, ...], first: dict[str, Any], members: list[Member], maps: tuple[Any, ...]) -> Any:
    known = registry.find(token)
    if known is not None:
        return known
    kind: Any = create(metaclass, name, bases, first)
    data = first.get("_member_type_", object)
    made = [make_member(kind, data, *each) for each in members]
    names, by_name, by_value, in_class = maps
    by_name = {each: made[number] for each, number in by_name.items()}
    for attribute, value in zip(MAPS, (names, by_name, {value: made[number] for value, number in by_value}), strict=True):
        type.__setattr__(kind, attribute, value)
    for each in in_class:
        type.__setattr__(kind, each, by_name[each])
    type.__setattr__(kind, "__new__", enum.Enum.__new__)
    return registry.arrive(token, kind)


def make_member(kind: Any, data: type, name: str, made_of: tuple[Any, ...], value: object) -> Any:
    member: Any = data.__new__(kind, *made_of)
    member._name_, member._value_ = name, value
    return member


def complete_enum(kind: Any, state: tuple[dict[str, Any], list[type], list[dict[str, Any]]]) -> None:
    if not registry.begin_completion(kind):
        return
    members = list({id(each): each for each in kind._member_map_.values()}.values())
    for member, variables in zip(members, state[2], strict=True):
        for name, value in variables.items():
            object.__setattr__(member, name, value)
    complete_class(kind, state[:2])
