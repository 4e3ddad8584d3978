# SPDX-License-Identifier: Apache-2.0
"""The demo's parts against dense NumPy: shells, E(k), the fit, the drawn spectrum, the reading and writing of chunks."""

from __future__ import annotations

import sys
from functools import reduce
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples" / "demo"))

import field
import spectrum
import stored
from kit import noise, read

shapes = st.lists(st.integers(1, 9), min_size=1, max_size=3).map(tuple)


def radius(shape: tuple[int, ...]) -> np.ndarray:
    """|k| of each element, the straightforward way."""
    return np.sqrt(sum(np.square(k) for k in np.meshgrid(*(np.fft.fftfreq(n, 1 / n) for n in shape), indexing="ij")))


@given(shape=shapes, data=st.data())
def test_parts_cover_each_element_once(shape: tuple[int, ...], data: st.DataObject) -> None:
    chunk = tuple(data.draw(st.integers(1, n + 2)) for n in shape)
    seen = np.zeros(shape, int)
    for part in stored.parts(shape, chunk):
        assert seen[part].shape == stored.size_of(part)
        seen[part] += 1
    assert (seen == 1).all()
    worked = list(stored.each_part(shape, chunk, lambda part: part))
    assert worked == list(stored.parts(shape, chunk))


@given(shape=shapes, data=st.data())
def test_shells_are_those_of_a_dense_computation(shape: tuple[int, ...], data: st.DataObject) -> None:
    chunk = tuple(data.draw(st.integers(1, n)) for n in shape)
    values = noise(shape, "complex64")
    shells = spectrum.Shells(shape)
    sums = reduce(spectrum.Sums.__add__, (spectrum.shell_sums(shells, part, values[part]) for part in stored.parts(shape, chunk)))
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


@pytest.mark.parametrize("n", [8, 9, 12])
def test_transform_of_the_real_part_is_what_the_demo_says(n: int) -> None:
    drawn = field.Drawn(n)
    whole = (slice(0, n),) * 3
    real = np.fft.ifftn(drawn.part(whole).astype(complex)).real
    assert spectrum.largest_of(drawn.of_field(whole) - np.fft.fftn(real)) <= 1e-6 * np.abs(np.fft.fftn(real)).max()
    for part in stored.parts(drawn.shape, (5, 3, 4)):  # any element again, in any part
        assert np.array_equal(drawn.part(part), drawn.part(whole)[part])
        assert np.array_equal(drawn.of_field(part), drawn.of_field(whole)[part])


def test_drawn_spectrum_has_the_energy_and_random_phases() -> None:
    n = 48
    drawn = field.Drawn(n)
    values = drawn.part((slice(0, n),) * 3)
    k = radius(drawn.shape)
    some = k > 0
    density = 2 * field.model(k[some]) / (4 * np.pi * k[some] ** 2) / field.model(np.arange(1, n // 2 + 1)).sum()
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


def test_what_is_written_is_a_zarr_array(tmp_path: Path) -> None:
    shape, chunk = (5, 6, 7), (2, 3, 4)  # chunks that hang over the edge
    for dtype in ("complex64", "float32"):
        want, path = noise(shape, dtype), tmp_path / f"{dtype}.zarr"
        stored.create(path, shape, chunk, dtype)
        for part in stored.parts(shape, chunk):
            stored.put(path, part, chunk, want[part])
        got = np.zeros_like(want)

        def take(part: stored.Part, values: np.ndarray, got: np.ndarray = got) -> None:
            got[part] = values

        list(stored.each_chunk(path, take))
        assert np.array_equal(got, want)
        assert np.array_equal(read(path), want)


def test_a_chunk_that_is_missing_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.zarr"
    stored.create(path, (4, 4), (2, 2), "float32")
    with pytest.raises(FileNotFoundError):
        list(stored.each_chunk(path, lambda part, values: None))
