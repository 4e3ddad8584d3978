# SPDX-License-Identifier: Apache-2.0
"""Scattered elements of compressed chunks, written back: exactly those, and each chunk coded once for all of them (BA-2)."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import octavo
import pytest
from octavo.buffered_arrays.opening import BufferedHandle

pytestmark = pytest.mark.timeout(120)
SHAPE, CHUNKS = (300, 90), (100, 40)
FORMATS: dict[str, dict[str, Any]] = {
    "zstd.zarr": {"compressor": "zstd"},
    "shards.zarr": {"compressor": "zstd", "shards": (200, 80)},
    "bz2.zarr": {},  # by zarr-python
    "gzip.h5": {"compressor": "gzip"},
}


@pytest.fixture(params=FORMATS)
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    if request.param.endswith("h5"):
        pytest.importorskip("h5py")
    made = tmp_path / request.param
    if request.param.startswith("bz2"):
        zarr, numcodecs = pytest.importorskip("zarr"), pytest.importorskip("numcodecs")
        zarr.create_array(made, shape=SHAPE, chunks=CHUNKS, dtype="f8", zarr_format=2, compressors=numcodecs.BZ2())[...] = numbers()
        return made
    with octavo.create_array(made, SHAPE, "float64", chunks=CHUNKS, **FORMATS[request.param]) as a:
        a[...] = numbers()
    return made


def numbers() -> npt.NDArray[np.float64]:
    return np.random.default_rng(53).random(SHAPE)


def test_ba2_scattered_elements_are_written_and_no_other(path: Path) -> None:
    model = numbers()
    for part in ((slice(None, None, 2), slice(1, None, 3)), (slice(7, 9), slice(None)), (299, 89)):
        with octavo.buffered(path, mode="r+") as u:
            u[part] = -1
            model[part] = -1
            u.writeback()
        with octavo.open_array(path) as a:
            np.testing.assert_array_equal(a[...], model)


def test_ba2_a_library_writes_each_chunk_once(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[tuple[int, ...]] = []
    put = BufferedHandle._put

    def counted(self: BufferedHandle, lo: list[list[int]], parts: list[npt.NDArray[Any]]) -> None:
        written.extend(each.shape for each in parts)
        put(self, lo, parts)

    monkeypatch.setattr(BufferedHandle, "_put", counted)
    with octavo.buffered(path, mode="r+") as u:
        u[::2, ::3] = 5
        u[299, 89] = 6  # alone in its row
        u.writeback()
    if path.name in ("bz2.zarr", "gzip.h5"):
        assert len(written) <= 9
    else:
        assert written == [], "Octavo codes these itself"


def test_ba2_who_has_its_name_writes_no_element_of_another(tmp_path: Path) -> None:
    octavo.create_array(tmp_path / "a.zarr", 4000, "float64", chunks=2000, compressor="zstd").close()
    with octavo.Runtime(home=str(tmp_path / "home")):
        try:
            octavo.named("ov://home/scattered").make_array(str(tmp_path / "a.zarr")).close()
            with octavo.buffered("ov://home/scattered", mode="r+") as u, octavo.open_array("ov://home/scattered", mode="r+") as other:
                u[::2] = 1  # reads nothing
                other[...] = 2
                u.writeback()
                np.testing.assert_array_equal(other[...], np.tile([1.0, 2.0], 2000))
        finally:
            octavo.naming.destroy_array("ov://home/scattered")
            octavo.naming.end_lasting_agent()


def test_ba6_ctrl_c_within_calls_of_a_library_is_heard_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("h5py")
    octavo.create_array(tmp_path / "a.h5", (40, 1000), "float64", chunks=(1, 1000), compressor="gzip").close()
    put, begun = BufferedHandle._put, []

    def interrupted(self: BufferedHandle, lo: list[list[int]], parts: list[npt.NDArray[Any]]) -> None:
        begun.append(lo)
        if len(begun) == 3:
            signal.raise_signal(signal.SIGINT)
        put(self, lo, parts)

    monkeypatch.setattr(BufferedHandle, "_put", interrupted)
    with octavo.buffered(tmp_path / "a.h5", mode="r+") as u:
        u[:, ::2] = 5
        with pytest.raises(KeyboardInterrupt):
            u.writeback()
        assert len(begun) == 3 and u.dirty_elements > 0
        u.writeback()
        assert u.dirty_elements == 0
    with octavo.open_array(tmp_path / "a.h5") as a:
        assert a.sum() == 5 * 40 * 500
