# SPDX-License-Identifier: Apache-2.0
"""Tries wheels in a bare root: a minimal Debian with its Python, no other package of ours, no network, and nothing of this machine but the kernel.

.venv/bin/python tools/wheel/bare_root.py bookworm dist/octavo-*.whl
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import old_python
import pythons

MIRROR = os.environ.get("OCTAVO_DEBIAN_MIRROR", "http://deb.debian.org/debian")
# Whose own Python is older than 3.10, and what one for it needs of them.
OLD = {"bullseye": old_python.LIBRARIES}
SCRIPTS = Path("/usr/share/debootstrap/scripts")
PLATFORMS = [f"manylinux{name}_x86_64" for name in ("_2_28", "_2_27", "_2_17", "2014")]
# Mounts end with the namespace: whatever happens, nothing of this machine is left mounted below the root that is removed.
INSIDE = """set -e
mount -t proc proc "$0/proc"
mount --rbind /dev "$0/dev"
exec chroot "$0" /usr/bin/env -i PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin HOME=/root LC_ALL=C.UTF-8 "$@"
"""
TRIAL = """set -eu
cd "$(mktemp -d)"
"$1" -m venv env
env/bin/python -m pip -q --disable-pip-version-check install --no-index --find-links /wheels octavo
PATH=$PWD/env/bin:$PATH
octavo --version
python -c 'import numpy; numpy.save("a.npy", numpy.random.default_rng(1).random((64, 48, 32)).astype("complex64"))'
octavo fft a.npy b.npy --memory 16MiB --quiet
python -c 'import numpy; want = numpy.fft.fftn(numpy.load("a.npy")); assert abs(numpy.load("b.npy") - want).max() < 1e-5 * abs(want).max()'
echo "octavo fft: as numpy.fft"
python /root/example.py
"""


def inside(root: Path, *command: str, network: bool = False) -> subprocess.CompletedProcess[str]:
    namespaces = ["unshare", "--mount", "--pid", "--fork", "--kill-child", *([] if network else ["--net"])]
    return subprocess.run([*namespaces, "sh", "-c", INSIDE, str(root), *command], capture_output=True, text=True, timeout=1800, check=False)


def first_example(readme: Path) -> str:
    """The program, and what it must print."""
    text = readme.read_text()
    program = re.search(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    output = re.search(r"<!-- output -->\n```\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    assert program, f"{readme} has no example in Python"
    assert output, f"{readme} does not say what its example prints"
    return f"{program[1]}\n# It prints:\n" + "".join(f"# {line}\n" for line in output[1].splitlines())


def expected(example: str) -> list[str]:
    return [line[2:] for line in example.split("# It prints:\n")[1].splitlines()]


def worked(root: Path, *command: str, network: bool = False) -> str:
    result = inside(root, *command, network=network)
    if result.returncode != 0:
        raise SystemExit(f"wheel: in {root}, {command[0]} ended with status {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


def make_root(suite: str, folder: Path, packages: tuple[str, ...]) -> None:
    command = ["debootstrap", "--variant=minbase", f"--include={','.join(packages)}", suite, str(folder), MIRROR]
    if not (SCRIPTS / suite).exists():  # a Debian that is younger than this machine's debootstrap
        command.append(str(SCRIPTS / "sid"))
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise SystemExit(f"wheel: {' '.join(command)}\n{result.stdout[-3000:]}{result.stderr[-3000:]}")


def version_of(root: Path, python: str) -> str:
    return worked(root, python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])").strip()


def fill(root: Path, version: str, wheels: list[Path], example: str) -> bool:
    """The wheel for its Python, what that depends on, and the example. Fetched here: there is no network inside."""
    fitting = [wheel for wheel in wheels if pythons.number(version) >= (3, 10) and f"-{pythons.tag(version)}-" in wheel.name]
    if not fitting:
        return False
    platforms = [word for name in PLATFORMS for word in ("--platform", name)]
    download = ["pip", "--disable-pip-version-check", "-q", "download", "--only-binary=:all:", "--python-version", version, *platforms]
    subprocess.run([sys.executable, "-m", *download, "-d", str(root / "wheels"), str(fitting[0])], check=True)
    (root / "root" / "trial.sh").write_text(TRIAL)
    (root / "root" / "example.py").write_text(example)
    return True


def try_in(root: Path, python: str, wheels: list[Path], readme: Path) -> str:
    """What it did, for people; raises if the wheel does not do there what it should."""
    version, example = version_of(root, python), first_example(readme)
    glibc = worked(root, "ldd", "--version").splitlines()[0].split()[-1]
    place = f"Python {version}, glibc {glibc}"
    if not fill(root, version, wheels, example):
        return f"{place}: not tried, no wheel is for this Python"
    said = worked(root, "sh", "/root/trial.sh", python)
    if missing := [line for line in expected(example) if line not in said.splitlines()]:
        raise SystemExit(f"wheel: in the bare root ({place}) README's example did not print {missing}\n{said}")
    return f"{place}: installed without network, `octavo fft` and README's first example ran\n" + said.rstrip()


def attempt(suite: str, wheels: list[Path], tree: Path) -> None:
    if os.geteuid() != 0 or not shutil.which("debootstrap"):
        print(f"wheel: no bare root of {suite}: that takes root rights and debootstrap (apt-get install debootstrap)")
        return
    folder = Path(tempfile.mkdtemp(prefix=f"octavo-{suite}-"))
    try:
        folder.chmod(0o755)
        found = ["/usr/bin/python3"]
        make_root(suite, folder, OLD.get(suite, ("python3", "python3-venv")))
        if suite in OLD:
            found = old_python.build(suite, MIRROR, folder, make_root, worked)
        for python in found:
            print(f"wheel: bare root of Debian {suite}, {try_in(folder, python, wheels, tree / 'README.md')}", flush=True)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    attempt(sys.argv[1], [Path(name) for name in sys.argv[2:]], Path(__file__).resolve().parent.parent.parent)
