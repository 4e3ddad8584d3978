# SPDX-License-Identifier: Apache-2.0
"""Which software this is."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version

from octavo._src.checking.finding import Finding

SECTION = "versions"
NOT_NEEDED = {"zarr": "pip install zarr", "h5py": "pip install h5py"}  # what reads compressed Zarr, and HDF5


def find() -> Iterator[Finding]:
    """Octavo, Python, NumPy, what reads other formats, the system."""
    from octavo import __version__

    yield Finding(SECTION, "octavo", __version__)
    yield Finding(SECTION, "python", f"{platform.python_implementation()} {platform.python_version()}")
    import numpy as np

    yield Finding(SECTION, "numpy", np.__version__)
    for name, cure in NOT_NEEDED.items():
        found = version_of(name)
        yield Finding(SECTION, name, found or "not installed", cure="" if found else cure)
    yield Finding(SECTION, "system", system())
    yield Finding(SECTION, "platform", f"{platform.machine()}, {' '.join(platform.libc_ver()) or 'an unknown C library'}")
    yield Finding(SECTION, "kernel", f"{platform.system()} {platform.release()}")


def version_of(package: str) -> str:
    """Empty where it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def system() -> str:
    """The distribution, as it calls itself."""
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", "unknown")
    except OSError:
        return "unknown"
