# SPDX-License-Identifier: Apache-2.0
"""What ./dev does where something is missing, played with commands that only say that they were called."""

import os
import subprocess
from pathlib import Path

import pytest


class System:
    """A system with the given packages, whose apt-get writes down its calls and knows packages only after `update`."""

    def __init__(self, root: Path, folder: Path) -> None:
        self.root = root
        self.calls = folder / "calls"
        self.calls.touch()
        self.bin = folder / "bin"
        self.bin.mkdir()
        self.put("id", "echo 0")
        self.packages()
        self.put("apt-get", f'echo "$DEBIAN_FRONTEND $*" >>{self.calls}; case "$*" in *update) touch {folder}/known;; *) test -e {folder}/known;; esac')

    def put(self, name: str, script: str) -> None:
        (self.bin / name).write_text(f"#!/bin/sh\n{script}\n")
        (self.bin / name).chmod(0o755)

    def packages(self, *absent: str) -> None:
        pattern = "|".join((*absent, "none"))
        self.put("dpkg-query", f'shift 3; for p; do case $p in {pattern}) ;; *) echo "$p installed";; esac; done')

    def need(self, *groups: str, before: str = "") -> subprocess.CompletedProcess[str]:
        script = f". tools/dev/needs.sh; {before}; need {' '.join(groups)}"
        path = f"{self.bin}:{os.environ['PATH']}"
        command = ["bash", "-euo", "pipefail", "-c", script]
        return subprocess.run(command, cwd=self.root, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False)


DEBIAN = "is_debian12() { true; }"
OTHER = "is_debian12() { false; }"


@pytest.fixture
def system(root: Path, tmp_path: Path) -> System:
    return System(root, tmp_path)


def test_nothing_missing_calls_nothing(system: System) -> None:
    result = system.need("build", "lint", before=OTHER)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    assert system.calls.read_text() == ""


def test_debian_installs_what_is_missing_and_fetches_the_lists_once_if_they_are_absent(system: System) -> None:
    system.packages("libcereal-dev", "clang-tidy")
    result = system.need("build", "lint", before=DEBIAN)
    assert result.returncode == 0, result.stderr
    install, update, again = system.calls.read_text().splitlines()
    assert install == again
    assert install.startswith("noninteractive ")
    assert install.endswith("install -y --no-install-recommends libcereal-dev clang-tidy")
    assert update.endswith(" update")


def test_another_system_names_what_is_missing(system: System) -> None:
    system.packages("libcereal-dev", "g++")
    result = system.need("build", before=OTHER)
    assert result.returncode == 2
    assert "missing on this system, by their Debian names: g++ libcereal-dev" in result.stderr
    assert system.calls.read_text() == ""


def test_debian_without_root_names_what_is_missing(system: System) -> None:
    system.packages("cmake")
    system.put("id", "echo 1000")
    system.put("sudo", "exit 1")
    result = system.need("build", before=DEBIAN)
    assert result.returncode == 2
    assert "sudo apt-get install cmake" in result.stderr


def test_debian_with_sudo_installs_by_it(system: System) -> None:
    system.packages("cmake")
    system.put("id", "echo 1000")
    system.put("sudo", f'echo "sudo $1" >>{system.calls}; shift; exec "$@"')
    assert system.need("build", before=DEBIAN).returncode == 0
    assert system.calls.read_text().count("sudo -n") >= 2


def test_a_package_apt_cannot_install_ends_with_its_name(system: System) -> None:
    system.packages("cmake")
    system.put("apt-get", "echo no such package >&2; exit 100")
    result = system.need("build", before=DEBIAN)
    assert result.returncode == 2
    assert "no such package" in result.stderr
    assert "could not install cmake" in result.stderr


def test_without_dpkg_commands_and_headers_are_looked_for(system: System) -> None:
    packages = "[g++]=g++ [odd]=no-such-command"
    headers = "[libstdc]=vector [absent-dev]=no/such.h"
    source = (system.root / "tools" / "dev" / "needs.sh").read_text()
    # The function as it is, asked about a command and a header that no machine has.
    assert "command_of=([g++]=g++" in source
    assert "header_of=([liburing-dev]=liburing.h" in source
    probe = source.replace("command_of=([g++]=g++", f"command_of=({packages}").replace("header_of=([liburing-dev]", f"header_of=({headers} [liburing-dev]")
    script = f"{probe}\nprobe g++ odd libstdc absent-dev"
    result = subprocess.run(["bash", "-euo", "pipefail", "-c", script], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout.split(), result.stderr) == (0, ["odd", "absent-dev"], "")


def test_help_names_every_command(root: Path) -> None:
    text = subprocess.run([root / "dev", "help"], capture_output=True, text=True, check=True).stdout
    for command in ("demo", "build", "test", "lint", "bench", "docs", "help"):
        assert f"\n  {command} " in text


def test_an_unknown_command_is_refused(root: Path) -> None:
    result = subprocess.run([root / "dev", "tset"], capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert "no command 'tset'" in result.stderr


def test_each_benchmark_has_a_target_of_its_own(root: Path) -> None:
    listed = (root / "benchmarks/CMakeLists.txt").read_text()
    names = {each.stem for each in (root / "benchmarks").iterdir() if each.suffix in (".py", ".cpp")}
    assert {each for each in names if f"octavo_benchmark({each} " not in listed} == set()
