# SPDX-License-Identifier: Apache-2.0
"""A Python that Octavo can use for a Debian whose own is too old: Debian's source of a later release, compiled in a root of that Debian.

So a wheel can be tried with a glibc that is really old: bullseye has 2.31. Takes some minutes.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

# The release whose source is taken, the version it has, and what a root needs to run it.
SOURCES = {"bookworm": "3.11", "trixie": "3.13"}
LIBRARIES = ("libbz2-1.0", "libffi7", "liblzma5", "libssl1.1", "zlib1g")
TOOLS = ("build-essential", "ca-certificates", "dpkg-dev", "libbz2-dev", "libffi-dev", "liblzma-dev", "libssl-dev", "zlib1g-dev")
COMPILE = """set -e
echo "deb-src $1 $2 main" >>/etc/apt/sources.list
apt-get -qq update
mkdir -p /root/source && cd /root
apt-get -qq source --download-only "python$3" >/dev/null
tar xf "python$3"_*.orig.tar.?z -C source --strip-components=1
cd source
./configure -q --prefix="/opt/python$3" >/dev/null
nice make -j2 >/root/make.log 2>&1 || { tail -20 /root/make.log; exit 1; }
make install >/dev/null 2>&1
"""


def build(suite: str, mirror: str, target: Path, make_root: Callable[[str, Path, tuple[str, ...]], None], run: Callable[..., str]) -> list[str]:
    """Compiled where there is a compiler, used where there is none: in `target`. Says where the Pythons are there."""
    workshop = Path(tempfile.mkdtemp(prefix="octavo-python-"))
    try:
        workshop.chmod(0o755)
        make_root(suite, workshop, TOOLS)
        for release, version in SOURCES.items():
            run(workshop, "sh", "-c", COMPILE, "compile", mirror, release, version, network=True)
        shutil.copytree(workshop / "opt", target / "opt", symlinks=True, dirs_exist_ok=True)
    finally:
        shutil.rmtree(workshop)
    return [f"/opt/python{version}/bin/python{version}" for version in SOURCES.values()]
