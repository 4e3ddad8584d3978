# SPDX-License-Identifier: Apache-2.0
"""Transforms and copies of arrays with names (J-5 of octavo/fft/job.hpp), in the program's Runtime, in one of their own, and by the command."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import octavo
import pytest
from kit import run_command
from named_kit import SHAPE, VALUES, all_of, make, program

A, B = "ov://home/turbulence", "ov://home/spectrum.h5"  # a name is no path: its ending means nothing


@pytest.fixture
def arrays() -> tuple[octavo.Array, octavo.Array]:
    return make(A), make(B, values=None)


def test_from_name_to_name(arrays: tuple[octavo.Array, octavo.Array]) -> None:
    found = octavo.fft.fftn(A, out=B)
    assert found.path == B
    assert np.allclose(found[...], np.fft.fftn(VALUES))
    assert np.array_equal(arrays[0][...], VALUES)


def test_from_array_to_array_and_in_place(arrays: tuple[octavo.Array, octavo.Array]) -> None:
    a, b = arrays
    octavo.fft.fftn(a, out=b, axes=(0, 2), norm="ortho")
    assert np.allclose(b[...], np.fft.fftn(VALUES, axes=(0, 2), norm="ortho"))
    octavo.fft.ifftn(b, out=b, axes=(0, 2), norm="ortho")
    assert np.allclose(b[...], VALUES)


def test_without_a_runtime(arrays: tuple[octavo.Array, octavo.Array]) -> None:
    program(f"""
        job = ov.Job("{A}", "{B}", "fft", memory="64MiB")
        assert "not counted" in job.plan
        report = job.run()
        assert report.bytes_moved > 0
        from octavo import _core
        assert not _core.is_in_force()
    """)
    assert np.allclose(arrays[1][...], np.fft.fftn(VALUES))


@pytest.mark.parametrize("path", ["stored.npy", "stored.zarr", "stored.octavo", "packed.zarr", "stored.h5/group/data", "packed.h5"])
def test_to_and_from_what_is_stored(path: str, arrays: tuple[octavo.Array, octavo.Array], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")  # the devices are in another directory
    more = {"compressor": "gzip"} if path.startswith("packed") else {}
    stored = octavo.fft.fftn(A, out=path, **more)
    assert np.allclose(stored[...], np.fft.fftn(VALUES))
    assert np.allclose(octavo.fft.ifftn(path, out=B)[...], VALUES)


def test_a_copy_keeps_elements_only(arrays: tuple[octavo.Array, octavo.Array]) -> None:
    with octavo.create_array("noted.zarr", SHAPE, "complex128", attrs={"units": "m"}, dims=("z", "y", "x")) as noted:
        noted[...] = VALUES * 2
    copied = octavo.copy("noted.zarr", B)
    assert np.array_equal(copied[...], VALUES * 2)
    assert (dict(copied.attrs), copied.dims) == ({}, None)
    assert np.array_equal(octavo.copy(arrays[0], "y.zarr")[...], VALUES)


def test_stopped_it_leaves_the_target_and_no_process(arrays: tuple[octavo.Array, octavo.Array]) -> None:
    with pytest.raises(octavo.Cancelled, match="has a part of the result"):
        octavo.Job(A, B).run(lambda progress: False)
    assert np.allclose(octavo.fft.fftn(A, out=B)[...], np.fft.fftn(VALUES))


def test_the_command(arrays: tuple[octavo.Array, octavo.Array]) -> None:
    done = run_command("fft", A, B)
    assert done.status == 0, done.err
    assert done.out.startswith(f"{B}: ")
    assert "devices that were there are not counted" in done.out
    assert np.allclose(arrays[1][...], np.fft.fftn(VALUES))
    assert run_command("copy", A, "y.zarr", "--quiet").status == 0
    assert run_command("copy", "y.zarr", B, "--quiet").status == 0
    assert np.array_equal(all_of(B), VALUES)
    plan = run_command("ifft", B, A, "--plan")
    assert "not counted" in plan.out, plan.err
    wrong = run_command("fft", A, "ov://no/such")
    assert (wrong.status, "there is no object ov://no/such" in wrong.err) == (1, True)


def test_what_the_command_says_of_it(arrays: tuple[octavo.Array, octavo.Array]) -> None:
    said = run_command("info", A)
    folder = str(octavo.info(A).devices[0]).rpartition("/")[0]
    assert said.out.splitlines() == [
        f"{A}: octavo, 12 x 10 x 9 complex128, 16.9 KiB",
        "pages of 4 x 4 x 4",
        f"on {folder}/turbulence.0",
        f"on {folder}/turbulence.1",
    ], said.err
    assert json.loads(run_command("info", A, "--json").out)["shape"] == [12, 10, 9]
    listed = run_command("ls", "ov://home/turbulence")
    assert [line.split()[1] for line in listed.out.splitlines()[1:]] == ["octavo::ArrayRecord", "octavo::PageFile", "octavo::PageFile"]
