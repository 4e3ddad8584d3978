# SPDX-License-Identifier: Apache-2.0
"""Each of these tests has a home for names of its own, and a Runtime; at its end nothing that has a name may be left running."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path

import octavo
import pytest
from kit import MARK, marked, wait_for


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    mark = uuid.uuid4().hex
    monkeypatch.setenv(MARK, mark)
    monkeypatch.setenv("OCTAVO_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    with octavo.Runtime():
        yield tmp_path / "home"
        octavo.naming.end_lasting_agent()
    wait_for(lambda: marked(mark) == [], 20, "all processes with names have ended")
