# SPDX-License-Identifier: Apache-2.0
"""What the tests of a wheel share: commands as a user gives them, who has no source tree."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

FORBIDDEN = ("PYTHONPATH", "PYTHONHOME", "LD_LIBRARY_PATH", "VIRTUAL_ENV")  # each could bring another octavo


def outside() -> dict[str, str]:
    """The environment of a user who has no source tree."""
    return {name: value for name, value in os.environ.items() if name not in FORBIDDEN}


def run(*command: str | Path, folder: Path, seconds: int = 300) -> str:
    """What the command wrote to standard output; fails with all that it wrote if it does not end well."""
    result = subprocess.run([str(part) for part in command], cwd=folder, env=outside(), capture_output=True, text=True, timeout=seconds, check=False)
    assert result.returncode == 0, f"{command} ended with status {result.returncode}\n{result.stdout}{result.stderr}"
    return result.stdout
