# SPDX-License-Identifier: Apache-2.0
"""A job of Slurm, played by a fake srun: the program is a batch script's. A cluster of Slurm is in tests/conformance/machine/every_engine_test.cpp."""

from __future__ import annotations

import os
from pathlib import Path

import octavo
import pytest
from programs_kit import run_program

pytestmark = pytest.mark.timeout(120)
KIT = Path(__file__).parents[4] / "tests" / "kit" / "engines"
NODES = """
with octavo.Runtime(engine=octavo.slurm(address="lo")) as job:
    print(*job.machines())
    parts = [job.machine(name).make(Counter, i) for i, name in enumerate(job.machines())]
    print(*[part.add(1) for part in parts])
"""


@pytest.fixture
def in_a_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "srun").symlink_to(KIT / "fake_srun.py")
    variables = {"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}", "SLURM_JOB_ID": "7", "SLURM_JOB_NODELIST": "n[1-3]", "SLURMD_NODENAME": "n1"}
    for name, value in variables.items():
        monkeypatch.setenv(name, value)


@pytest.mark.usefixtures("in_a_job")
def test_slurm1_the_nodes_of_the_job_are_machines(tmp_path: Path) -> None:
    assert run_program(tmp_path, NODES).split("\n")[:2] == ["n1 n2 n3", "1 2 3"]


@pytest.mark.usefixtures("in_a_job")
def test_slurm6_only_by_name_or_by_the_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "with octavo.Runtime({}) as job:\n    print(len(job.machines()))\n"
    assert run_program(tmp_path, text.format("")).strip() == "1"
    assert run_program(tmp_path, text.format("engine='slurm'")).strip() == "3"
    monkeypatch.setenv("OCTAVO_ENGINE", "slurm")
    assert run_program(tmp_path, text.format("")).strip() == "3"


def test_slurm1_outside_a_job_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    with pytest.raises(octavo.UsageError, match="this is no job of Slurm"):
        octavo.slurm()
    with pytest.raises(octavo.UsageError, match="patience"):
        octavo.slurm(patience=0)


@pytest.mark.usefixtures("in_a_job")
def test_slurm5_sigterm_is_an_exit_in_order(tmp_path: Path) -> None:
    text = """
    with octavo.Runtime(engine=octavo.slurm(address="lo")) as job:
        try:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(60)
        except SystemExit as end:
            print(end.code)
    print(signal.getsignal(signal.SIGTERM) == signal.SIG_DFL)
    """
    assert run_program(tmp_path, text).split() == ["143", "True"]
