# SPDX-License-Identifier: Apache-2.0
"""octavo check: each section is there, one that fails ends neither the command nor the others, and nothing is left in the directory."""

from __future__ import annotations

import json
import os
import platform
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import octavo
import pytest
from kit import Command, marked, run_command, wait_for, worked
from octavo import _core
from octavo._src.checking import kernel_files, plain_disk, ring
from octavo._src.checking.disk import file_system, octavo_bytes
from octavo._src.checking.finding import Finding
from octavo._src.checking.sections import SECTIONS, findings_of, reason
from octavo._src.checking.short_lived import folder_in
from octavo._src.commands import checking

pytestmark = pytest.mark.timeout(120)

NAMES = [each.replace("_", " ") for each in SECTIONS]
FIELDS = {"section", "name", "value", "unit", "limit", "cure", "works"}
MEASURED = [
    ("hello", "first object made and called"),
    ("hello", "later object made and called"),
    ("ring", "round trip of a small call, median"),
    ("ring", "started calls"),
    ("bandwidth", "memcpy of 32 MiB"),
    ("bandwidth", "there and back"),
    ("bandwidth", "there and back, pooled: not copied"),
    ("disk", "sequential write"),
    ("disk", "sequential read"),
    ("disk", "write of an array by Octavo"),
    ("disk", "read of an array by Octavo"),
]


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("checked")


@pytest.fixture(scope="module")
def report(directory: Path) -> list[dict[str, Any]]:
    """What octavo check --json says."""
    found: list[dict[str, Any]] = json.loads(worked("check", "--json", "--directory", directory).out)
    return found


def value(report: list[dict[str, Any]], section: str, name: str) -> Any:
    (found,) = [each["value"] for each in report if (each["section"], each["name"]) == (section, name)]
    return found


@pytest.fixture
def not_writable(tmp_path: Path) -> Iterator[Path]:
    """For root /proc, in which nobody can make a file."""
    if os.geteuid() == 0:
        yield Path("/proc")
        return
    tmp_path.chmod(0o500)
    yield tmp_path
    tmp_path.chmod(0o700)


def test_all_sections_are_there(report: list[dict[str, Any]], directory: Path) -> None:
    assert list(dict.fromkeys(each["section"] for each in report)) == NAMES
    assert all(set(each) == FIELDS and each["works"] for each in report)
    assert list(directory.iterdir()) == []


@pytest.mark.parametrize(("section", "name"), MEASURED)
def test_what_is_measured_is_a_number(report: list[dict[str, Any]], section: str, name: str) -> None:
    found = value(report, section, name)
    assert isinstance(found, float) and found > 0


def test_what_is_said_of_the_machine(report: list[dict[str, Any]], directory: Path) -> None:
    assert value(report, "versions", "octavo") == octavo.__version__
    assert value(report, "versions", "python").split()[1] == sys.version.split()[0]
    assert value(report, "machine", "cores") == len(os.sched_getaffinity(0))
    assert value(report, "machine", "memory") == _core.machine_facts()["memory_bytes"]
    assert value(report, "shared memory", "memfd") == "works"
    assert value(report, "disk", "directory") == str(directory)
    assert value(report, "transforms", "kernel") == _core.kernel_names()[0]
    gpl = "GPL" in value(report, "transforms", "licence")
    assert gpl is ("FFTW" in _core.kernel_names())


def test_the_report_has_no_paths_of_who_runs_it(report: list[dict[str, Any]], directory: Path) -> None:
    text = json.dumps(report).replace(str(directory), "")
    for private in (str(Path.home()), sys.prefix, str(Path.cwd()), str(Path(octavo.__file__).parent)):
        assert private not in text


def test_the_machines_of_an_engine() -> None:
    found = json.loads(worked("check", "--json", "--engine", "played:box,crate").out)
    assert list(dict.fromkeys(each["section"] for each in found)) == ["versions", "machines"]
    assert all(each["works"] for each in found)
    values = {each["name"]: each["value"] for each in found if each["section"] == "machines"}
    for name in (platform.node(), "box", "crate"):
        assert values[f"{name}: octavo"] == octavo.__version__
        assert values[f"{name}: cores"] == len(os.sched_getaffinity(0))
        assert values[f"{name}: round trip of a small call"] > 0
        assert values[f"{name}: an array there and back"] > 0


def test_a_machine_that_ssh_does_not_reach_is_a_line_with_the_cure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refusing = tmp_path / "ssh"
    refusing.write_text("#!/bin/sh\necho 'you@node7: Permission denied (publickey).' >&2\nexit 255\n")
    refusing.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    ended = run_command("check", "--engine", "ssh:node7")
    assert ended.status == 1 and "Traceback" not in ended.err
    assert "Permission denied" in ended.out and "ssh-copy-id node7" in ended.out
    assert ended.out.splitlines()[-1] == "does not work: machines: node7: agent"


@pytest.mark.parametrize("given", [["--engine", "ssh"], ["--engine", "mpi"], ["--link", "ssh"], ["--engine", "played:a", "--link", "tls"]])
def test_an_engine_that_is_none_is_refused(given: list[str]) -> None:
    ended = run_command("check", *given)
    assert ended.status == 1 and "Give" in ended.err


def test_a_directory_that_cannot_be_written_is_a_line(not_writable: Path) -> None:
    ended = run_command("check", "--directory", not_writable)
    assert (ended.status, ended.err) == (1, "")
    assert "Traceback" not in ended.out
    lines = ended.out.splitlines()
    assert [line for line in lines if line in NAMES] == NAMES
    (line,) = [line for line in lines if f"no file can be written in '{not_writable}': " in line]
    assert line.endswith("octavo check --directory DIRECTORY, one that you can write to")
    assert lines[-1] == "does not work: disk: write"
    assert marked(ended.mark) == []


def test_a_section_that_fails_does_not_end_the_others(tmp_path: Path) -> None:
    program = """
import sys, octavo.cli
from octavo._src.checking import hello
def fails():
    raise OSError("nothing in '/home/somebody/secret' answers")
hello.find = fails
sys.argv = ["octavo", "check", "--json"]
sys.exit(octavo.cli.main())
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path, timeout=100, check=False)
    assert (ended.returncode, ended.stderr) == (1, "")
    found = json.loads(ended.stdout)
    assert list(dict.fromkeys(each["section"] for each in found)) == NAMES
    assert [each["value"] for each in found if not each["works"]] == ["OSError: nothing in '(a path)' answers"]
    assert list(tmp_path.iterdir()) == []


HOSTILE = "a\x1b[31m\x1b]0;title\x07\x9b2J[red]b[/red]\r\n\u202e"
HARMLESS = r"a\x1b[31m\x1b]0;title\x07\x9b2J[red]b[/red]\r\n\u202e"


@pytest.mark.parametrize("field", ["section", "name", "value", "limit", "cure", "unit"])
@pytest.mark.parametrize("works_", [True, False])
def test_what_others_say_is_shown_and_not_obeyed(capsys: pytest.CaptureFixture[str], field: str, works_: bool) -> None:
    said: dict[str, Any] = {"section": "ring", "name": "a name", "value": 3.5, "limit": 4.5, "cure": "a command", "unit": "us", "works": works_}
    checking.show([Finding(**{**said, field: HOSTILE})])
    out = capsys.readouterr().out
    assert HARMLESS in out
    assert all(each.isprintable() or each == "\n" for each in out)
    assert len(out.splitlines()) == 2


def test_a_hostile_directory_is_shown_and_not_obeyed(tmp_path: Path) -> None:
    ended = run_command("check", "--directory", tmp_path / HOSTILE)
    assert ended.status == 1
    assert f"no file can be written in '{tmp_path / HARMLESS}'" in ended.out
    assert all(each.isprintable() or each == "\n" for each in ended.out + ended.err)


def test_control_c_leaves_nothing(tmp_path: Path) -> None:
    command = Command(["check", "--directory", str(tmp_path)])
    wait_for(lambda: any(tmp_path.iterdir()) or command.process.poll() is not None, 60, "an array is written")
    for _ in range(2):  # as someone does who is impatient
        command.signal_group(signal.SIGINT)
    ended = command.end(20)
    assert ended.status != 0
    assert "Traceback" not in ended.out + ended.err
    assert list(tmp_path.iterdir()) == []
    wait_for(lambda: marked(ended.mark) == [], 20, "its processes have ended")


def test_a_folder_is_removed_though_that_is_interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    removes, asked = shutil.rmtree, [KeyboardInterrupt(), KeyboardInterrupt()]

    def interrupted(folder: Path, ignore_errors: bool) -> None:
        if asked:
            raise asked.pop()
        removes(folder, ignore_errors)

    monkeypatch.setattr(shutil, "rmtree", interrupted)
    with pytest.raises(KeyboardInterrupt), folder_in(str(tmp_path)) as folder:
        (folder / "file").touch()
    assert list(tmp_path.iterdir()) == []


def test_findings_before_a_failure_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def stops() -> Iterator[Finding]:
        yield Finding("ring", "the first", 1)
        raise ValueError

    monkeypatch.setattr(ring, "find", stops)
    assert findings_of("ring", ".") == [Finding("ring", "the first", 1), Finding("ring", "ring as a whole", "ValueError: no reason was given", works=False)]


def test_a_stop_stays_one_where_cleaning_up_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def stops() -> Iterator[Finding]:
        yield Finding("ring", "the first", 1)
        try:
            raise KeyboardInterrupt
        finally:
            raise octavo.ProcessDied("it had the signal, too")

    monkeypatch.setattr(ring, "find", stops)
    with pytest.raises(KeyboardInterrupt):
        findings_of("ring", ".")


def test_paths_in_reasons() -> None:
    failure = ValueError("'/home/some body/x', /home/other and\n/proc/self/maps; '/data/given/y' is not /data/given2")
    assert reason(failure, "/data/given") == "ValueError: '(a path)', (a path) and /proc/self/maps; '/data/given/y' is not (a path)"
    here = ValueError(f"'{Path.cwd()}/x' of {Path.cwd().parent}")
    assert reason(here, ".") == "ValueError: 'x' of (a path)"
    assert reason(ValueError(f"1 on {platform.node()}."), ".") == "ValueError: 1 on this machine."


def test_a_directory_that_is_not_there(tmp_path: Path) -> None:
    *_, last = findings_of("disk", str(tmp_path / "none"))
    assert not last.works
    assert str(last.value).endswith("No such file or directory")


# Where the file system has no O_TMPFILE, and refuses O_DIRECT.
def test_a_plain_file_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "O_TMPFILE", os.O_DIRECTORY)  # opening it to write is EISDIR, as an old kernel says
    monkeypatch.setattr(plain_disk, "make_direct", lambda file: False)
    found = plain_disk.plain_rates(str(tmp_path), 2 * plain_disk.BLOCK)
    assert not found.direct
    assert found.write > 0 and found.read > 0
    assert list(tmp_path.iterdir()) == []


def test_sizes() -> None:
    assert octavo_bytes(256 << 20, 100.0) == 128 << 20
    assert octavo_bytes(256 << 20, 0.001) == plain_disk.BLOCK
    assert file_system("/proc") == "proc"


def test_kernel_files(tmp_path: Path) -> None:
    assert kernel_files.chosen("always within_size advise [never] deny force") == "never"
    assert kernel_files.chosen("") == ""
    assert kernel_files.text_of(tmp_path / "none") == ""
    (tmp_path / "number").write_text("-1\n")
    assert kernel_files.number_of(tmp_path / "number") == -1
    assert kernel_files.number_of("/proc/self/status") is None


def test_limits_of_cgroups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "cpu.max").write_text("max 100000\n")
    (tmp_path / "cpu.max").write_text("150000 100000\n")
    monkeypatch.setattr(kernel_files, "cpu_groups", lambda: iter([inner, tmp_path]))
    assert kernel_files.cgroup_cores() == 1.5
    (tmp_path / "cpu.max").write_text("max 100000\n")
    assert kernel_files.cgroup_cores() is None
