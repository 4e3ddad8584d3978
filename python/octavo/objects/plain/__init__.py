# SPDX-License-Identifier: Apache-2.0
"""Built-in values without pickle, for a Runtime that was made with ``pickle=False``: reading them runs no code that they name.

A value is a byte that says its kind, and what that kind needs. Lists, dicts, sets, bytearrays and arrays have numbers, by which one that stands twice
is one on the other side, too. Numbers of bytes and items are written seven bits a byte, the lowest first.
"""

import builtins

from octavo import errors

HEADER = b"\x00octavo 1"  # no pickle begins so
most_depth = 100

# Kinds of values that have nothing but their kind.
SINGLE: dict[bytes, object] = {b"N": None, b"T": True, b"F": False, b".": ..., b"!": NotImplemented}

# Types of exceptions that travel as themselves.
EXCEPTIONS: dict[str, type[BaseException]] = {
    name: kind
    for module in (builtins, errors)
    for name, kind in vars(module).items()
    if isinstance(kind, type) and issubclass(kind, BaseException) and kind.__name__ == name  # IOError is another name of OSError
}
