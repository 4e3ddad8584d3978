# SPDX-License-Identifier: Apache-2.0
"""The programs of ./dev bench python: one of each library that is here, and why the others are not. Each prints its figures (peers/python)."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from kit.held import ROOT

PEERS = ROOT / "benchmarks" / "peers" / "python"
LONGEST = 120.0  # seconds of one program
Figures = dict[str, dict[str, list[float]]]  # of each row, by who
MODULES = {  # by which a library is found
    "mpi4py": "mpi4py",
    "ray": "ray",
    "joblib": "joblib",
    "dask": "distributed",
    "pyro5": "Pyro5",
    "charm4py": "charm4py",
    "xoscar": "xoscar",
    "dragon": "dragon",
    "monarch": "monarch.actor",
}


HERE = tuple(f"{name}{rows}" for name in ("octavo", "multiprocessing") for rows in ("", "_groups", "_queues", "_tasks"))  # which need no other module


class Failed(Exception):
    """A program gave no figures; the text is why."""


@dataclass(frozen=True)
class Program:
    """One library's, and the command that runs it."""

    name: str
    command: list[str]

    def run(self, quick: bool, figures: Figures, beside: Figures) -> None:
        """Adds its figures. Its folder for all that it writes is removed; what it leaves running after LONGEST is ended."""
        with tempfile.TemporaryDirectory(prefix="octavo-bench-", ignore_cleanup_errors=True) as folder:
            allowed = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMP_NUM_THREADS": "1"}
            cached = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": folder}  # or each new process compiles the modules of the benchmark
            whole = [*self.command, *(["--quick"] if quick else [])]
            pipe = subprocess.PIPE
            process = subprocess.Popen(
                whole,
                cwd=folder,
                env={**os.environ, **allowed, **cached, "HOME": folder, "PYTHONPATH": f"{PEERS}:{PEERS / 'tasks'}"},
                stdout=pipe,
                stderr=pipe,
                text=True,
                start_new_session=True,
            )
            try:
                output, errors = process.communicate(timeout=LONGEST)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
                raise Failed(f"no answer in {LONGEST:.0f} s") from None
        lines = [line for line in output.splitlines() if line.startswith('{"figures"')]
        if not lines or process.returncode != 0:
            why = [line for line in errors.splitlines() if line.strip()] or ["no figures"]
            raise Failed(f"ended with status {process.returncode}: {why[-1].strip()}")
        said = json.loads(lines[-1])
        for found, into in ((said["figures"], figures), (said["beside"], beside)):
            for row, each in found.items():
                for who, value in each.items():
                    into.setdefault(row, {}).setdefault(who, []).append(value)


def interpreters() -> list[str]:
    return [path for path in os.environ.get("OCTAVO_PEERS_PYTHON", "").split(":") if path] or [sys.executable]


def has(python: str, module: str) -> bool:
    code = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({module!r}) is None)"
    try:
        return subprocess.run([python, "-c", code], check=False, capture_output=True).returncode == 0
    except OSError:
        return False


def programs(without: dict[str, str], only: str) -> list[Program]:
    """Octavo first, then the peers that are here."""

    def of(name: str) -> str:
        return str(PEERS / ("tasks" if name.endswith("_tasks") else "") / f"python_{name}.py")

    found = [Program(name, [sys.executable, of(name)]) for name in HERE]
    for name, module in MODULES.items():
        having = [python for python in interpreters() if has(python, module)]
        if not having:
            without[name] = f"no module {module} in {', '.join(interpreters())} (see OCTAVO_PEERS_PYTHON above)"
        for python in having if name == "mpi4py" else having[:1]:
            if name == "mpi4py":
                mpiexec = shutil.which("mpiexec", path=f"{Path(python).parent}:{os.environ.get('PATH', '')}")
                if mpiexec is None:
                    without[name] = f"no mpiexec beside {python} or in PATH"
                    continue
                version = subprocess.run([mpiexec, "--version"], capture_output=True, text=True, check=False).stdout
                unbound = [] if "HYDRA" in version else ["--bind-to", "none"]  # the ranks bind themselves
                found.append(Program(f"mpi4py of {python}", [mpiexec, *unbound, "-n", "2", python, of(name)]))
                more = [] if "HYDRA" in version else ["--oversubscribe"]  # than cores
                for size in ("2", "4"):
                    found.append(Program(f"mpi4py of {python}, {size} members", [mpiexec, *unbound, *more, "-n", size, python, of("mpi4py_groups")]))
            elif name == "charm4py":
                found.append(Program(name, [python, "-m", "charmrun.start", "+p2", of(name)]))
            elif name == "dragon":  # which looks for its other commands in PATH, and hangs where it leads a session
                found.append(Program(name, ["sh", "-c", 'PATH=$0:$PATH; dragon -s "$@"; exit $?', str(Path(python).parent), of(name)]))
            else:
                rows = {"ray": ("ray", "ray_queues", "ray_tasks"), "joblib": ("joblib_tasks",)}
                found += [Program(each, [python, of(each)]) for each in rows.get(name, (name,))]
    return [each for each in found if each.name.startswith("octavo") or only in each.name]
