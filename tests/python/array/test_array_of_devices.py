# SPDX-License-Identifier: Apache-2.0
"""octavo.devices.array_of: arrays over given devices, also of classes of Python that compute next to their pages (Givelberg, process inheritance)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import octavo
import pytest

pytestmark = pytest.mark.timeout(120)

SHAPE, PAGE = (16, 12, 8), (8, 4, 8)


class Summing(octavo.devices.PageFile):
    """Sums what it keeps where it lies."""

    def total(self) -> complex:
        return complex(sum(self.read(page).sum() for page in range(self.facts().pages)))

    def first(self, page: int) -> complex:
        return complex(self.read(page)[0, 0, 0])

    def set_all(self, value: complex) -> None:
        for page in range(self.facts().pages):
            self.write(np.full(self.facts().page, value), page)

    async def total_later(self) -> complex:
        return self.total()


class Uninitialised(octavo.devices.PageFile):
    def __init__(self) -> None:
        """Without that of its base."""

    def value(self) -> int:
        return 3


def made(place: Any, folder: Path, count: int = 3, dtype: npt.DTypeLike = np.complex128, kind: Any = Summing) -> list[Any]:
    return [place.make(kind, folder / f"pages.{i}", 4, PAGE, dtype) for i in range(count)]


@pytest.fixture(autouse=True)
def cluster() -> Iterator[octavo.Runtime]:
    with octavo.Runtime(engine=octavo.played(["box"])) as made:
        yield made


@pytest.fixture(params=["process", "thread"])
def place(request: pytest.FixtureRequest) -> Any:
    return getattr(octavo, request.param)


@pytest.fixture
def elements() -> npt.NDArray[np.complex128]:
    numbers = np.random.default_rng(1)
    return numbers.standard_normal(SHAPE) + 1j * numbers.standard_normal(SHAPE)


def test_it_is_opened_once_more(tmp_path: Path, elements: npt.NDArray[np.complex128]) -> None:
    with octavo.devices.array_of(SHAPE, PAGE, np.complex128, made(octavo.process, tmp_path)) as a:
        a[...] = elements
        with octavo.open_array(a) as read:
            np.testing.assert_array_equal(read[...], elements)
            with pytest.raises(octavo.UsageError, match="opened for reading"):
                read[0] = 1
        with octavo.open_array(a, mode="r+", memory="8MiB") as both:
            both[0] = 1
        assert (a[0] == 1).all()


def test_it_is_written_read_and_summed_where_it_lies(place: Any, tmp_path: Path, elements: npt.NDArray[np.complex128]) -> None:
    devices = made(place, tmp_path)
    with octavo.devices.array_of(SHAPE, PAGE, np.complex128, devices) as a:
        a[...] = elements
        np.testing.assert_array_equal(a[...], elements)
        np.testing.assert_array_equal(a[3:11:2, ::-1, 5], elements[3:11:2, ::-1, 5])
        a[2, 3:5] = 7
        assert a[2, 4, 1] == 7
        elements[2, 3:5] = 7
    assert sum(each.result() for each in [octavo.start(d.total) for d in devices]) == pytest.approx(elements.sum())
    assert sum(d.total_later() for d in devices) == pytest.approx(elements.sum())
    devices[0].set_all(1)
    again = octavo.devices.array_of(SHAPE, PAGE, np.complex128, devices)
    assert again.shape == SHAPE
    assert again.dtype == np.complex128
    assert (again[:8, :4] == 1).all()


def test_a_transform_in_place_and_to_others(place: Any, tmp_path: Path, elements: npt.NDArray[np.complex128]) -> None:
    (tmp_path / "others").mkdir()
    devices, others = made(place, tmp_path), made(octavo.process, tmp_path / "others", 2, kind=octavo.devices.PageFile)
    a = octavo.devices.array_of(SHAPE, PAGE, np.complex128, devices)
    a[...] = elements
    b = octavo.devices.array_of(SHAPE, PAGE, np.complex128, others, map="block_cyclic:2")
    spectrum = np.fft.fftn(elements)
    same = octavo.fft.fftn(a, out=b, memory="64MiB")
    np.testing.assert_allclose(b[...], spectrum, atol=1e-10)
    np.testing.assert_allclose(same[...], spectrum, atol=1e-10)
    np.testing.assert_array_equal(a[...], elements)
    octavo.fft.fftn(a, out=a, memory="64MiB")
    np.testing.assert_allclose(a[...], spectrum, atol=1e-10)
    assert sum(d.total() for d in devices) == pytest.approx(spectrum.sum())
    octavo.fft.ifftn(a, out=tmp_path / "back.zarr", memory="64MiB")
    np.testing.assert_allclose(octavo.open_array(tmp_path / "back.zarr")[...], elements, atol=1e-10)


def test_it_is_a_target_and_a_source_of_copies(tmp_path: Path, elements: npt.NDArray[np.complex128]) -> None:
    octavo.create_array(tmp_path / "from.zarr", SHAPE, np.complex128)[...] = elements
    devices = made(octavo.process, tmp_path)
    a = octavo.devices.array_of(SHAPE, PAGE, np.complex128, devices)
    octavo.copy(tmp_path / "from.zarr", a, memory="64MiB")
    assert sum(d.total() for d in devices) == pytest.approx(elements.sum())
    octavo.copy(a, tmp_path / "to.npy", memory="64MiB")
    np.testing.assert_array_equal(np.load(tmp_path / "to.npy"), elements)


class Reader:
    def mean(self, a: octavo.Array) -> complex:
        return complex(a[...].mean())

    def fill(self, a: octavo.Array, value: complex) -> None:
        a[...] = value
        a.flush()


def test_it_is_an_argument_of_a_method(tmp_path: Path, elements: npt.NDArray[np.complex128]) -> None:
    devices = made(octavo.process, tmp_path)
    a = octavo.devices.array_of(SHAPE, PAGE, np.complex128, devices)
    a[...] = elements
    reader = octavo.process.make(Reader)
    assert reader.mean(a) == pytest.approx(elements.mean())
    reader.fill(a, 2)
    assert a[5, 5, 5] == 2
    assert devices[1].first(0) == 2


def test_python_and_the_array_use_a_device_at_once(tmp_path: Path) -> None:
    devices = made(octavo.process, tmp_path)
    a = octavo.devices.array_of(SHAPE, PAGE, np.complex128, devices)
    begun = [octavo.start(d.set_all, n) for n in range(20) for d in devices]
    seen = [set(np.unique(a[...]).real) for _ in range(20)]
    for each in begun:
        each.result()
    assert all(values <= set(range(20)) for values in seen)
    assert (a[...] == 19).all()


def test_what_does_not_suit_is_refused(tmp_path: Path) -> None:
    devices = made(octavo.process, tmp_path, 2, np.float32)
    with pytest.raises(octavo.UsageError, match="without devices"):
        octavo.devices.array_of(SHAPE, PAGE, np.float32, [])
    with pytest.raises(octavo.UsageError, match=r"has pages of .* float32, and the array has pages of .* complex64"):
        octavo.devices.array_of(SHAPE, PAGE, np.complex64, devices)
    with pytest.raises(octavo.UsageError, match=r"has pages of .*8.*4.*8.*, and the array has pages of .*4.*4.*4"):
        octavo.devices.array_of(SHAPE, (4, 4, 4), np.float32, devices)
    with pytest.raises(octavo.UsageError, match="has the file of another one"):
        octavo.devices.array_of(SHAPE, PAGE, np.float32, [devices[0], devices[0]])
    with pytest.raises(octavo.UsageError, match="has 4 pages, and the array needs 6"):
        octavo.devices.array_of(SHAPE, PAGE, np.float32, devices[:1])
    with pytest.raises(octavo.UsageError, match="one extent for each of the 3 axes"):
        octavo.devices.array_of(SHAPE, (4, 4), np.float32, devices)
    with pytest.raises(octavo.UsageError, match=r"a map of type ndarray .*only make_array\(\) of octavo.named\(\) takes a table"):
        octavo.devices.array_of(SHAPE, PAGE, np.float32, devices, map=np.zeros((2, 3, 1, 2), int))  # type: ignore[arg-type]
    with pytest.raises(octavo.UsageError, match="takes a remote pointer, not int"):
        octavo.devices.array_of(SHAPE, PAGE, np.float32, [3])  # type: ignore[list-item]
    with pytest.raises(octavo.UsageError, match="an object of Python that is no device"):
        octavo.devices.array_of(SHAPE, PAGE, np.float32, [octavo.process.make(dict)])
    false = octavo.process.make(Uninitialised)
    with pytest.raises(octavo.UsageError, match="an object of Python that is no device"):
        octavo.devices.array_of(SHAPE, PAGE, np.float32, [false])
    assert false.value() == 3


def test_a_device_that_is_gone_or_closed_is_named(tmp_path: Path) -> None:
    devices = made(octavo.process, tmp_path)
    a = octavo.devices.array_of(SHAPE, PAGE, np.complex128, devices)
    a[...] = 1
    devices[1].close()
    with pytest.raises(octavo.UsageError, match="this device is closed"):
        a[...]
    octavo.destroy(devices[1])
    with pytest.raises(octavo.ProcessDied):
        a[...]


def test_on_another_machine(cluster: octavo.Runtime, tmp_path: Path, elements: npt.NDArray[np.complex128]) -> None:
    here = tmp_path / "here"
    here.mkdir()
    devices = [*made(cluster.machine("box"), tmp_path, 2), *made(octavo.process, here, 1)]
    a = octavo.devices.array_of(SHAPE, PAGE, np.complex128, devices)
    a[...] = elements
    octavo.fft.fftn(a, out=a, memory="64MiB")
    np.testing.assert_allclose(a[...], np.fft.fftn(elements), atol=1e-10)
    assert devices[0].total() != 0


def test_it_ends_with_its_runtime(cluster: octavo.Runtime, tmp_path: Path) -> None:
    a = octavo.devices.array_of(SHAPE, PAGE, np.complex128, made(octavo.process, tmp_path))
    a[...] = 1
    cluster.close()
    with pytest.raises(octavo.UsageError, match="ended with their Runtime"):
        a[...]
