# SPDX-License-Identifier: Apache-2.0
"""The least memory that a refusal names is enough: for the plan, for the run, and for who opens the result."""

from __future__ import annotations

import os
import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import octavo
import pytest
from kit import least_memory

pytest.importorskip("h5py")
pytestmark = pytest.mark.timeout(120)
EXTENTS = {1: 20000, 2: 160, 3: 30, 4: 12}
TYPES = ("float32", "float64", "complex64", "int16", "complex128")
# Of these the least was refused once more, and the result could not be opened.
FOUND: tuple[tuple[Any, ...], ...] = (
    ((10, 6, 15, 7), "complex64", "s.zarr", "gzip", "t.h5", {"compressor": "gzip"}, "fft"),
    ((10, 5, 15, 9), "int16", "s.npy", None, "t.h5", {"chunks": (2, 5, 7, 2)}, "copy"),
)


def case_of(seed: int) -> tuple[Any, ...]:
    chance = random.Random(seed)
    dims = chance.randint(1, 4)
    shape = tuple(chance.randint(1, EXTENTS[dims]) for _ in range(dims))
    source, target = "s" + chance.choice([".zarr", ".npy", ".octavo", ".h5"]), "t" + chance.choice([".zarr", ".npy", ".octavo", ".h5", ".raw"])
    packed = chance.choice([None, "gzip"]) if source in ("s.zarr", "s.h5") else None
    more: dict[str, Any] = {}
    if target in ("t.zarr", "t.h5") and chance.random() < 0.6:
        more["compressor"] = "gzip"
    if target in ("t.zarr", "t.h5", "t.octavo") and chance.random() < 0.4:
        more["chunks"] = tuple(chance.randint(1, extent) for extent in shape)
    return shape, chance.choice(TYPES), source, packed, target, more, chance.choice(["fft", "copy"])


@pytest.mark.parametrize("case", [*FOUND, *(case_of(seed) for seed in range(24))], ids=str)
def test_the_least_that_is_named_is_enough(tmp_path: Path, case: tuple[Any, ...]) -> None:
    shape, dtype, source, packed, target, more, operation = case
    values = np.random.default_rng(0).integers(0, 100, shape).astype(dtype)
    with octavo.create_array(tmp_path / source, shape, dtype, compressor=packed) as made:
        made[...] = values
    with pytest.raises(octavo.Refused) as refusal:
        octavo.Job(tmp_path / source, tmp_path / target, operation, memory=4096, **more)
    least = least_memory(str(refusal.value))
    assert (refusal.value.least, refusal.value.path) == (least, str(tmp_path / source))
    whole = re.search(r"at least ([\d.]+ \w+);", str(refusal.value))
    assert whole is not None
    octavo.Job(tmp_path / source, tmp_path / target, operation, memory=whole[1].replace(" ", ""), **more)
    if np.prod(shape) > 4000 and case not in FOUND:  # plans of many boxes take long to run at the least
        octavo.Job(tmp_path / source, tmp_path / target, operation, memory=least, **more)
        return
    work = octavo.copy if operation == "copy" else octavo.fft.fftn
    with work(tmp_path / source, out=tmp_path / target, memory=least, **more) as result:
        wanted = values if operation == "copy" else np.fft.fftn(values)
        np.testing.assert_allclose(result[...], wanted, atol=1e-3 * max(1.0, float(np.abs(wanted).max())))


def test_more_memory_is_never_refused(tmp_path: Path) -> None:
    """Its larger chunks did not fit into 16900833 bytes, whereas 16600000 were enough."""
    (tmp_path / "s.raw").touch()
    os.truncate(tmp_path / "s.raw", 6400000)
    options: dict[str, Any] = {"shape": (16, 2, 100, 1000), "dtype": "int16", "axes": [3], "compressor": "gzip"}
    for memory in (16408576, 16600000, 16777216, 16900833, 17072127, 17072128, 18000000, 20000000):
        octavo.Job(tmp_path / "s.raw", tmp_path / "t.h5", memory=memory, **options)
