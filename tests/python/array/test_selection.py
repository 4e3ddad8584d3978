# SPDX-License-Identifier: Apache-2.0
"""What an index selects, how a selection is cut into blocks, and which pages an array gets, against NumPy and by hand."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import octavo
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from octavo import _core
from octavo._src.indexing.blocks import blocks
from octavo._src.indexing.selection import Selection, select
from octavo._src.new_targets import chosen_chunks

SHAPES = hnp.array_shapes(min_dims=1, max_dims=5, min_side=0, max_side=7)


def indices(shape: tuple[int, ...]) -> st.SearchStrategy[Any]:
    return hnp.basic_indices(shape, max_dims=8, allow_newaxis=True, allow_ellipsis=True)


@st.composite
def selections(draw: st.DrawFn, shapes: st.SearchStrategy[tuple[int, ...]] = SHAPES) -> tuple[tuple[int, ...], Any]:
    shape = draw(shapes)
    return shape, draw(indices(shape))


def taken(data: Any, s: Selection) -> Any:
    return data[(*(slice(lo, lo + by * count, by) for lo, by, count in zip(s.lo, s.step, s.counts, strict=True)), ...)]


def numbered(shape: tuple[int, ...]) -> Any:
    return np.arange(math.prod(shape)).reshape(shape)


@given(selections())
def test_the_box_seen_through_the_view_is_what_numpy_selects(case: tuple[tuple[int, ...], Any]) -> None:
    shape, index = case
    data = numbered(shape)
    s = select(index, shape)
    want = data[index]
    assert s.shape == want.shape
    assert s.scalar == (not isinstance(want, np.ndarray))
    assert all(lo >= 0 and by >= 1 for lo, by in zip(s.lo, s.step, strict=True))
    result = np.full(s.shape, -1)
    view = s.view(result)
    assert view.shape == s.counts
    view[...] = taken(data, s)
    np.testing.assert_array_equal(result, want)


@given(selections(), st.randoms(use_true_random=False))
def test_transposed_is_numpys_transpose(case: tuple[tuple[int, ...], Any], random: Any) -> None:
    shape, index = case
    data = numbered(shape)
    want = np.asarray(data[index])
    axes = random.sample(range(want.ndim), want.ndim)
    s = select(index, shape).transposed([axis - random.choice((0, want.ndim)) for axis in axes])
    result = np.full(s.shape, -1)
    s.view(result)[...] = taken(data, s)
    np.testing.assert_array_equal(result, want.transpose(axes))


@pytest.mark.parametrize("axes", [(0,), (0, 0), (0, 2), (0, 1, 2), (-3, 0)])
def test_axes_that_are_no_permutation_are_refused(axes: tuple[int, ...]) -> None:
    with pytest.raises(octavo.UsageError, match="no permutation of the 2 axes"):
        select(..., (3, 4)).transposed(axes)


@given(selections(), st.lists(st.integers(1, 9), min_size=5, max_size=5), st.integers(1, 200))
@example(((7, 5), np.s_[::-1, None, ::-2]), [2, 2, 1, 1, 1], 8)
def test_blocks_cover_the_selection_once_within_the_limit(case: tuple[tuple[int, ...], Any], pages: list[int], limit: int) -> None:
    shape, index = case
    s = select(index, shape)
    if math.prod(s.counts) == 0:
        return
    data = numbered(shape)
    seen = np.zeros(s.shape, int)
    got = np.full(s.shape, -1)
    for start, counts in blocks(s, pages[: len(shape)], 2, limit):
        assert math.prod(counts) >= 1
        assert math.prod(counts) * 2 <= max(2, limit)
        part, where = s.part(start, counts), s.slices(start, counts)
        seen[(*where, ...)] += 1
        part.view(got[(*where, ...)])[...] = taken(data, part)
    assert (seen == 1).all()
    np.testing.assert_array_equal(got, np.asarray(data[index]))


def test_a_block_is_made_of_whole_pages() -> None:
    found = list(blocks(select(np.s_[5:100, :], (128, 100)), (32, 10), 1, 32 * 45))
    assert {start[0] for start, _ in found} == {0, 27, 59, 91}  # pages begin at rows 0, 32, 64 and 96
    assert {start[1] for start, _ in found} == {0, 40, 80}
    assert len(found) == len(set(found)) == 12


def test_blocks_of_a_file_without_pages_are_runs_of_rows() -> None:
    found = list(blocks(select(..., (100, 50)), (100, 50), 8, 50 * 8 * 7))
    assert found == [((row, 0), (min(7, 100 - row), 50)) for row in range(0, 100, 7)]


OUT_OF_RANGE = [3, -4, (0, 9), (0, 0, 5), (0, 0, 0, 0), (..., ...), "x", b"x", 1.5, (0, 2.5), 2**70, np.float64(1), np.ones(2), (slice(None), 4)]


@pytest.mark.parametrize("index", [*OUT_OF_RANGE, slice(0, 2, 0), slice(0.5, 2), (None,) * 65, slice("a")])
def test_errors_are_numpys(index: Any) -> None:
    with pytest.raises((IndexError, ValueError, TypeError)) as numpys:
        np.zeros((3, 4, 5))[index]
    with pytest.raises(numpys.type) as ours:
        select(index, (3, 4, 5))
    assert ours.type is numpys.type
    if "out of bounds" in str(numpys.value) or "too many" in str(numpys.value) or "step" in str(numpys.value):
        assert str(ours.value) == str(numpys.value)


@pytest.mark.parametrize(
    ("index", "kind"),
    [
        (np.array([True, False, True]), "boolean"),
        (True, "boolean"),
        (np.True_, "boolean"),
        ((0, False), "boolean"),
        ([0, 1], "list"),
        (np.array([0, 1]), "ndarray"),
        ((slice(None), [1]), "list"),
        (range(2), "range"),
        (((0, 1), 1), "tuple"),
    ],
)
def test_advanced_indices_are_not_supported_and_the_cure_is_named(index: Any, kind: str) -> None:
    with pytest.raises(octavo.NotSupported, match=rf"{kind} index .* a\[lo:hi\]\[mask\]"):
        select(index, (3, 4))


@pytest.mark.parametrize("one", [np.int8(-2), np.uint64(1), np.array(1)])
def test_integers_of_numpy_are_integers(one: Any) -> None:
    assert select(one, (3, 4)) == select(int(one), (3, 4))
    assert select(slice(one, None, np.int64(2)), (3, 4)) == select(slice(int(one), None, 2), (3, 4))


def test_numbers_lie_within_the_axis_whatever_the_slice() -> None:
    s = select((slice(1, 2**80, 2**70), slice(None, None, -(2**65)), slice(2**64, 0, -3)), (5, 6, 10))
    assert (s.lo, s.step, s.counts, s.reversed) == ((1, 5, 3), (1, 1, 3), (1, 1, 3), (False, False, True))


@pytest.mark.parametrize(
    ("shape", "itemsize", "want"),
    [
        ((), 8, ()),
        ((0,), 8, (1,)),
        ((100, 100), 8, (100, 100)),
        ((10**9,), 8, (524288,)),
        ((1024, 1024, 1024), 16, (64, 64, 64)),
        ((1024, 1024, 1024), 8, (64, 64, 128)),
        ((1024, 1024, 1024), 4, (64, 128, 128)),
        ((3, 4096, 4096), 4, (3, 512, 512)),
        ((65, 65, 65), 16, (33, 33, 33)),
        ((100, 100, 100), 8, (50, 50, 100)),
        ((1000, 1000, 1000), 16, (64, 64, 64)),
    ],
)
def test_default_chunks(shape: tuple[int, ...], itemsize: int, want: tuple[int, ...]) -> None:
    assert tuple(_core.default_chunk(list(shape), itemsize)) == want


@given(hnp.array_shapes(min_dims=1, max_dims=8, min_side=0, max_side=5000), st.sampled_from([1, 2, 4, 8, 16]))
def test_default_chunks_are_cubic_and_about_4_mib(shape: tuple[int, ...], itemsize: int) -> None:
    chunks = tuple(_core.default_chunk(list(shape), itemsize))
    assert all(1 <= chunk <= max(1, extent) for chunk, extent in zip(chunks, shape, strict=True))
    assert math.prod(chunks) * itemsize <= _core.default_chunk_bytes
    cut = [chunk for chunk, extent in zip(chunks, shape, strict=True) if chunk < extent]
    for one, other in itertools.permutations(cut, 2):
        assert one <= 4 * other
    stored = math.prod(-(-extent // chunk) * chunk for extent, chunk in zip(shape, chunks, strict=True))
    assert 0 in shape or stored <= math.prod(shape) * 1.25 ** len(shape)


@example((1_000_000, 2), 8, 1 << 30)
@example((240, 2, 2, 100_000), 16, 64 << 20)
@given(hnp.array_shapes(min_dims=1, max_dims=4, min_side=1, max_side=5000), st.sampled_from([1, 2, 4, 8, 16]), st.integers(1 << 20, 1 << 32))
def test_no_chosen_chunk_of_a_compressed_target_is_needlessly_small(shape: tuple[int, ...], itemsize: int, memory: int) -> None:
    chunk = math.prod(chosen_chunks(shape, shape, itemsize, memory)) * itemsize
    assert chunk <= max(64 << 10, memory // 64)
    assert chunk >= min(math.prod(shape) * itemsize, 4 << 20, max(64 << 10, memory // 64)) // 16
