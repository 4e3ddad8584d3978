# SPDX-License-Identifier: Apache-2.0
"""The library's devices as objects of Python, and classes derived from them, which compute where the pages lie."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import octavo
import pytest
from hypothesis import given
from hypothesis import strategies as st
from programs_kit import run_program

pytestmark = pytest.mark.timeout(60)

Array = npt.NDArray[np.complex128]


class Summing(octavo.devices.PageFile):
    """Computes with its pages."""

    def total(self, page: int) -> complex:
        return complex(self.read(page).sum())

    def scale(self, page: int, by: float) -> None:
        self.write(self.read(page) * by, page)


def some(seed: int = 0) -> Array:
    random = np.random.default_rng(seed)
    return random.standard_normal((8, 16)) + 1j * random.standard_normal((8, 16))


@pytest.fixture
def device(tmp_path: Path) -> Summing:
    return octavo.process.make(Summing, str(tmp_path / "pages"), 4, (8, 16), np.complex128)


def test_a_derived_class_computes_next_to_the_pages(device: Summing) -> None:
    device.write(some(), 2)
    assert device.total(2) == complex(some().sum())
    device.scale(2, 2)
    assert np.array_equal(device.read(2), some() * 2)
    assert device.read(1).sum() == 0  # never written
    facts = device.facts()
    assert (facts.page, facts.pages, facts.dtype) == ((8, 16), 4, np.dtype(np.complex128))


def test_d9_it_tells_where_its_time_went(device: Summing) -> None:
    device.write(some(), 1)
    device.total(1)
    told = device.counters()
    assert told.phases.writing.bytes == told.bytes_written > 0
    assert told.phases.reading.bytes == told.bytes_read > 0
    names = ("reading", "caching", "computing", "network", "writing", "waiting")
    assert sum(getattr(told.phases, name).seconds for name in names) + told.phases.idle == pytest.approx(told.phases.wall, abs=1e-6)


def test_a_page_travels_without_a_copy(tmp_path: Path) -> None:
    device = octavo.process.make(octavo.devices.PageFile, tmp_path / "pages", 2, (256, 256))
    values = octavo.empty((256, 256), np.uint8)
    values[:] = np.arange(256)
    device.write(values, 0)
    before = device.counters().road_bytes
    read = device.read(0)
    sent = device.counters().road_bytes - before
    assert np.array_equal(read, values)
    assert sent < 4096 < read.nbytes


@given(seed=st.integers(0, 9), first=st.integers(0, 8), second=st.integers(0, 16), low=st.integers(-9, 8), high=st.integers(-20, 20))
def test_parts_are_numpys(tmp_path_factory: pytest.TempPathFactory, seed: int, first: int, second: int, low: int, high: int) -> None:
    local = octavo.devices.PageFile(tmp_path_factory.mktemp("device") / "pages", 2, (8, 16), np.complex128)
    expected = np.zeros((8, 16), np.complex128)
    for part in ((slice(0, first), slice(second, None)), (slice(low, None), slice(None, high))):
        values = some(seed)[part]
        if values.size == 0:
            continue
        local.write(values, 1, part)
        expected[part] = values
        assert np.array_equal(local.read(1, part), values)
        assert np.array_equal(local.read_permuted(1, (1, 0), part), values.T)
    assert np.array_equal(local.read(1), expected)
    assert local.read(1, dtype=np.complex64).dtype == np.complex64
    local.close()


def test_permuted_behind_and_ahead(tmp_path: Path) -> None:
    device = octavo.process.make(octavo.devices.PageFile, tmp_path / "pages", 3, (4, 6), np.float32, cache="1MiB")
    values = np.arange(24, dtype=np.float32).reshape(4, 6)
    device.write_permuted(values.T, 0, (1, 0))
    device.write_behind(values + 1, 1)
    device.flush()
    device.prefetch(0)
    assert np.array_equal(device.read(0), values)
    assert np.array_equal(device.read(1), values + 1)
    assert device.counters().bytes_written > 0


def test_a_file_of_bytes_that_another_process_reads_later(tmp_path: Path) -> None:
    path = tmp_path / "pages"
    first = octavo.process.make(octavo.devices.PageFile, path, 4, 4096)
    first.write(np.full(4096, 7, np.uint8), 3)
    first.flush()
    octavo.destroy(first)
    again = octavo.process.make(octavo.devices.PageFile, path, 4, 4096)
    assert again.read(3).tolist() == [7] * 4096


def test_a_zarr_array_is_a_device(tmp_path: Path) -> None:
    zarr = pytest.importorskip("zarr")
    values = np.arange(64.0).reshape(8, 8)
    zarr.create_array(tmp_path / "a.zarr", shape=(8, 8), chunks=(4, 8), dtype="float64", compressors=None)[:] = values
    device = octavo.process.make(octavo.devices.ZarrDevice, tmp_path / "a.zarr")
    assert np.array_equal(device.read(1), values[4:])
    device.write(values[:4] * 2, 1)
    device.flush()
    assert np.array_equal(zarr.open_array(tmp_path / "a.zarr")[4:], values[:4] * 2)


def test_what_is_wrong_is_said_and_the_device_lives_on(device: Summing, tmp_path: Path) -> None:
    for wrong, words in (
        (lambda: device.read(4), "which has 4 pages"),
        (lambda: device.write(np.zeros((3, 3)), 0), "3 x 3"),
        (lambda: device.read(0, (slice(0, 1),)), "1 slices"),
        (lambda: device.read(0, (slice(0, 8, 2), slice(None))), "steps of 1"),
    ):
        with pytest.raises(octavo.UsageError, match=words):
            wrong()  # type: ignore[no-untyped-call]
    with pytest.raises(octavo.NotSupported):
        device.write(np.zeros((8, 16), bool), 0)
    with pytest.raises(octavo.IoError, match="Not a directory"):
        octavo.process.make(octavo.devices.PageFile, tmp_path / "pages" / "within", 1, 4096)
    device.write(some(), 0)
    device.close()
    with pytest.raises(octavo.UsageError, match="closed"):
        device.read(0)


def test_what_is_written_behind_is_what_it_was(tmp_path: Path) -> None:
    device = octavo.devices.PageFile(tmp_path / "pages", 4, 1 << 20, cache="64MiB")
    array = octavo.empty(1 << 20, np.uint8)
    for page in range(4):
        array[:] = 1
        device.write_behind(array, page)
        array[:] = 2
    device.flush()
    assert [int(device.read(page).max()) for page in range(4)] == [1] * 4
    device.close()


def test_several_threads_use_one_device_and_one_closes_it(tmp_path: Path) -> None:
    run_program(
        tmp_path,
        """
        import numpy
        device = octavo.devices.PageFile("pages", 8, 1 << 20, cache="16MiB")
        ends = time.monotonic() + 2
        def use(work):
            page = 0
            try:
                while time.monotonic() < ends + 5:
                    work(page % 8)
                    page += 1
            except octavo.UsageError as error:
                assert "closed" in str(error)
        works = [device.read, device.read, device.prefetch, device.prefetch, lambda page: device.write(numpy.ones(1 << 20, numpy.uint8), page)]
        threads = [threading.Thread(target=use, args=(work,)) for work in works]
        for each in threads:
            each.start()
        while time.monotonic() < ends:
            time.sleep(0.01)
        device.close()
        for each in threads:
            each.join()
        """,
        seconds=60,
    )


def test_a_device_that_outlives_the_program_s_runtime(tmp_path: Path) -> None:
    run_program(tmp_path, 'device = octavo.devices.PageFile("pages", 4, 1 << 20, cache="16MiB")\nfor page in range(4):\n    device.prefetch(page)\n')
