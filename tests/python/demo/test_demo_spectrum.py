# SPDX-License-Identifier: Apache-2.0
"""The demo's parts against dense NumPy: shells, E(k), the fit, the drawn spectrum, blocks; what it writes and reads by octavo.Array; NIfTI."""

from __future__ import annotations

import sys
from functools import reduce
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "examples" / "demo"))

import blocks
import field
import mri
import spectrum
from kit import noise, read, write_zarr

shapes = st.lists(st.integers(1, 9), min_size=1, max_size=3).map(tuple)


def radius(shape: tuple[int, ...]) -> np.ndarray:
    """|k| of each element, the straightforward way."""
    return np.sqrt(sum(np.square(k) for k in np.meshgrid(*(np.fft.fftfreq(n, 1 / n) for n in shape), indexing="ij")))


@given(shape=shapes, data=st.data())
def test_parts_cover_each_element_once(shape: tuple[int, ...], data: st.DataObject) -> None:
    chunk = tuple(data.draw(st.integers(1, n + 2)) for n in shape)
    seen = np.zeros(shape, int)
    for part in blocks.parts(shape, chunk):
        assert seen[part].size > 0
        seen[part] += 1
    assert (seen == 1).all()
    worked = list(blocks.each_part(shape, chunk, lambda part: part))
    assert worked == list(blocks.parts(shape, chunk))


@given(shape=shapes, data=st.data())
def test_shells_are_those_of_a_dense_computation(shape: tuple[int, ...], data: st.DataObject) -> None:
    chunk = tuple(data.draw(st.integers(1, n)) for n in shape)
    values = noise(shape, "complex64")
    shells = spectrum.Shells(shape)
    sums = reduce(spectrum.Sums.__add__, (spectrum.shell_sums(shells, part, values[part]) for part in blocks.parts(shape, chunk)))
    shell = np.rint(radius(shape)).astype(int)
    for k in range(shells.count):
        assert sums.elements[k] == (shell == k).sum()
        assert sums.power[k] == pytest.approx((np.abs(values[shell == k].astype(complex)) ** 2).sum())
    assert sums.elements.sum() == values.size


def test_energy_of_a_single_wave() -> None:
    n = 16
    wave = np.cos(2 * np.pi * 3 * np.arange(n) / n) * np.ones((n, n, n))  # mean square 1/2, in two elements at |k| = 3
    shells = spectrum.Shells(wave.shape)
    sums = spectrum.shell_sums(shells, (slice(0, n),) * 3, np.fft.fftn(wave))
    energy = spectrum.energy(sums, wave.shape)
    elements = (np.rint(radius(wave.shape)) == 3).sum()
    assert len(energy) == n // 2 + 1
    assert energy[3] == pytest.approx(0.5 / elements * 4 * np.pi * 9)
    assert np.abs(np.delete(energy, 3)).max() < 1e-20


def test_fit_finds_a_power_law() -> None:
    k = np.arange(1, 101, dtype=float)
    slope, factor = spectrum.fit(np.concatenate([[0], 7 * k**-1.4]), 5, 90)
    assert slope == pytest.approx(-1.4)
    assert factor == pytest.approx(7)


@given(start=st.integers(0, 30), extent=st.integers(1, 40))
def test_slabs_cover_each_plane_once(start: int, extent: int) -> None:
    values = np.arange(100)
    part = (slice(start, start + extent), slice(3, 5))
    pieces = list(blocks.slabs(part))
    assert np.concatenate([values[piece[0]] for _, piece in pieces]).tolist() == values[part[0]].tolist()
    for planes, piece in pieces:
        assert np.array_equal(values[part[0]][planes], values[piece[0]])
        assert piece[1:] == part[1:]
        assert piece[0].stop - piece[0].start <= blocks.PLANES


@pytest.mark.parametrize("n", [8, 9, 12, 20])
def test_field_is_real_and_its_transform_is_what_was_drawn(n: int) -> None:
    drawn = field.Drawn(n)
    whole = (slice(0, n),) * 3
    values = drawn.part(whole)
    back = np.fft.ifftn(values.astype(complex))
    assert np.abs(back.imag).max() <= 1e-6 * np.abs(back.real).max()
    assert spectrum.largest_of(values - np.fft.fftn(back.real)) <= 1e-6 * np.abs(values).max()
    for part in blocks.parts(drawn.shape, (5, 3, 4)):  # any element again, in any part
        assert np.array_equal(drawn.part(part), values[part])


def test_drawn_spectrum_has_the_energy_and_random_phases() -> None:
    n = 48
    drawn = field.Drawn(n)
    values = drawn.part((slice(0, n),) * 3)
    k = radius(drawn.shape)
    some = k > 0
    density = field.model(k[some]) / (4 * np.pi * k[some] ** 2) / field.model(np.arange(1, n // 2 + 1)).sum()
    assert np.allclose(np.abs(values[some]) ** 2 / n**6, density, rtol=1e-4)
    assert values[0, 0, 0] == 0
    directions = values[some] / np.abs(values[some])
    assert abs(directions.mean()) < 4 / np.sqrt(directions.size)
    neighbours = values[:, :, 1:] * values[:, :, :-1].conj()
    pairs = neighbours[np.abs(neighbours) > 0]
    assert abs((pairs / np.abs(pairs)).mean()) < 4 / np.sqrt(pairs.size)
    assert not np.array_equal(values, field.Drawn(n, seed=2).part((slice(0, n),) * 3))


def test_model_is_the_power_law_above_the_energetic_scale() -> None:
    k = np.array([12.0, 50.0, 230.0])
    assert np.allclose(field.model(k), k ** (-5 / 3), rtol=1e-3)
    assert field.model(np.array([0.0]))[0] == 0
    assert np.argmax(field.model(np.arange(1, 100))) + 1 in (field.ENERGETIC, field.ENERGETIC + 1)


def test_what_is_drawn_and_kept_is_on_the_disk(tmp_path: Path) -> None:
    drawn, chunk = field.Drawn(9), (2, 3, 4)  # chunks that hang over the edge
    want = drawn.part((slice(0, 9),) * 3)
    field.write_drawn(tmp_path / "drawn.zarr", drawn, chunk)
    assert np.array_equal(read(tmp_path / "drawn.zarr"), want)
    squares = field.write_real_part(tmp_path / "drawn.zarr", tmp_path / "real.zarr", chunk)
    assert np.array_equal(read(tmp_path / "real.zarr"), want.real)
    assert squares == pytest.approx(np.square(want.real, dtype=float).sum())


def test_measure_finds_the_one_element_that_differs(tmp_path: Path) -> None:
    drawn = field.Drawn(20)
    values = drawn.part((slice(0, 20),) * 3)
    write_zarr(tmp_path / "right.zarr", values, (16, 7, 20))
    assert spectrum.measure(tmp_path / "right.zarr", drawn).error == 0
    values[17, 13, 5] += 7
    write_zarr(tmp_path / "wrong.zarr", values, (16, 7, 20))
    sums = spectrum.measure(tmp_path / "wrong.zarr", drawn)
    assert sums.error == pytest.approx(7)
    assert sums.largest == pytest.approx(np.abs(drawn.part((slice(0, 20),) * 3)).max())
    assert sums.power.sum() == pytest.approx((np.abs(values.astype(complex)) ** 2).sum())


@pytest.mark.parametrize(("name", "big_endian"), [("anatomical.nii", True), (mri.SCAN, False)])
def test_nifti_is_read_where_its_elements_lie(tmp_path: Path, name: str, big_endian: bool) -> None:
    nibabel = pytest.importorskip("nibabel")
    pytest.importorskip("scipy")
    done = mri.compare(tmp_path, name)
    image = nibabel.load(Path(nibabel.__file__).parent / "tests" / "data" / name)
    assert (done.volume.big_endian, done.volume.shape) == (big_endian, image.shape[::-1])
    assert done.raw_error <= 1e-12
    assert done.error <= 1e-12
