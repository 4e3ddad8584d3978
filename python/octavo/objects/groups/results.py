# SPDX-License-Identifier: Apache-2.0
"""Arrays that the results of collectives are put into: ``out=``. Nothing is cast, and nothing stretched."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from octavo.errors import UsageError


def check_array(out: Any, of: str) -> None:
    """Before the collective: what no result fits into."""
    if out is None:
        return
    if not isinstance(out, np.ndarray):
        raise UsageError(f"out of {of}() is a {type(out).__name__}. Give a NumPy array of the result's shape and dtype")
    if not out.flags.writeable:
        raise UsageError(f"out of {of}() is read-only. Give an array that can be written to")


def check_fits(out: Any, result: Any, of: str) -> None:
    """Of a result like this one."""
    check_array(out, of)
    if out is None or out is result:
        return
    made = np.asarray(result)
    if out.shape != made.shape or not np.can_cast(made.dtype, out.dtype, "equiv"):
        raise UsageError(f"out of {of}() has {_kind(out)}, and its result {_kind(made)}. Give an array like that, or convert what is given to {of}()")


def into(out: Any, result: Any, of: str) -> Any:
    """``out``, which has the result then; the result itself where there is no ``out``, or it is that already."""
    if out is None or out is result:
        return result
    check_fits(out, result, of)
    out[...] = result
    return out


def all_into(out: Any, results: Sequence[Any], of: str) -> Any:
    """The same of one result of each member: ``out[i]`` has that of member i."""
    if out is None:
        return results
    if out.ndim == 0 or len(out) != len(results):
        raise UsageError(f"out of {of}() has {_kind(out)}, and there is a result of each of {len(results)} members. Give an array with so many rows")
    for i, each in enumerate(results):
        made = np.asarray(each)
        if out.shape[1:] != made.shape or not np.can_cast(made.dtype, out.dtype, "equiv"):
            row = f"rows of the shape {out.shape[1:]} and dtype {out.dtype}"
            raise UsageError(f"out of {of}() has {row}, and the result of member {i} {_kind(made)}. Give an array whose rows are like that")
    for i, each in enumerate(results):
        out[i] = each
    return out


def target(out: Any, array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """An array of its own to reduce in, with the values of ``array``; ``out`` itself where that is one."""
    if out is None or not (out.flags.c_contiguous and out.dtype == array.dtype):
        return np.array(array, order="C", copy=True)
    if out is not array:
        out[...] = array
    return out  # type: ignore[no-any-return]


def _kind(array: np.ndarray[Any, Any]) -> str:
    return f"the shape {array.shape} and dtype {array.dtype}"
