# SPDX-License-Identifier: Apache-2.0
"""Where a job's processes spend their time: in its report, on the command line, and as a timeline in a file."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import octavo
import pytest
from kit import noise, run_command, worked, write_zarr
from octavo.phases import NAMES

pytestmark = pytest.mark.timeout(120)
SHAPE = (64, 48, 40)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "a.zarr"
    write_zarr(path, noise(SHAPE), (16, 24, 40))
    return path


def check(report: octavo.job.Report) -> None:
    assert len(report.phases) == report.processes
    for each in report.phases:
        told = [getattr(each.phases, name) for name in NAMES]
        assert all(phase.seconds >= 0 and phase.bytes >= 0 and phase.mb_per_second >= 0 for phase in told), each
        assert all(phase.seconds <= phase.under_way + 1e-9 <= each.phases.wall + 2e-9 for phase in told), each
        assert sum(phase.seconds for phase in told) + each.phases.idle == pytest.approx(each.phases.wall, abs=1e-6)
        assert each.phases.idle >= 0
        assert 0 < each.phases.wall <= report.seconds
        assert each.pid > 0 and each.machine


def test_ph1_a_job_reports_each_process(source: Path) -> None:
    report = octavo.Job(source, source.parent / "b.zarr", memory="2MiB").run()
    check(report)
    names = [each.name for each in report.phases]
    assert names[:2] == ["source", "target"] and all(name.startswith("transform") for name in names[2:])
    by_name = {each.name: each.phases for each in report.phases}
    array = noise(SHAPE).nbytes
    assert by_name["source"].reading.bytes >= array and by_name["source"].writing.bytes == 0
    assert by_name["target"].writing.bytes >= array
    transforms = [phases for name, phases in by_name.items() if name.startswith("transform")]
    assert sum(each.computing.seconds for each in transforms) == pytest.approx(report.computing)
    assert sum(each.reading.bytes for each in transforms) == sum(each.writing.bytes for each in transforms) > 0
    assert all(each.network.seconds == 0 and each.network.bytes == 0 for each in by_name.values()), "all are on one machine"


def test_a_copy_computes_where_it_converts(source: Path) -> None:
    array = noise(SHAPE, "float32")
    write_zarr(source.parent / "c.zarr", array, (16, 24, 40))
    report = octavo.Job(source.parent / "c.zarr", source.parent / "d.npy").run()  # to complex64 on the way
    by_name = {each.name: each.phases for each in report.phases}
    assert by_name["source"].computing.bytes == 2 * array.nbytes


def test_a_store_has_phases_too(tmp_path: Path) -> None:
    zarr = pytest.importorskip("zarr")
    made = zarr.create_array(str(tmp_path / "packed.zarr"), shape=SHAPE, chunks=(16, 24, 40), dtype="float32")
    made[...] = noise(SHAPE, "float32")
    report = octavo.Job(tmp_path / "packed.zarr", tmp_path / "b.zarr", memory="16MiB").run()
    check(report)
    stores = [each.phases for each in report.phases if each.name.startswith("source")]
    assert sum(each.reading.seconds for each in stores) > 0
    encoded = sum(chunk.stat().st_size for chunk in (tmp_path / "packed.zarr" / "c").rglob("*") if chunk.is_file())
    assert sum(each.reading.bytes for each in stores) >= encoded, "what is read is what the files hold"


def test_ph2_a_timeline_as_a_chrome_trace(source: Path) -> None:
    file = source.parent / "run.json"
    report = octavo.Job(source, source.parent / "b.zarr", memory="2MiB", timeline=file).run()
    events = json.loads(file.read_text())["traceEvents"]
    titles = [event["args"]["name"] for event in events if event["name"] == "process_name"]
    assert [title.partition(" (pid")[0] for title in titles] == [each.name for each in report.phases]
    for number in range(1, len(titles) + 1):
        spans = [event for event in events if event["ph"] == "X" and event["pid"] == number]
        assert 0 < len(spans) <= 4096
        assert all(event["name"] in NAMES and event["ts"] >= 0 and event["dur"] > 0 for event in spans)
        for one, next_one in itertools.pairwise(spans):
            assert one["ts"] + one["dur"] <= next_one["ts"] + 1e-3
        busy = sum(event["dur"] for event in spans) / 1e6
        phases = report.phases[number - 1].phases
        assert busy <= phases.wall + 0.5, "the timeline is told after the sums"


def test_a_transforms_timeline(source: Path) -> None:
    file = source.parent / "run.json"
    with octavo.fft.fftn(source, out=source.parent / "b.zarr", memory="2MiB", timeline=file, progress=False):
        pass
    events = json.loads(file.read_text())["traceEvents"]
    assert {event["name"] for event in events if event["ph"] == "X"} >= {"reading", "writing", "computing"}


def test_a_copys_timeline_replaces_an_old_one_if_asked(source: Path) -> None:
    file = source.parent / "run.json"
    file.write_text("old")
    with pytest.raises(octavo.UsageError, match=r"run.json' exists. Give another name, or overwrite=True"):
        octavo.copy(source, source.parent / "b.npy", timeline=file, progress=False)
    assert file.read_text() == "old"
    assert not list(source.parent.glob("*b.npy*"))
    with octavo.copy(source, source.parent / "b.npy", timeline=file, overwrite=True, progress=False) as copied:
        assert np.array_equal(copied[...], noise(SHAPE))
    assert json.loads(file.read_text())["traceEvents"]
    assert not list(source.parent.glob("run.json.*"))


@pytest.mark.parametrize(
    ("name", "error", "text"),
    [
        ("run.png", octavo.UsageError, "does not end in .json"),
        ("run.svg", octavo.UsageError, r"does not end in .json. Call it so, and open it with https://ui.perfetto.dev"),
        ("none/run.json", octavo.IoError, "does not exist"),
    ],
)
def test_j1_a_timeline_that_cannot_be_written_is_refused_at_once(source: Path, name: str, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        octavo.Job(source, source.parent / "b.zarr", timeline=source.parent / name)
    assert not list(source.parent.glob("b.zarr*"))


def test_j1_a_timeline_is_no_array_of_the_job(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    noise(SHAPE).tofile(file)
    with pytest.raises(octavo.UsageError, match="is an array of the job"):
        octavo.Job(file, tmp_path / "b.zarr", shape=SHAPE, dtype="complex128", timeline=tmp_path / "." / "run.json")
    assert file.stat().st_size == noise(SHAPE).nbytes


def test_j1_a_timeline_that_was_made_meanwhile_is_left_alone(source: Path) -> None:
    file = source.parent / "run.json"
    job = octavo.Job(source, source.parent / "b.zarr", timeline=file)
    file.write_text("new")
    with pytest.raises(octavo.UsageError, match="exists"):
        job.run()
    assert file.read_text() == "new"
    assert not (source.parent / "b.zarr").exists()


@pytest.mark.parametrize("name", ["a.zarr/zarr.json", "a.zarr/run.json", "b.zarr/zarr.json", "b.zarr/c/run.json", "zarr.json", "link/run.json"])
@pytest.mark.parametrize("overwrite", [False, True])
def test_j1_a_timeline_is_no_file_of_an_array(source: Path, name: str, overwrite: bool) -> None:
    """Nor of a group: both arrays lie in one."""
    (source.parent / "b.zarr/c").mkdir(parents=True)
    (source.parent / "link").symlink_to(source)
    before = sorted(source.parent.rglob("*"))
    metadata = (source / "zarr.json").read_bytes()
    with pytest.raises(octavo.UsageError, match=r"lies within one|is called as what Zarr knows"):
        octavo.Job(source, source.parent / "b.zarr", timeline=source.parent / name, overwrite=overwrite)
    assert (source / "zarr.json").read_bytes() == metadata
    assert sorted(source.parent.rglob("*")) == before


def test_j3_a_job_that_is_stopped_leaves_no_timeline(source: Path) -> None:
    with pytest.raises(octavo.Cancelled, match="was stopped"):
        octavo.Job(source, source.parent / "b.zarr", timeline=source.parent / "run.json").run(lambda _: False)
    assert sorted(path.name for path in source.parent.iterdir()) == ["a.zarr"]


def test_the_command_prints_a_line_for_each_process(source: Path) -> None:
    shown = worked("fft", source, source.parent / "b.zarr", "--memory", "2MiB", "--report", "--timeline", source.parent / "run.json").out
    lines = shown.splitlines()
    head = next(i for i, line in enumerate(lines) if line.startswith("PROCESS"))
    assert lines[head].split() == ["PROCESS", *(name.upper() for name in NAMES), "IDLE", "WALL"]
    assert [line.split()[0] for line in lines[head + 1 : head + 4]] == ["source", "target", "transform"]
    assert json.loads((source.parent / "run.json").read_text())["traceEvents"]
    quiet = worked("copy", source, source.parent / "c.npy", "--quiet", "--report").out
    assert quiet.startswith("PROCESS")


def test_the_commands_report_as_json(source: Path) -> None:
    report = json.loads(worked("ifft", source, source.parent / "b.zarr", "--memory", "2MiB", "--json").out)
    assert report["phases"][0]["name"] == "source"
    assert report["phases"][0]["phases"]["reading"]["bytes"] >= noise(SHAPE).nbytes


def test_a_wrong_ending_is_one_paragraph(source: Path) -> None:
    assert "does not end in .json" in run_command("fft", source, source.parent / "b.zarr", "--timeline", "t.txt").paragraph()
