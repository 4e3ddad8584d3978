# SPDX-License-Identifier: Apache-2.0
"""Programs whose executable cannot be started as an interpreter: no object is begun, and not the program again and again."""

from __future__ import annotations

import sys

import octavo
import pytest
from hosted_classes import Counter

pytestmark = pytest.mark.timeout(60)


def test_a_frozen_program_makes_none_in_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    with pytest.raises(octavo.UsageError, match="frozen program"):
        octavo.process.make(Counter)


@pytest.mark.parametrize("executable", [None, ""])
def test_nor_does_one_that_does_not_know_its_interpreter(monkeypatch: pytest.MonkeyPatch, executable: str | None) -> None:
    monkeypatch.setattr(sys, "executable", executable)
    with pytest.raises(octavo.UsageError, match=r"sys\.executable"):
        octavo.process.make(Counter)
