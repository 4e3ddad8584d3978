# SPDX-License-Identifier: Apache-2.0
"""Every kind of source into every kind of target: transformed and copied, checked by the format's own library and by Octavo.

By default each source kind and each target kind is met a few times, with a shape, type, axes, order and budget that differ from pair to pair;
the slow ones are all pairs. HYPOTHESIS_PROFILE=search goes on from there.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import octavo
import pytest
from formats_kit import SOURCES, TARGETS, Source, Target, accepted, cut, least_accepted, read_by_library
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from kit import MIB, Array, assert_equal, noise, run

pytestmark = pytest.mark.timeout(120)
DTYPES = ("float64", "complex64", "int16", "complex128", "float32", "uint8", "int64", "int8", "uint16", "int32", "uint64", "uint32")
SHAPES = ((9, 7), (5, 6, 7), (33,), (3, 5, 4, 7), (16, 1, 5), (1, 13), (31, 17), (2, 3, 1, 5), (64,), (7, 7, 7))
BUDGETS = (1.0, 3.0, 1.25, 8.0)  # times the least that is accepted
SEARCHING = os.environ.get("HYPOTHESIS_PROFILE") == "search"
T = TypeVar("T")


def turned(values: Sequence[T], by: int) -> st.SearchStrategy[T]:
    """One of them; the simplest is another one for each pair, and hypothesis begins with the simplest."""
    return st.sampled_from([*values[by % len(values) :], *values[: by % len(values)]])


@st.composite
def cases(draw: st.DrawFn, number: int) -> dict[str, Any]:
    """An array, and what is to be done with it."""
    shape = draw(turned(SHAPES, number))
    parts = st.tuples(*(turned((2, 3, 1), number + axis) for axis in range(len(shape))))
    operation = draw(turned(("fft", "copy", "ifft"), number // 2))
    axes = draw(st.none() | st.lists(st.integers(0, len(shape) - 1), min_size=1, unique=True)) if operation != "copy" else None
    return {
        "shape": shape,
        "dtype": draw(turned(DTYPES, number)),
        "source_chunks": cut(shape, draw(parts)),
        "target_chunks": cut(shape, draw(parts)),
        "operation": operation,
        "axes": axes,
        "norm": draw(turned(("backward", "ortho", "forward"), number)),
        "budget": draw(turned(BUDGETS, number)),
    }


def expected(array: Array, case: dict[str, Any]) -> Array:
    """By NumPy."""
    if case["operation"] == "copy":
        return array
    single = array.dtype.name in ("float32", "complex64")
    transform = np.fft.fftn if case["operation"] == "fft" else np.fft.ifftn
    found = transform(array.astype("complex128"), axes=case["axes"], norm=case["norm"])
    return np.asarray(found, "complex64" if single else "complex128")


def compare(got: Array, want: Array, case: dict[str, Any]) -> None:
    if case["operation"] == "copy":
        np.testing.assert_array_equal(got, want, strict=True)
    else:
        assert got.dtype == want.dtype
        assert_equal(got, want)


def check(folder: Path, source: Source, target: Target, case: dict[str, Any]) -> None:
    array = noise(case["shape"], case["dtype"])
    stored = source.write(folder, array, case["source_chunks"])
    path, asked = folder / target.file, target.asked(folder, case["target_chunks"])

    def job_of(memory: int) -> octavo.Job:
        return octavo.Job(stored.path, path, case["operation"], axes=case["axes"], norm=case["norm"], memory=memory, **stored.layout, **asked)

    job, memory = accepted(int(least_accepted(job_of) * case["budget"]), job_of)
    report = run(job)
    assert report.memory_budget == memory
    want = expected(array, case)
    by_library = read_by_library(path, want.shape, want.dtype.name)
    if by_library is not None:
        compare(by_library, want, case)
    with octavo.open_array(path, **job.target_layout) as made:
        if target.chunked:
            assert made.chunks == asked["chunks"]
        compare(made[...], want, case)


def search(source: Source, target: Target, number: int, folder: Path, examples: int) -> None:
    """Hypothesis over the cases of one pair; ``number`` is where it begins."""

    @seed(number)
    @settings(max_examples=examples, deadline=None, database=None, phases=[Phase.generate, Phase.shrink], suppress_health_check=list(HealthCheck))
    @given(cases(number))
    def pair(case: dict[str, Any]) -> None:
        with tempfile.TemporaryDirectory(dir=folder) as name:
            check(Path(name), source, target, case)

    pair()


# Each source once, the targets in turn: the step has no divisor in common with their number.
PAIRS = [(source, TARGETS[7 * number % len(TARGETS)], number) for number, source in enumerate(SOURCES)]
assert {target.name for _, target, _ in PAIRS} == {target.name for target in TARGETS}


@pytest.mark.parametrize(("source", "target", "number"), PAIRS, ids=[f"{source.name}-to-{target.name}" for source, target, _ in PAIRS])
def test_every_kind_once(tmp_path: Path, source: Source, target: Target, number: int) -> None:
    search(source, target, number, tmp_path, 30 if SEARCHING else 1)


def test_many_tiny_chunks_in_a_shard(tmp_path: Path) -> None:
    """What its library declares to need is that of the chunks that it reads at once, not of all that would make 4 MiB."""
    np.save(tmp_path / "a.npy", noise((90, 70), "int8"))
    run(octavo.Job(tmp_path / "a.npy", tmp_path / "t.zarr", "copy", chunks=(3, 4), shards=(30, 40), memory="32MiB"))
    with octavo.open_array(tmp_path / "t.zarr", memory="32MiB") as made:
        np.testing.assert_array_equal(made[...], noise((90, 70), "int8"), strict=True)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("source", SOURCES, ids=[each.name for each in SOURCES])
def test_every_pair(tmp_path: Path, source: Source) -> None:
    for number, target in enumerate(TARGETS):
        search(source, target, 100 * SOURCES.index(source) + number, tmp_path, 20 if SEARCHING else 2)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("target", TARGETS, ids=[each.name for each in TARGETS])
def test_larger_arrays_of_several_passes(tmp_path: Path, target: Target) -> None:
    """16 MiB with chunks that do not divide, at the least budget: the axes are done one after the other."""
    case: dict[str, Any] = {"shape": (131, 90, 89), "dtype": "complex128", "source_chunks": (33, 32, 31), "target_chunks": (40, 41, 30), "operation": "fft"}
    case |= {"axes": None, "norm": "backward", "budget": 1.0}
    check(tmp_path, SOURCES[TARGETS.index(target)], target, case)
    assert np.prod(case["shape"]) * 16 > 15 * MIB
