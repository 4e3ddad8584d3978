# SPDX-License-Identifier: Apache-2.0
"""One set of options: octavo.Target, RawLayout and Budget, whole or field by field, for jobs, octavo.fft, copy, arrays and the commands."""

from __future__ import annotations

import dataclasses
import itertools
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import octavo
import pytest
import scipy.fft
import typer
from kit import noise, run_command, worked
from octavo import _core, cli, options
from octavo._src.commands import options as groups
from octavo._src.validation import element_type, memory_bytes
from octavo.options import Budget, RawLayout, Target

pytestmark = pytest.mark.timeout(60)
SHAPE = (12, 10, 8)
MIB = 1 << 20
TARGET, BUDGET, RAW = ({each.name for each in dataclasses.fields(kind)} for kind in (Target, Budget, RawLayout))
JOB = TARGET | BUDGET | RAW | {"source", "target", "overwrite", "timeline", "plan", "quiet", "report", "json", "unpack"}


@pytest.mark.parametrize(
    ("command", "names"),
    [("fft", JOB | {"axes", "norm"}), ("ifft", JOB | {"axes", "norm"}), ("copy", JOB), ("info", RAW | {"source", "json"})],
)
def test_a_command_has_each_field_as_an_option(command: str, names: set[str]) -> None:
    group: Any = typer.main.get_command(cli.app)
    assert {each.name for each in group.commands[command].params} == names


def test_a_command_without_options_wants_what_python_wants_without_keywords() -> None:
    assert (groups.target_of(), groups.budget_of(), groups.layout_of()) == (Target(), Budget(), None)


def test_the_keywords_are_the_fields() -> None:
    assert set(options.TargetKeywords.__annotations__) == TARGET
    assert set(options.RawKeywords.__annotations__) == RAW
    assert set(options.JobKeywords.__annotations__) == TARGET | RAW | (BUDGET - {"memory"})  # which is a parameter


@pytest.mark.parametrize("kind", [Target, Budget, RawLayout])
def test_each_field_is_described(kind: type[Any]) -> None:
    described = kind.__doc__ or ""
    assert [each.name for each in dataclasses.fields(kind) if f" {each.name}: " not in described.replace("\n", " ").replace("(", " ")] == []


def test_they_are_values() -> None:
    lists, tuples = Target(chunks=[4, 4], devices=["/d0"]), Target(chunks=(4, 4), devices=("/d0",))
    assert lists == tuples and len({lists, tuples}) == 1
    assert RawLayout([3, 4], "f4") == RawLayout((3, 4), "f4")
    for value, field in ((tuples, "chunks"), (RawLayout(3, "f4"), "shape"), (Budget(), "memory")):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(value, field, None)


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    """Big-endian elements after 16 bytes, and 8 bytes after them."""
    path = tmp_path / "a.raw"
    path.write_bytes(b"head" * 4 + noise(SHAPE, "float32").astype(">f4").tobytes() + b"tail" * 2)
    return path


LAYOUT = RawLayout(SHAPE, "float32", 16, True, True)


def test_whole_and_one_by_one_are_the_same_job(raw: Path, tmp_path: Path) -> None:
    target, budget = Target(chunks=(5, 10, 8), compressor="zstd", level=7), Budget("24MiB", cores=1, scratch=tmp_path)
    whole = octavo.Job(raw, tmp_path / "t.zarr", target_as=target, budget=budget, raw=LAYOUT)
    alone: dict[str, Any] = {**vars(target), **vars(budget), **vars(LAYOUT)}
    assert octavo.Job(raw, tmp_path / "t.zarr", **alone).plan == whole.plan
    assert "target chunk 5 x 10 x 8" in whole.plan and "1 transform " in whole.plan
    assert whole.memory == octavo.Job(raw, tmp_path / "t.zarr", **alone).memory == 24 * MIB
    assert octavo.Job(raw, tmp_path / "t.zarr", raw=LAYOUT, cores=1).memory == 1 << 30


def test_all_that_run_a_job_take_them(raw: Path, tmp_path: Path) -> None:
    want = noise(SHAPE, "float32")
    target, budget = Target(chunks=(4, 10, 8), zarr_format=2), Budget("16MiB", cores=1)
    more: dict[str, Any] = {"target": target, "budget": budget, "raw": LAYOUT, "progress": False}
    with octavo.copy(raw, tmp_path / "copy.zarr", **more) as made:
        assert np.array_equal(made[...], want) and made.chunks == (4, 10, 8)
        assert (tmp_path / "copy.zarr" / ".zarray").exists()
    with octavo.fft.fftn(raw, None, (0,), "ortho", tmp_path / "fft.zarr", **more) as made:
        assert np.allclose(made[...], scipy.fft.fftn(want, axes=(0,), norm="ortho"), atol=1e-5) and made.chunks == (4, 10, 8)
    with octavo.fft.ifftn(tmp_path / "fft.zarr", axes=(0,), norm="ortho", out=tmp_path / "back.zarr", target=target, budget=budget, progress=False) as made:
        assert np.allclose(made[...].real, want, atol=1e-5)


def test_arrays_take_them(raw: Path, tmp_path: Path) -> None:
    with octavo.open_array(raw, raw=LAYOUT) as a:
        assert np.array_equal(a[...], noise(SHAPE, "float32"))
    assert octavo.info(raw, raw=LAYOUT) == octavo.info(raw, **vars(LAYOUT))
    assert octavo.info(raw, raw=LAYOUT).chunks == octavo.info(raw, raw=LAYOUT).chunk == SHAPE
    with octavo.create_array(tmp_path / "b.zarr", SHAPE, "f4", target=Target(chunks=(6, 5, 8), zarr_format=2)) as b:
        assert b.chunks == (6, 5, 8) and (tmp_path / "b.zarr" / ".zarray").exists()
    for name, given in (("c", {"target": Target(compressor="gzip", level=7)}), ("d", {"compressor": "gzip", "level": 7})):
        octavo.create_array(tmp_path / f"{name}.zarr", SHAPE, "f4", **given).close()
        assert '"level": 7' in (tmp_path / f"{name}.zarr" / "zarr.json").read_text()


def test_a_raw_file_is_described_alike_everywhere(raw: Path, tmp_path: Path) -> None:
    octavo.copy(raw, tmp_path / "b.npy", shape=SHAPE, dtype=">f4", offset=16, part=True, progress=False).close()  # the byte order in the dtype
    assert np.array_equal(np.load(tmp_path / "b.npy"), noise(SHAPE, "float32"))
    given = ("--shape", "12,10,8", "--dtype", "float32", "--offset", "16", "--big-endian")
    assert "has 3880 bytes" in run_command("copy", raw, tmp_path / "c.npy", *given).paragraph() or not (tmp_path / "c.npy").exists()
    worked("copy", raw, tmp_path / "c.npy", *given, "--part", "--quiet")
    assert np.array_equal(np.load(tmp_path / "c.npy"), noise(SHAPE, "float32"))


def test_the_command_passes_the_level_on(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", noise(SHAPE))
    worked("copy", tmp_path / "a.npy", tmp_path / "b.zarr", "--compress", "gzip", "--level", "8", "--quiet")
    assert '"level": 8' in (tmp_path / "b.zarr" / "zarr.json").read_text()


MIXED: dict[str, tuple[Callable[[Path, Path], Any], str]] = {
    "target": (lambda a, b: octavo.fft.fftn(a, out=b, target=Target(level=3), chunks=(2, 2)), r"chunks beside target\. .*target=octavo\.Target\(chunks="),
    "target of a job": (lambda a, b: octavo.Job(a, b, target_as=Target(), shards=(2, 2)), r"shards beside target_as\. .*target_as=octavo\.Target\("),
    "memory": (lambda a, b: octavo.copy(a, b, memory="1GiB", budget=Budget()), r"memory beside budget"),
    "the usual map": (lambda a, b: octavo.Job(a, b, target_as=Target(map="block_cyclic"), map="circulant"), r"map beside target_as"),
    "cores": (lambda a, b: octavo.fft.ifftn(a, out=b, cores=2, budget=Budget()), r"cores beside budget"),
    "raw": (lambda a, b: octavo.open_array(a, raw=RawLayout(3, "f4"), offset=3), r"offset beside raw"),
    "a path": (lambda a, b: octavo.fft.fftn(a, target=b), r"target is of type PosixPath\. Give an octavo\.Target"),
    "a number": (lambda a, b: octavo.Job(a, b, budget=1 << 30), r"budget is of type int\. Give an octavo\.Budget"),  # type: ignore[arg-type]
    "a dict": (lambda a, b: octavo.info(a, raw={"shape": 3}), r"raw is of type dict\. Give an octavo\.RawLayout"),  # type: ignore[arg-type]
    "dtype alone": (lambda a, b: octavo.copy(a, b, dtype="f4"), r"dtype of a raw file without both its shape and its dtype"),
    "byte order alone": (lambda a, b: octavo.Job(a, b, big_endian=True), r"big_endian of a raw file"),
    "of an array": (lambda a, b: octavo.fft.fftn(octavo.open_array(a), out=b, shape=(4, 4), dtype="f8"), r"those of the array given\. Leave them out"),
    "level twice": (lambda a, b: octavo.Job(a, b, compressor={"name": "zstd", "level": 3}, level=4), r"Give the level once"),
    "one device": (lambda a, b: octavo.Job(a, "b.octavo", devices="/d0"), r"Give a list of directories"),
    "a level of nothing": (lambda a, b: octavo.copy(a, b, level=4), r"level 4 of '.*' without a compressor"),
    "a level of text": (lambda a, b: octavo.Job(a, b, compressor="zstd", level="best"), r"level 'best' .*Give an integer"),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("name", MIXED)
def test_what_is_given_twice_or_of_another_kind_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    np.save("a.npy", np.zeros((4, 4)))
    call, words = MIXED[name]
    with pytest.raises(octavo.UsageError, match=words):
        call(Path("a.npy"), Path("b.zarr"))
    assert [each.name for each in tmp_path.iterdir()] == ["a.npy"]


def test_what_says_nothing_goes_beside_all(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.zeros((4, 4)))
    nothing: dict[str, Any] = {"chunks": None, "scratch": None, "shape": None, "dtype": None, "offset": 0, "big_endian": False}
    octavo.Job(tmp_path / "a.npy", tmp_path / "b.zarr", target_as=Target(), budget=Budget(), **nothing)


@pytest.mark.parametrize("memory", [-1, "-5", "much", float("nan"), float("inf"), 2**62, 1j, b"1GiB"])
def test_no_budget_is_one_for_arrays_nor_jobs(tmp_path: Path, memory: Any) -> None:
    np.save(tmp_path / "a.npy", np.zeros((4, 4)))
    for use in (
        lambda: octavo.open_array(tmp_path / "a.npy", memory=memory),
        lambda: octavo.create_array(tmp_path / "b.npy", 3, "f4", memory=memory),
        lambda: octavo.Job(tmp_path / "a.npy", tmp_path / "b.npy", memory=memory),
        lambda: octavo.Job(tmp_path / "a.npy", tmp_path / "b.npy", budget=Budget(memory)),
    ):
        with pytest.raises(octavo.UsageError, match=r"memory|size"):
            use()
    assert [each.name for each in tmp_path.iterdir()] == ["a.npy"]


def test_budgets_in_bytes() -> None:
    assert [memory_bytes(each) for each in (5, np.int64(7), "2GiB", 1.5e9, "1.5G")] == [5, 7, 2 << 30, 1500000000, 3 << 29]
    assert memory_bytes(0, least=0) == 0
    with pytest.raises(octavo.UsageError, match="memory 0"):
        memory_bytes(0)


def test_one_list_of_dtypes() -> None:
    assert [element_type(name).name for name in _core.dtypes] == list(_core.dtypes)
    known = {np.dtype(code).name for code in np.typecodes["AllInteger"] + "fdFD"}
    assert set(_core.dtypes) == known


def test_the_dtype_of_a_transform_is_scipys(tmp_path: Path) -> None:
    for name in _core.dtypes:
        assert _core.transformed(name) == scipy.fft.fft(np.zeros(4, name)).dtype.name
    with pytest.raises(octavo.NotSupported, match="float16"):
        _core.transformed("float16")
    for name, operation in itertools.product(("float32", "int16"), ("fft", "copy")):
        np.save(tmp_path / f"{name}.npy", np.zeros((4, 4), name))
        job = octavo.Job(tmp_path / f"{name}.npy", tmp_path / f"{name}-{operation}.npy", operation)
        job.run()
        assert job.dtype == np.load(tmp_path / f"{name}-{operation}.npy").dtype.name


TYPED = """
import octavo
octavo.fft.fftn("a", out="b", chunks=(2, 2), level=3, cores=2, shape=3, dtype="f4")
octavo.create_array("a", 3, "f4", chunks=[3], target=octavo.Target(zarr_format=2))
octavo.open_array("a", raw=octavo.RawLayout(3, "f4"))
octavo.fft.fftn("a", out="b", chunk=(2, 2))
octavo.copy("a", "b", level="best")
octavo.Job("a", "b", target_as=octavo.Target(zarr_format=4))
octavo.info("a", ofset=3)
"""


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_type_checker_knows_the_keywords(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    (tmp_path / "use.py").write_text(TYPED)
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path), "use.py"]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=280, check=False)
    assert [line.split(":")[1] for line in found.stdout.splitlines() if ": error: " in line] == ["6", "7", "8", "9"], found.stdout + found.stderr
