# SPDX-License-Identifier: Apache-2.0
"""The operations of reductions: functions of two values, or their names."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from octavo.errors import UsageError

Operation = str | Callable[[Any, Any], Any]

functions: dict[str, Callable[[Any, Any], Any]] = {"sum": np.add, "prod": np.multiply, "min": np.minimum, "max": np.maximum}
of_numbers: dict[str, Callable[[Any, Any], Any]] = {"sum": operator.add, "prod": operator.mul, "min": min, "max": max}
names: dict[Any, str] = {
    **{function: name for name, function in functions.items()},
    **{function: name for name, function in of_numbers.items()},
    operator.iadd: "sum",
    operator.imul: "prod",
    sum: "sum",
}


def name_of(operation: Operation) -> str | None:
    """None: it is a function of the user's. Raises UsageError for a name that is none."""
    if isinstance(operation, str):
        if operation not in functions:
            raise UsageError(f"no reduction is called '{operation}'. Give one of 'sum', 'prod', 'min', 'max', or a function of two values")
        return operation
    if not callable(operation):
        raise UsageError(f"a reduction takes a function of two values, not {type(operation).__name__}. Give numpy.add, operator.add, 'sum', ...")
    try:
        return names.get(operation)
    except TypeError:  # it has no hash
        return None


def function_of(operation: Operation, value: object) -> Callable[[Any, Any], Any]:
    """What joins two values like this one."""
    name = name_of(operation)
    if name is None:
        return operation  # type: ignore[return-value]
    return functions[name] if isinstance(value, np.ndarray | np.generic) else of_numbers[name]
