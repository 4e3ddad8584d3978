# SPDX-License-Identifier: Apache-2.0
"""Many objects in one program: the limit of descriptors, which the program raises for itself, and its children do not have."""

from __future__ import annotations

import resource
from pathlib import Path

import pytest
from programs_kit import run_program

pytestmark = [pytest.mark.timeout(300), pytest.mark.slow]

MAKE = """
import resource
import octavo
resource.setrlimit(resource.RLIMIT_NOFILE, {limits})
class Small:
    def limit(self):
        return resource.getrlimit(resource.RLIMIT_NOFILE)
made = [octavo.process.make(Small) for _ in range({count})]
limits = {{each.result() for each in [octavo.start(p.limit) for p in made]}}
print(len(made), limits)
"""


def test_five_hundred_where_more_are_allowed(tmp_path: Path) -> None:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if hard < 4096:
        pytest.skip("the hard limit is too low")
    said = run_program(tmp_path, MAKE.format(limits=(1024, hard), count=500), seconds=200)
    assert said == f"500 {{(1024, {hard})}}\n"


def test_two_hundred_and_fifty_where_not(tmp_path: Path) -> None:
    said = run_program(tmp_path, MAKE.format(limits=(1024, 1024), count=250), seconds=200)
    assert said == "250 {(1024, 1024)}\n"
