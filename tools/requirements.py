# SPDX-License-Identifier: Apache-2.0
"""Prints the packages of the named groups, one a line, as pyproject.toml lists them.

python tools/requirements.py run test     # run: what building and running need, build: what building does; others: [dependency-groups]
"""

import sys
from pathlib import Path

try:
    import tomllib
except ImportError:  # Python 3.10
    from pip._vendor import tomli as tomllib


def requirements(text: str, groups: list[str]) -> list[str]:
    project = tomllib.loads(text)
    build = project["build-system"]["requires"]
    known = {"build": build, "run": build + project["project"]["dependencies"], **project["dependency-groups"]}
    return [line for group in groups for line in known[group]]


if __name__ == "__main__":
    pyproject = Path(__file__).resolve().parent.parent / "pyproject.toml"
    print("\n".join(requirements(pyproject.read_text(), sys.argv[1:])))
