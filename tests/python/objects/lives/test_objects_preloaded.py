# SPDX-License-Identifier: Apache-2.0
"""octavo.preload(): modules that are imported once, before the forks."""

from __future__ import annotations

from pathlib import Path

import octavo
import pytest
from programs_kit import run_program

pytestmark = pytest.mark.timeout(60)

SLOW = """
import os
imported_by = os.getpid()
class Model:
    def who(self): return imported_by, os.getpid(), os.getppid()
"""


def test_an_object_has_what_was_imported_before_it_was_forked(tmp_path: Path) -> None:
    (tmp_path / "slow_module.py").write_text(SLOW)
    said = run_program(
        tmp_path,
        """
        import octavo, slow_module
        octavo.preload("slow_module")
        octavo.preload("slow_module", "email.message")
        first, second = (octavo.process.make(slow_module.Model).who() for _ in range(2))
        assert first[0] == second[0] and first[0] not in (first[1], second[1], os.getpid()), (first, second)
        print("shared")
        """,
    )
    assert "shared" in said


def test_one_that_cannot_be_imported_there_is_said_and_done_without(tmp_path: Path) -> None:
    (tmp_path / "broken_module.py").write_text("raise ValueError('broken')")
    said = run_program(
        tmp_path,
        """
        import octavo
        octavo.preload("broken_module")
        print(octavo.process.make(dict, a=1)["a"])
        """,
    )
    assert "1" in said


def test_names_of_modules_alone() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"no module named 'not_there\.at_all'"):
        octavo.preload("not_there.at_all")
    with pytest.raises(octavo.UsageError, match=r"octavo\.preload\('pathlib'\)"):
        octavo.preload(__import__("pathlib"))
