# SPDX-License-Identifier: Apache-2.0
"""What the class of a remote object says of a method: ``p.f.__doc__``, ``inspect.signature(p.f)``, where the class is known here."""

import inspect
from typing import Any
from weakref import ReferenceType


def text(of_class: "ReferenceType[type] | None", name: str) -> str | None:
    method = bound(of_class, name)
    return None if method is None else getattr(method, "__doc__", None)


def signature(of_class: "ReferenceType[type] | None", name: str) -> inspect.Signature:
    """That of the method of an object. Raises AttributeError where none is known, and so inspect.signature() says that it has none."""
    try:
        return inspect.signature(bound(of_class, name))
    except (TypeError, ValueError):
        raise AttributeError(f"the signature of the remote method {name} is not known here") from None


def bound(of_class: "ReferenceType[type] | None", name: str) -> Any:
    """As of an object of the class, which is not here: of any. None where the class is not known."""
    kind = of_class() if of_class is not None else None
    if kind is None:
        return None
    found = inspect.getattr_static(kind, name, None)
    try:
        return found.__get__(object(), kind)
    except (AttributeError, TypeError):  # a method of a built-in class, which wants an object of that
        return found
