# SPDX-License-Identifier: Apache-2.0
"""Ends with status 0 where this Python can build and run Octavo. Runs on any Python 3, so its syntax is old."""

import pathlib
import sys
import sysconfig

try:
    import ensurepip  # noqa: F401  (Debian's python3 without python3-venv lacks it)
    import venv  # noqa: F401
except ImportError:
    sys.exit(1)

header = pathlib.Path(sysconfig.get_paths()["include"]) / "Python.h"
sys.exit(0 if sys.version_info >= (3, 10) and header.exists() else 1)
