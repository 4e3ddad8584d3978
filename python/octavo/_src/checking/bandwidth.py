# SPDX-License-Identifier: Apache-2.0
"""How fast a large array goes to an object and comes back, beside what a copy in memory takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Any

from octavo._src.checking.echo import echoing
from octavo._src.checking.finding import Finding

SECTION = "bandwidth"
BYTES = 32 << 20
ROUNDS = 5


def find() -> Iterator[Finding]:
    """An array of NumPy is copied on its way; one of octavo.empty is not."""
    import numpy as np

    from octavo import empty

    plain = np.arange(BYTES // 8, dtype="int64")
    copied = np.empty_like(plain)
    memcpy = best_rate(BYTES, lambda: np.copyto(copied, plain))
    yield Finding(SECTION, "memcpy of 32 MiB", memcpy, "GB/s")
    with echoing() as echo:
        yield there_and_back(plain, echo.array, "there and back", memcpy, "octavo.empty(shape, dtype) makes arrays that are not copied")
        pooled = empty(plain.shape, plain.dtype)
        pooled[...] = plain
        yield there_and_back(pooled, echo.array, "there and back, pooled: not copied")


def there_and_back(sent: Any, call: Callable[[Any], Any], name: str, limit: float | None = None, cure: str = "") -> Finding:
    """Its bytes count twice, since they go and come."""
    import numpy as np

    if not np.array_equal(call(sent), sent):
        return Finding(SECTION, name, "the array came back with other elements: this is a defect of Octavo, please report it", works=False)
    return Finding(SECTION, name, best_rate(2 * sent.nbytes, lambda: call(sent)), "GB/s", limit, cure)


def best_rate(moved: int, work: Callable[[], object]) -> float:
    """GB/s of the fastest round."""
    taken = []
    for _ in range(ROUNDS):
        begin = perf_counter()
        work()
        taken.append(perf_counter() - begin)
    return moved / min(taken) / 1e9
