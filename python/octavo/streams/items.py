# SPDX-License-Identifier: Apache-2.0
"""Results that say where they go: to a worker of the next farm, or through the same farm once more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class To(Generic[T]):
    """``yield octavo.streams.To(2, part)``: for worker 2 of the next farm, from 0."""

    worker: int
    item: T


@dataclass(frozen=True)
class Again(Generic[T]):
    """``yield octavo.Again(part)``: fed back to the farm that gives it. Clause ST-8: docs/contract.md."""

    item: T
