# SPDX-License-Identifier: Apache-2.0
"""Objects in processes, from the wheel as a user has it: forks and those made ahead, devices of C++ by its octavo-server, octavo debug and octavo check."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from wheel_kit import outside, run

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]

PROGRAM = """
import os, sys, time
import octavo as ov

class Counter:
    def __init__(self, n=0): self.n = n
    def add(self, x): self.n += x; return self.n
    def stop(self, x):
        breakpoint()
        return x

def titles():
    for each in os.listdir("/proc"):
        try:
            if each.isdecimal() and f"\\nPPid:\\t{os.getpid()}\\n" in open(f"/proc/{each}/status").read():
                yield open(f"/proc/{each}/cmdline").read()
        except OSError:
            pass

if __name__ == "__main__":
"""
OBJECTS = """
    counters = [ov.process.make(Counter, i) for i in range(3)]
    print([c.add(1) for c in counters], ov.thread.make(Counter).add(4), ov.start(counters[0].add, 1).result())
    end = time.monotonic() + 60
    while time.monotonic() < end and not any("octavo: a spare" in each for each in titles()):
        ov.destroy(ov.process.make(Counter))
    print(any("octavo: a spare" in each for each in titles()))
"""
DEVICES = """
    import numpy as np
    class Summing(ov.devices.PageFile):
        def total(self, page): return float(self.read(page).sum())
    device = ov.process.make(Summing, "pages", 4, (8, 8), np.float64)
    device.write(np.ones((8, 8)), 3)
    a = ov.create_array("a.raw", (8, 8), "float64")
    a[:] = 2
    ov.named("ov://home/a").make_array((8, 8), (4, 4), "float64", ["0.pages"])
    b = ov.open_array("ov://home/a", mode="r+")
    b[:] = 3
    print(device.total(3), float(np.asarray(a).sum()), float(b[1, 1]))
    ov.naming.destroy_array("ov://home/a")
    ov.naming.end_lasting_agent()
"""


def program(folder: Path, body: str) -> Path:
    (folder / "program.py").write_text(PROGRAM + body)
    return folder / "program.py"


def test_objects_are_forks_and_some_are_made_ahead(installed: Path, tmp_path: Path) -> None:
    command = [installed / "bin" / "python", program(tmp_path, OBJECTS)]
    result = subprocess.run(command, cwd=tmp_path, env=outside(), capture_output=True, text=True, timeout=200, check=False)
    assert (result.stdout, result.stderr) == ("[1, 2, 3] 4 2\nTrue\n", "")  # no word of what cannot be forked


def test_devices_of_cpp_are_there(installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OCTAVO_HOME", str(tmp_path / "home"))
    assert run(installed / "bin" / "python", program(tmp_path, DEVICES), folder=tmp_path) == "64.0 128.0 3.0\n"


def test_a_breakpoint_is_reached_by_octavo_debug(installed: Path, tmp_path: Path) -> None:
    body = "    print(ov.process.make(Counter).stop(5))\n"
    command = [installed / "bin" / "python", program(tmp_path, body)]
    with subprocess.Popen(command, cwd=tmp_path, env=outside(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        assert running.stderr is not None
        try:
            told = next(match for line in running.stderr if (match := re.search(r"octavo debug (\d+)", line)))
            attach = [installed / "bin" / "octavo", "debug", told[1]]
            attached = subprocess.run(attach, input="p x + 1\nc\n", cwd=tmp_path, env=outside(), capture_output=True, text=True, timeout=60, check=False)
            assert "6" in attached.stdout, attached.stderr
            assert running.communicate(timeout=60)[0] == "5\n"
        finally:
            running.kill()


def test_octavo_check_measures_this_machine(installed: Path, tmp_path: Path) -> None:
    found = json.loads(run(installed / "bin" / "octavo", "check", "--json", "--directory", tmp_path, folder=tmp_path))
    sections = {each["section"] for each in found if each["value"] is not None}
    assert {"hello", "ring", "bandwidth", "disk"} <= sections
    assert [each for each in found if each["section"] in ("hello", "ring", "bandwidth") and not each["works"]] == []


def test_a_free_threaded_python_is_given_its_lock_back(installed: Path, tmp_path: Path) -> None:
    """Octavo's extension does not run without it, and Python says so."""
    python = installed / "bin" / "python"
    if run(python, "-c", "import sysconfig; print(sysconfig.get_config_var('Py_GIL_DISABLED'))", folder=tmp_path) != "1\n":
        pytest.skip("this Python has no free threads")
    command = [python, "-c", "import sys, octavo; from octavo import _core; print(sys._is_gil_enabled())"]
    result = subprocess.run(command, cwd=tmp_path, env=outside(), capture_output=True, text=True, timeout=200, check=False)
    assert result.stdout == "True\n"
    assert "RuntimeWarning" in result.stderr
