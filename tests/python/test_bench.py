# SPDX-License-Identifier: Apache-2.0
"""The benchmark of the main job, on an array so small that its figures mean nothing: it runs, checks the result, and says all that it must."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

KEYS = ["name", "value", "spread", "unit", "limit", "peers", "to_limit", "to_best_peer", "conditions"]
MIB = 1 << 20


def run_bench(root: Path, work: Path, *arguments: str) -> tuple[subprocess.CompletedProcess[str], list[dict[str, object]]]:
    """Through the tool that ./dev bench calls; the lines of its JSON."""
    report = work / "report.json"
    done = subprocess.run(
        [sys.executable, str(root / "tools" / "run_bench.py"), *arguments, "--json", str(report)],
        env={**os.environ, "OCTAVO_BENCH_DIR": str(work)},
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    return done, [json.loads(line) for line in report.read_text().splitlines()] if report.exists() else []


@pytest.fixture
def work(tmp_path: Path) -> Iterator[Path]:
    """Emptied at once: pytest keeps what three runs wrote, and these files are large."""
    yield tmp_path
    shutil.rmtree(tmp_path)


def test_fft_says_how_near_to_the_disk_it_is(root: Path, work: Path) -> None:
    done, lines = run_bench(root, work, "fft", "--size", "64MiB", "--rounds", "1", "--peer-limit", "60")
    if "changed by more than 1.5 x" in done.stderr:  # void, all of them: the tests beside this one use the disk too
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stdout + done.stderr
    assert all(list(line) == KEYS for line in lines)
    rate = lines[0]
    assert (rate["name"], rate["unit"]) == ("fft", "GB/s")
    assert rate["spread"] == [rate["value"], rate["value"]]  # one job
    conditions = rate["conditions"]
    assert (conditions["shape"], conditions["memory"], conditions["jobs"]) == ([128, 128, 256], 16 * MIB, 1)
    assert conditions["worst_error"] <= 1e-12
    # The ratios are what the figures say: the limit in the same unit, and the peer on the same bytes.
    assert rate["to_limit"] == pytest.approx(rate["value"] / rate["limit"]["value"], rel=2e-3)
    assert rate["to_best_peer"] == pytest.approx(rate["value"] / max(rate["peers"].values()), rel=2e-3)
    assert rate["value"] == pytest.approx(2 * conditions["passes"] * 64 * MIB / 1e9 / conditions["seconds"][0], rel=2e-3)
    if conditions["allowed"] != "not held":
        assert lines[1]["name"] == "fft peak memory"
        assert lines[1]["to_limit"] >= 1
    assert sorted(path.name for path in work.iterdir()) == ["field-64.zarr", "field-64.zarr.made", "report.json"]


def test_a_size_that_is_no_power_of_two_is_refused(root: Path, work: Path) -> None:
    done, lines = run_bench(root, work, "fft", "--size", "96MiB")
    assert done.returncode != 0
    assert "choose a power of two" in done.stderr
    assert not lines


def test_call_says_how_near_to_a_cache_line_it_is(root: Path, work: Path) -> None:
    done, lines = run_bench(root, work, "call")
    assert done.returncode == 0, done.stdout + done.stderr
    places = ["", " to one whose thread waits", " on a thread", " on a played machine", " by a program whose thread waits"]
    assert [(line["name"], line["unit"]) for line in lines] == [row for at in places for row in ((f"call{at}", "us"), (f"call started{at}", "calls/s"))]
    for line in lines:
        assert list(line) == KEYS
        assert 0 < line["spread"][0] <= line["value"] <= line["spread"][1]
        assert line["limit"]["value"] > 0
    assert lines[0]["to_limit"] == pytest.approx(lines[0]["limit"]["value"] / lines[0]["value"], rel=2e-3)


def test_python_says_which_peers_are_missing_and_what_the_import_adds(root: Path) -> None:
    """Without the calls, which take minutes."""
    code = "import json, python; w = {}; python.programs(w, ''); print(json.dumps(w)); print(python.importing(w).line())"
    environment = {**os.environ, "PYTHONPATH": str(root / "benchmarks"), "OCTAVO_PEERS_PYTHON": "/no/interpreter"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True, timeout=120)
    without, line = map(json.loads, done.stdout.splitlines())
    assert {"mpi4py", "ray", "dragon", "monarch"} <= set(without)
    assert without["dragon"].startswith("no module dragon in /no/interpreter")
    assert (line["name"], line["unit"], list(line)) == ("python import octavo, beyond NumPy", "ms", KEYS)
    assert line["limit"]["value"] == 50
    assert set(line["conditions"]["beside"]) == {"with what an object needs", "import numpy"}


def test_message_has_peers_and_says_which_are_missing(root: Path, work: Path) -> None:
    done, lines = run_bench(root, work, "message", "--only", "message between threads")
    if "far state" in done.stdout:  # void: the tests beside this one use the processors too
        pytest.skip(done.stdout.strip())
    assert done.returncode == 0, done.stdout + done.stderr
    assert [(line["name"], line["unit"], list(line)) for line in lines] == [("message between threads", "us", KEYS)]
    assert list(lines[0]["peers"]) == ["mutex and condition variable"]
    assert lines[0]["conditions"]["without"]["FastFlow"].startswith("not given: --fastflow DIR")
    assert lines[0]["to_best_peer"] == lines[0]["conditions"]["to mutex and condition variable"]


def test_buffered_has_peers_held_to_the_same_memory(root: Path, work: Path) -> None:
    done, lines = run_bench(root, work, "buffered", "--quick", "--only", "inner product", "--rounds", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert [(line["name"], line["unit"], list(line)) for line in lines] == [("inner product, blocks", "s", KEYS), ("inner product, []", "s", KEYS)]
    for line in lines:
        assert {"hand", "mmap", "memmap"} <= set(line["peers"]), line["conditions"]
        assert line["limit"]["name"].startswith("disk: O_DIRECT")
        assert line["to_limit"] == pytest.approx(line["limit"]["value"] / line["value"], rel=2e-3)
    assert sorted(path.name for path in work.iterdir()) == ["report.json"]
