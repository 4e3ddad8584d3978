# SPDX-License-Identifier: Apache-2.0
"""The transform equals SciPy's, whatever the array, its format and the budget; also where the array is over four times the budget."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import octavo
import pytest
import scipy.fft
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from kit import MIB, Array, assert_equal, least_memory, noise, read, run, write_zarr

EXTENTS = (1, 1, 2, 3, 4, 5, 7, 8, 11, 13, 16, 17, 24, 31, 32, 45, 61, 64, 97, 128, 211, 509, 1000, 4099, 32768, 50021)
DTYPES = ("complex128", "complex64", "float64", "float32", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
MOST_ELEMENTS = 60_000
NORMS = st.sampled_from(["backward", "ortho", "forward"])
# Examples that are larger than the budget, and how many must truly be; each takes seconds.
LARGER, WANTED = (24, 20) if os.environ.get("HYPOTHESIS_PROFILE") == "search" else (12, 10)
# All but the last extent of these; the last is what fills the array.
BEGINNINGS = {2: st.integers(300, 3000), 3: st.integers(40, 211), 4: st.integers(9, 48)}


@dataclass(frozen=True)
class Case:
    """One array, what to do with it, and how it is stored."""

    shape: tuple[int, ...]
    chunk: tuple[int, ...]
    axes: tuple[int, ...] | None
    norm: str
    operation: str
    dtype: str
    source: str
    target: str
    target_chunk: tuple[int, ...] | None
    budget: int  # 0: the least that would do
    seed: int
    fill: int = 0
    missing: float = 0.0


def chunks_of(shape: tuple[int, ...]) -> st.SearchStrategy[tuple[int, ...]]:
    """Whatever divides each axis into a few: also what does not divide it, and what is larger than it."""
    return st.tuples(*(st.integers(max(1, extent // 4), extent + 2) for extent in shape))


def axes_of(dims: int) -> st.SearchStrategy[tuple[int, ...] | None]:
    """Any subset in any order, counted from either end."""
    some = st.lists(st.integers(0, dims - 1), unique=True)
    signed = some.flatmap(lambda axes: st.tuples(*(st.sampled_from([axis, axis - dims]) for axis in axes)))
    return st.none() | signed


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Every combination that Octavo accepts."""
    left, shape = MOST_ELEMENTS, []
    for _ in range(draw(st.integers(1, 4))):
        shape.append(draw(st.sampled_from([extent for extent in EXTENTS if extent <= left])))
        left //= shape[-1]
    extents = tuple(shape)
    target = draw(st.sampled_from(["zarr", "npy", "raw"]))
    return Case(
        shape=extents,
        chunk=draw(chunks_of(extents)),
        axes=draw(axes_of(len(extents))),
        norm=draw(NORMS),
        operation=draw(st.sampled_from(["fft", "ifft"])),
        dtype=draw(st.sampled_from(DTYPES)),
        source=draw(st.sampled_from(["zarr", "zarr big", "zarr", "npy", "npy big", "raw"])),
        target=target,
        target_chunk=draw(st.none() | chunks_of(extents)) if target == "zarr" else None,
        budget=draw(st.sampled_from([0, 0, 2 * MIB, 5 * MIB, 64 * MIB])),
        fill=draw(st.sampled_from([0, 1, 100])),
        missing=draw(st.sampled_from([0.0, 0.3, 1.0])),
        seed=draw(st.integers(0, 99)),
    )


@st.composite
def larger_cases(draw: st.DrawFn) -> Case:
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
        norm=draw(NORMS),
        operation=draw(st.sampled_from(["fft", "ifft"])),
        dtype=dtype,
        source=draw(st.sampled_from(["zarr", "npy"])),
        target=target,
        target_chunk=draw(st.none() | chunks) if target == "zarr" else None,
        budget=draw(st.integers(2 * MIB, (elements * size - 1) // 4)),
        seed=draw(st.integers(0, 99)),
    )


def store(case: Case, folder: Path) -> tuple[Path, Array, dict[str, Any]]:
    """Writes the source: its path, its elements, and what a raw one must be told."""
    array = noise(case.shape, case.dtype, case.seed)
    kind, _, big = case.source.partition(" ")
    path = folder / f"source.{kind}"
    if kind == "zarr":
        return path, write_zarr(path, array, case.chunk, big=bool(big), fill=case.fill, missing=case.missing, seed=case.seed), {}
    if kind == "npy":
        np.save(path, array.astype(array.dtype.newbyteorder(">")) if big else array)
        return path, array, {}
    array.tofile(path)
    return path, array, {"shape": case.shape, "dtype": case.dtype}


def planned(case: Case, source: Path, target: Path, told: dict[str, Any]) -> octavo.Job:
    """A job within the case's budget, or within the least that would do where that is more."""
    options = {"operation": case.operation, "axes": case.axes, "norm": case.norm, "chunks": case.target_chunk, **told}
    try:
        return octavo.Job(source, target, memory=case.budget, **options)
    except octavo.Refused as refusal:
        return octavo.Job(source, target, memory=least_memory(str(refusal)), **options)


def expected(array: Array, case: Case) -> Array:
    """SciPy's answer, in double precision for all."""
    transform = scipy.fft.ifftn if case.operation == "ifft" else scipy.fft.fftn
    return transform(array.astype(np.complex128), axes=case.axes, norm=case.norm)


def check(case: Case, folder: Path) -> tuple[octavo.Job, octavo.job.Report, Array]:
    """Runs it and compares: the job, its report, and the array that it transformed."""
    source, array, told = store(case, folder)
    target = folder / f"target.{case.target}"
    job = planned(case, source, target, told)
    report = run(job)
    assert report.memory_peak - report.program_peak <= report.memory_budget + 2 * MIB * report.processes
    result = "complex64" if case.dtype in ("complex64", "float32") else "complex128"
    got = read(target, case.shape, result)
    assert got.dtype == np.dtype(result)
    assert_equal(got, expected(array, case))
    assert sorted(folder.iterdir()) == sorted([source, target])
    if case.target_chunk:
        chunk = tuple(min(a, b) for a, b in zip(case.target_chunk, case.shape, strict=True))
        assert octavo.info(target).chunk in (chunk, case.target_chunk)
    return job, report, array


@pytest.mark.timeout(200)
@settings(max_examples=100)
@given(case=cases())
def test_equals_scipy(case: Case) -> None:
    with tempfile.TemporaryDirectory() as folder:
        check(case, Path(folder))


@pytest.mark.timeout(240)
def test_equals_scipy_where_the_array_is_over_four_times_the_budget() -> None:
    larger, refused, fewer_passes = [], [], []

    @settings(max_examples=LARGER, phases=[Phase.explicit, Phase.reuse, Phase.generate])
    @given(case=larger_cases())
    def search(case: Case) -> None:
        with tempfile.TemporaryDirectory() as folder:
            job, report, array = check(case, Path(folder))
        if report.memory_budget > case.budget:
            refused.append(case)
        if job.passes < 2:
            fewer_passes.append(case)
        elif array.nbytes > 4 * report.memory_budget:
            larger.append(case)

    search()
    assert len(larger) >= WANTED, (len(larger), refused)
    assert fewer_passes == []
    assert len(refused) <= LARGER // 2, refused  # the rest shows what happens within a budget nobody had to raise
