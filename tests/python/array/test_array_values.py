# SPDX-License-Identifier: Apache-2.0
"""What is written exactly, what NumPy may read without being told so, and options that do not exist."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import octavo
import pytest

pytestmark = pytest.mark.timeout(120)


@pytest.mark.parametrize(
    ("dtype", "values"),
    [
        ("uint64", [2**63 + 5, 3]),
        ("uint64", [[2**64 - 1, 0], [1, 2**53 + 1]]),
        ("int64", [-(2**63), 2**63 - 1]),
        ("uint64", 2**63 + 7),
        ("uint8", [255, 0]),
    ],
)
def test_integers_of_python_are_written_exactly(tmp_path: Path, dtype: str, values: Any) -> None:
    want = np.array(values, dtype)
    with octavo.create_array(tmp_path / "a.npy", (2, 2), dtype) as a:
        a[...] = values
        assert np.array_equal(a[...], np.broadcast_to(want, (2, 2)))


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("values", [[2**64, 3], [[2**70, -1], [0, 1]], 2**64])
def test_integers_of_any_size_are_written_into_floating_arrays(tmp_path: Path, dtype: str, values: Any) -> None:
    with octavo.create_array(tmp_path / "a.npy", (2, 2), dtype) as a:
        a[...] = values
        assert np.array_equal(a[...], np.broadcast_to(np.array(values, dtype), (2, 2)))


@pytest.mark.parametrize("values", [[1, 2, 3], [True, False, True], [1.5, 2, 3], [1j, 2, 3], [np.int8(1), 2, 3], (1, 2, 3), [2**62 + 1, 2, 3]])
@pytest.mark.parametrize("dtype", ["int64", "float64", "complex128"])
def test_a_list_is_what_numpy_makes_of_it(tmp_path: Path, dtype: str, values: Any) -> None:
    with octavo.create_array(tmp_path / "a.npy", (3,), dtype) as a:
        if "bifc".index(np.dtype(dtype).kind) >= "bifc".index(np.asarray(values).dtype.kind):
            a[...] = values
            assert np.array_equal(a[...], np.asarray(values).astype(dtype)) and a[...].dtype == dtype
        else:
            with pytest.raises(octavo.UsageError, match=rf"{np.asarray(values).dtype} to {dtype} would lose"):
                a[...] = values


@pytest.mark.parametrize(
    ("dtype", "values", "words"),
    [
        ("uint64", [2**64, 3], r"18446744073709551616 is outside uint64"),
        ("uint64", [2**63 + 5, -1], r"-1 is outside uint64"),
        ("int64", [2**63 + 5, -1], r"9223372036854775813 is outside int64"),
        ("int32", [1.5, 2], r"float64 to int32 would lose"),
        ("int64", [2.0**70, 1], r"float64 to int64 would lose"),
        ("int64", [None, 2], r"object to int64.*no number"),
    ],
)
def test_what_does_not_fit_is_refused_before_anything_is_written(tmp_path: Path, dtype: str, values: Any, words: str) -> None:
    with octavo.create_array(tmp_path / "a.npy", (2,), dtype) as a:
        a[...] = 1
        with pytest.raises(octavo.UsageError, match=words):
            a[...] = values
        assert (a[...] == 1).all()


WITHOUT_A_WORD: list[Callable[[octavo.Array], Any]] = [
    np.asarray,
    lambda a: np.add(a, 1),
    lambda a: np.zeros(3) == a,
    lambda a: a + np.ones(1),  # type: ignore[operator]
    lambda a: np.asarray(a, "complex128"),
]


@pytest.mark.parametrize("use", WITHOUT_A_WORD)
def test_numpy_reads_what_the_memory_holds_and_no_more(tmp_path: Path, use: Callable[[octavo.Array], Any]) -> None:
    octavo.create_array(tmp_path / "a.npy", (1 << 20,), "float64").close()
    small = octavo.open_array(tmp_path / "a.npy", memory="6MiB")
    with pytest.raises(octavo.Refused, match=r"takes (8|16) MiB, more than the memory it was opened with, 6 MiB.*a\[lo:hi\]"):
        use(small)
    assert small[...].nbytes == 8 << 20, "an index says what is read"
    assert np.asarray(small, "float32").nbytes == 4 << 20
    large = octavo.open_array(tmp_path / "a.npy", memory="16MiB")
    assert np.asarray(large).nbytes == 8 << 20


CALLS: dict[str, tuple[Callable[[Path], Any], str]] = {
    "fftn": (lambda path: octavo.fft.fftn(path, out="b.zarr", chunk=(2, 2)), r"fftn\(\) has no option 'chunk': did you mean 'chunks'\?"),
    "ifftn": (lambda path: octavo.fft.ifftn(path, out="b.zarr", compression="zstd"), r"ifftn\(\) has no option 'compression': did you mean 'compressor'\?"),
    "copy": (lambda path: octavo.copy(path, "b.zarr", mem="1GiB"), r"copy\(\) has no option 'mem'.*memory"),
    "copy of axes": (lambda path: octavo.copy(path, "b.zarr", axes=(0,)), r"copy\(\) has no option 'axes'"),
    "Job": (lambda path: octavo.Job(path, "b.zarr", overwite=True), r"Job\(\) has no option 'overwite': did you mean 'overwrite'\?"),  # type: ignore[call-arg]
    "create_array": (
        lambda path: octavo.create_array(path, (2, 2), "float32", compress="zstd"),  # type: ignore[call-arg]
        r"create_array\(\) has no option 'compress': did you mean 'compressor'\?",
    ),
    "open_array": (lambda path: octavo.open_array(path, color="red"), r"open_array\(\) has no option 'color'\. It has path, mode, memory"),  # type: ignore[call-overload]
    "info": (lambda path: octavo.info(path, ofset=3), r"info\(\) has no option 'ofset': did you mean 'offset'\?"),  # type: ignore[call-arg]
}


@pytest.mark.parametrize("call", CALLS)
def test_an_option_that_is_none_is_named_as_it_was_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    monkeypatch.chdir(tmp_path)
    np.save("a.npy", np.zeros((4, 4)))
    work, words = CALLS[call]
    with pytest.raises(octavo.UsageError, match=words):
        work(Path("a.npy"))
    assert [each.name for each in tmp_path.iterdir()] == ["a.npy"]


def test_the_options_of_jobs_are_taken_by_all_that_run_one(tmp_path: Path) -> None:
    np.zeros(64).tofile(tmp_path / "a.raw")
    more = {"shape": (8, 8), "dtype": "float64", "offset": 0, "big_endian": False, "cores": 1, "chunks": (4, 4), "zarr_format": 2, "scratch": tmp_path}
    octavo.fft.fftn(tmp_path / "a.raw", out=tmp_path / "b.zarr", progress=False, **more).close()
    octavo.copy(tmp_path / "a.raw", tmp_path / "c.zarr", progress=False, **more).close()
