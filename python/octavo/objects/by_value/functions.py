# SPDX-License-Identifier: Apache-2.0
"""Functions by value. One of a module is one object there, whose attributes stay, and its defaults but for those that its sender has changed; one that is made
anew each time (a closure, a lambda) is made anew there, of code and globals that are known, with what its variables hold now.
"""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Callable
from types import CellType, CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from octavo.objects.by_value.names import globals_used, is_found_by_name, submodules_used
from octavo.objects.by_value.namespaces import Namespace, namespace_there, namespaces
from octavo.objects.by_value.registry import registry

if TYPE_CHECKING:
    from octavo.objects.by_value.pickler import Pickler, Reduced

Globals = tuple[Namespace, dict[str, Any], dict[str, bytes | None], list[str]]
GIVEN = ("__doc__", "__defaults__", "__kwdefaults__", *(("__type_params__",) if sys.version_info >= (3, 12) else ()))
DISPATCHING = functools.singledispatch(abs).__code__  # type: ignore[attr-defined]  # of every function that @singledispatch makes


class Body:
    """What the functions that are made of the same code have in common, where they are run."""

    __slots__ = ("__weakref__", "code", "variables")

    def __init__(self, code: CodeType, variables: dict[str, Any]) -> None:
        self.code, self.variables = code, variables


def is_one_of_module(function: FunctionType) -> bool:
    """As far as its name tells: others are made again and again."""
    return function.__closure__ is None and "<" not in function.__qualname__


def reduce_function(pickler: Pickler, function: FunctionType) -> Reduced:
    if is_found_by_name(function, pickler.modules):
        return NotImplemented
    if function.__code__ is DISPATCHING and hasattr(function, "registry"):
        return reduce_dispatching(pickler, function)
    if is_one_of_module(function):
        known = pickler.reference(function)
        if known is not None:
            return known
        made = registry.token(function), function.__code__, namespaces.of(function.__globals__), None
        state = globals_of(pickler, function), attributes_of(function), pickler.digest_of_defaults(function)
        return make_function, made, state, None, None, complete_function
    token = body_token(function)
    known = None if token is None else pickler.reference_to_body(token, function)
    if known is not None:
        return make_of_body, (*known, function.__closure__), (None, attributes_of(function), None), None, None, complete_function
    whole = None, function.__code__, namespaces.of(function.__globals__), function.__closure__
    return make_function, whole, (globals_of(pickler, function), attributes_of(function), None), None, None, complete_function


def body_token(function: FunctionType) -> bytes | None:
    """Of its code in its namespace. None: the same code is run in another, too."""
    entry, namespace = registry.entry(function.__code__), namespaces.of(function.__globals__).token
    entry.namespace = entry.namespace or namespace
    return entry.token if entry.namespace == namespace else None


def reduce_body(pickler: Pickler, function: FunctionType) -> Reduced:
    """Of what such a function is made of there."""
    return make_body, (function.__code__, namespaces.of(function.__globals__)), globals_of(pickler, function), None, None, complete_body


def globals_of(pickler: Pickler, function: FunctionType) -> Globals:
    """What it uses of them."""
    known = function.__globals__
    values = {name: known[name] for name in globals_used(function.__code__) if name in known}
    cells = [cell.cell_contents for cell in function.__closure__ or () if not is_empty(cell)]
    digests = pickler.digests_of(function, values)
    return namespaces.of(known), values, digests, submodules_used(function.__code__, [*values.values(), *cells])


def attributes_of(function: FunctionType) -> dict[str, Any]:
    """Those that its code and its namespace do not give it."""
    code = function.__code__
    found: dict[str, Any] = {}
    if function.__name__ != code.co_name:
        found["__name__"] = function.__name__
    if function.__qualname__ != getattr(code, "co_qualname", None):
        found["__qualname__"] = function.__qualname__
    if function.__module__ != function.__globals__.get("__name__"):
        found["__module__"] = function.__module__
    for name in GIVEN:
        value = getattr(function, name)
        if value:
            found[name] = value
    annotations = annotations_of(function)
    if annotations:
        found["__annotations__"] = annotations
    if function.__dict__:
        found["__dict__"] = function.__dict__
    return found


def annotations_of(what: Any) -> dict[str, Any]:
    """As far as they have values: from Python 3.14 on they are computed when asked for."""
    if sys.version_info >= (3, 14):
        import annotationlib

        try:
            return annotationlib.get_annotations(what)
        except Exception:  # of a name that is not defined yet
            return annotationlib.get_annotations(what, format=annotationlib.Format.STRING)
    return what.__annotations__  # type: ignore[no-any-return]


def make_function(token: bytes | None, code: CodeType, namespace: Namespace, closure: tuple[CellType, ...] | None) -> FunctionType:
    if token is not None and (known := registry.find(token)) is not None:
        return known  # type: ignore[no-any-return]
    made = FunctionType(code, namespace.variables, code.co_name, None, closure)
    return made if token is None else registry.arrive(token, made)


def make_of_body(body: Body, closure: tuple[CellType, ...] | None) -> FunctionType:
    return FunctionType(body.code, body.variables, body.code.co_name, None, closure)


def make_body(code: CodeType, namespace: Namespace) -> Body:
    return Body(code, namespace.variables)


def bring_globals(brought: Globals) -> None:
    namespace, values, digests, submodules = brought
    for each in submodules:
        importlib.import_module(each)
    namespace.bring(values, digests)


def rebind(brought: Globals) -> None:
    bring_globals(brought)


def complete_body(_: Body, brought: Globals) -> None:
    bring_globals(brought)


def complete_function(function: FunctionType, state: tuple[Globals | None, dict[str, Any], bytes | None]) -> None:
    brought, attributes, digest = state
    if not registry.begin_completion(function):
        return bring_defaults(function, attributes.get("__defaults__"), attributes.get("__kwdefaults__"), digest)
    if brought is not None:
        bring_globals(brought)
    function.__dict__.update(attributes.pop("__dict__", {}))
    for name, value in attributes.items():
        setattr(function, name, value)
    if digest is not None:
        registry.entry(function).defaults = digest
    return registry.complete(function)


def bring_defaults(function: FunctionType, positional: tuple[Any, ...] | None, named: dict[str, Any] | None, digest: bytes | None) -> None:
    """As ``Namespace.bring``: of a function that arrived here, and only where they have changed since at its sender."""
    entry = registry.entry(function)
    if digest is not None and entry.defaults not in (None, digest):
        function.__defaults__, function.__kwdefaults__, entry.defaults = positional, named, digest


def is_empty(cell: CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return True
    return False


def reduce_cell(_: Pickler, cell: CellType) -> Reduced:
    """It is made before what it holds, which may use it; two functions that share one share it there."""
    return (CellType, ()) if is_empty(cell) else (CellType, (), cell.cell_contents, None, None, fill_cell)


def fill_cell(cell: CellType, value: object) -> None:
    cell.cell_contents = value


def reduce_namespace(_: Pickler, namespace: Namespace) -> Reduced:
    return namespace_there, (namespace.token, namespace.of_module())


def reduce_dispatching(pickler: Pickler, function: Any) -> Reduced:
    """``@functools.singledispatch``: its caches hold weak references."""
    implementations = dict(function.registry)
    first = implementations.pop(object)
    if is_one_of_module(first) and (known := pickler.reference(function)) is not None:
        return known
    state = implementations, {name: value for name, value in vars(function).items() if name not in vars(functools.singledispatch(first))}
    return make_dispatching, (registry.token(function), first), state, None, None, complete_dispatching


def make_dispatching(token: bytes, first: Callable[..., Any]) -> Any:
    known = registry.find(token)
    return registry.arrive(token, functools.singledispatch(first)) if known is None else known


def complete_dispatching(function: Any, state: tuple[dict[type, Callable[..., Any]], dict[str, Any]]) -> None:
    if registry.begin_completion(function):
        for kind, implementation in state[0].items():
            function.register(kind, implementation)
        vars(function).update(state[1])
        registry.complete(function)
