# SPDX-License-Identifier: Apache-2.0
"""Arrays made in a Zarr group whose metadata is consolidated: its readers find them, and find them as they are now."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import octavo
import pytest

zarr = pytest.importorskip("zarr")
pytestmark = [pytest.mark.timeout(120), pytest.mark.filterwarnings("ignore:.*[Cc]onsolidated metadata is currently not part")]


def group(path: Path, zarr_format: int) -> Any:
    made = zarr.open_group(str(path), mode="w", zarr_format=zarr_format, attributes={"who": "me"})
    inner = made.create_group("in")
    for each in (made, inner):
        each.create_array("old", shape=(4,), chunks=(4,), dtype="f4", attributes={"bad": float("nan")})[...] = 1
    zarr.consolidate_metadata(str(path), zarr_format=zarr_format)
    return made


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("how", ["create", "copy", "copy-zstd", "fft"])
def test_new_and_replaced(how: str, zarr_format: int, tmp_path: Path) -> None:
    group(tmp_path / "g.zarr", zarr_format)
    source = np.arange(12, dtype="c16").reshape(3, 4)
    np.save(tmp_path / "s.npy", source)
    for name in ("new.zarr", "in/new.zarr", "in/new.zarr"):  # the third time it is replaced
        path = tmp_path / "g.zarr" / name
        expected = source
        if how == "create":
            with octavo.create_array(path, source.shape, "c16", zarr_format=zarr_format, overwrite=True, attrs={"a": 1}) as a:
                a[...] = source
        elif how == "fft":
            octavo.fft.fftn(tmp_path / "s.npy", out=path, zarr_format=zarr_format, overwrite=True, progress=False).close()
            expected = np.fft.fftn(source)
        else:
            more = {"compressor": "zstd"} if how == "copy-zstd" else {}
            octavo.copy(tmp_path / "s.npy", path, zarr_format=zarr_format, overwrite=True, progress=False, **more).close()
        found = zarr.open_group(str(tmp_path / "g.zarr"), mode="r", use_consolidated=True)
        np.testing.assert_allclose(found[name][...], expected)
        assert found["old"][...].tolist() == found["in/old"][...].tolist() == [1] * 4
        assert dict(found.attrs) == {"who": "me"}
        source = source[:, :2].copy() + 1
        np.save(tmp_path / "s.npy", source)
    assert not list(tmp_path.glob("g.zarr/**/*.new.*"))


def test_renewed_also_where_the_timeline_could_not_be_written(tmp_path: Path) -> None:
    group(tmp_path / "g.zarr", 3)
    np.save(tmp_path / "s.npy", np.ones((4, 4)))
    (tmp_path / "pictures").mkdir()

    def remove_its_folder(_: octavo.job.Progress) -> None:
        if (tmp_path / "pictures").exists():
            (tmp_path / "pictures").rmdir()

    job = octavo.Job(tmp_path / "s.npy", tmp_path / "g.zarr/a.zarr", "copy", timeline=tmp_path / "pictures/run.json")
    with pytest.raises(octavo.IoError, match="is done; writing its timeline"):
        job.run(remove_its_folder)
    found = zarr.open_group(str(tmp_path / "g.zarr"), mode="r", use_consolidated=True)
    assert found["a.zarr"][...].tolist() == np.ones((4, 4)).tolist()


def test_group_without_copy_stays(tmp_path: Path) -> None:
    zarr.open_group(str(tmp_path / "g.zarr"), mode="w", zarr_format=3)
    before = (tmp_path / "g.zarr/zarr.json").read_bytes()
    octavo.create_array(tmp_path / "g.zarr/a.zarr", (3,), "int8").close()
    assert (tmp_path / "g.zarr/zarr.json").read_bytes() == before


def test_copy_that_cannot_be_renewed(tmp_path: Path) -> None:
    group(tmp_path / "g.zarr", 2)
    (tmp_path / "g.zarr/.zmetadata").write_text(json.dumps({"metadata": [1]}))
    with pytest.warns(UserWarning, match=r"g.zarr' does not know 'a.zarr' as it is now .*zarr.consolidate_metadata"):
        octavo.create_array(tmp_path / "g.zarr/a.zarr", (3,), "int8", zarr_format=2).close()
    assert octavo.open_array(tmp_path / "g.zarr/a.zarr")[...].tolist() == [0, 0, 0]


@pytest.mark.parametrize("more", [{}, {"compressor": "zstd"}], ids=str)
@pytest.mark.parametrize("zarr_format", [2, 3])
def test_create_by_a_name_without_an_ending(zarr_format: int, more: dict[str, Any], tmp_path: Path) -> None:
    """Of the group's version, with what was asked for: a fill value of 0 stays one in v2."""
    group(tmp_path / "g.zarr", zarr_format)
    for overwrite in (False, True):
        with octavo.create_array(tmp_path / "g.zarr/in/t2.m", 4, "int32", fill_value=0, dims=("x",), attrs={"u": 1}, overwrite=overwrite, **more) as a:
            assert a.dims == ("x",)
            a[1] = 5
    found = zarr.open_group(str(tmp_path / "g.zarr"), mode="r", use_consolidated=True)["in/t2.m"]
    assert (found.metadata.zarr_format, found.fill_value, found[...].tolist(), found.attrs["u"]) == (zarr_format, 0, [0, 5, 0, 0], 1)
    with pytest.raises(octavo.UsageError, match="exists"):
        octavo.create_array(tmp_path / "g.zarr/in/t2.m", 4, "int32")
    octavo.create_array(tmp_path / "g.zarr/other.zarr", 4, "int32").close()
    assert zarr.open_array(str(tmp_path / "g.zarr/other.zarr"), mode="r").metadata.zarr_format == zarr_format


def test_create_where_no_group_is(tmp_path: Path) -> None:
    with pytest.raises(octavo.IoError, match=r"Make it first: zarr\.open_group"):
        octavo.create_array(tmp_path / "none.zarr/t", 4, "int32")
    with pytest.raises(octavo.UsageError, match=r"End it in .*, or name an array of a Zarr group"):
        octavo.create_array(tmp_path / "t", 4, "int32")
    assert list(tmp_path.iterdir()) == []
