# SPDX-License-Identifier: Apache-2.0
"""Arrays of more than four times the budget, in two passes and more, against SciPy; and what their roads carry."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import octavo
import pytest
import scipy.fft
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from kit import MIB, assert_equal, least_memory, noise, read, run, write_zarr

EXAMPLES, WANTED = 24, 20
# All but the last extent; the last is what fills the array.
BEGINNINGS = {2: st.integers(300, 3000), 3: st.integers(40, 211), 4: st.integers(9, 48)}


@dataclass(frozen=True)
class Case:
    """One array that does not fit, and what to do with it."""

    shape: tuple[int, ...]
    chunk: tuple[int, ...]
    axes: tuple[int, ...] | None
    norm: str
    inverse: bool
    dtype: str
    source: str
    target: str
    target_chunk: tuple[int, ...] | None
    budget: int
    seed: int


@dataclass
class Tally:
    """Over all examples."""

    larger: int = 0
    refused: int = 0
    fewer_passes: int = 0


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Arrays of 9 to 24 MiB with a budget of 2 MiB to a quarter of their bytes."""
    dtype = draw(st.sampled_from(["complex128", "complex128", "complex64", "float64", "float32", "int32"]))
    size = np.dtype(dtype).itemsize
    elements = draw(st.integers(9 * MIB // size, min(24 * MIB // size, 5 * MIB // 2)))
    dims = draw(st.sampled_from([2, 3, 3, 4]))
    beginning = draw(st.lists(BEGINNINGS[dims], min_size=dims - 1, max_size=dims - 1))
    shape = (*beginning, -(-elements // int(np.prod(beginning))))
    target = draw(st.sampled_from(["zarr", "zarr", "npy", "raw"]))
    chunks = st.tuples(*(st.integers(max(1, extent // 5), extent) for extent in shape))
    return Case(
        shape=shape,
        chunk=draw(chunks),
        axes=draw(st.none() | st.permutations(range(dims)).map(tuple)) if dims > 2 else None,
        norm=draw(st.sampled_from(["backward", "ortho", "forward"])),
        inverse=draw(st.booleans()),
        dtype=dtype,
        source=draw(st.sampled_from(["zarr", "npy"])),
        target=target,
        target_chunk=draw(st.none() | chunks) if target == "zarr" else None,
        budget=draw(st.integers(2 * MIB, (elements * size - 1) // 4)),
        seed=draw(st.integers(0, 99)),
    )


def check(case: Case, folder: Path, tally: Tally) -> None:
    array = noise(case.shape, case.dtype, case.seed)
    source, target = folder / f"source.{case.source}", folder / f"target.{case.target}"
    if case.source == "zarr":
        write_zarr(source, array, case.chunk)
    else:
        np.save(source, array)
    budget, options = case.budget, {"axes": case.axes, "norm": case.norm, "inverse": case.inverse, "chunks": case.target_chunk}
    try:
        job = octavo.fft.Job(source, target, memory=budget, **options)
    except octavo.Refused as refusal:
        tally.refused += 1
        budget = least_memory(str(refusal))
        job = octavo.fft.Job(source, target, memory=budget, **options)
    report = run(job)
    assert report.memory_peak - report.program_peak <= budget + 2 * MIB * report.processes
    transform = scipy.fft.ifftn if case.inverse else scipy.fft.fftn
    want = transform(array.astype(np.complex128), axes=case.axes, norm=case.norm)
    assert sorted(folder.iterdir()) == sorted([source, target])
    assert_equal(read(target, case.shape, "complex64" if case.dtype in ("complex64", "float32") else "complex128"), want)
    tally.fewer_passes += job.passes < 2
    tally.larger += array.nbytes > 4 * budget and job.passes >= 2


@pytest.mark.timeout(240)
def test_equals_scipy_where_the_array_is_over_four_times_the_budget() -> None:
    tally = Tally()

    @settings(max_examples=EXAMPLES, phases=[Phase.explicit, Phase.reuse, Phase.generate])
    @given(case=cases())
    def search(case: Case) -> None:
        with tempfile.TemporaryDirectory() as folder:
            check(case, Path(folder), tally)

    search()
    assert tally.larger >= WANTED, tally
    assert tally.fewer_passes == 0, tally
    assert tally.refused <= EXAMPLES - WANTED, tally
