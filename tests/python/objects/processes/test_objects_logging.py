# SPDX-License-Identifier: Apache-2.0
"""Logging of objects: what comes home without a word from the user, and that the object's own set-up holds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from programs_kit import run_program

pytestmark = pytest.mark.timeout(60)

SPEAKING = """
import logging
from pathlib import Path

class Speaking:
    def __init__(self, how=""):
        if how == "basic":
            logging.basicConfig(level=logging.INFO, format="%(levelname)s by %(name)s: %(message)s")
        elif how == "handler":
            handler = logging.FileHandler("log")
            handler.setFormatter(logging.Formatter("%(levelname)s: %(message)s"))
            logging.getLogger("my.part").addHandler(handler)
    def speak(self):
        log = logging.getLogger("my.part")
        log.debug("a"), log.info("b"), log.warning("c %d", 3)
        try:
            raise LookupError("d")
        except LookupError:
            log.exception("e")
        return [len(logging.getLogger().handlers), type(logging.lastResort).__name__]
"""


def lines_of(told: str) -> list[str]:
    return [re.sub(r"^\(Speaking, pid \d+\) ", "", line) for line in told.splitlines() if line.startswith("(Speaking, pid ")]


def test_warnings_come_home_with_level_and_logger(tmp_path: Path) -> None:
    told = run_program(tmp_path, SPEAKING + "assert octavo.process.make(Speaking).speak() == [0, '_StderrHandler']\n")
    lines = lines_of(told)
    assert lines[:3] == ["WARNING:my.part:c 3", "ERROR:my.part:e", "Traceback (most recent call last):"]
    assert lines[-1] == "LookupError: d"


def test_basic_config_in_the_constructor_holds(tmp_path: Path) -> None:
    told = run_program(tmp_path, SPEAKING + "octavo.process.make(Speaking, 'basic').speak()\n")
    assert lines_of(told)[:3] == ["INFO by my.part: b", "WARNING by my.part: c 3", "ERROR by my.part: e"]


def test_a_handler_of_its_own_takes_the_place_of_what_comes_home(tmp_path: Path) -> None:
    told = run_program(tmp_path, SPEAKING + "octavo.process.make(Speaking, 'handler').speak()\n")
    assert lines_of(told) == []
    assert (tmp_path / "log").read_text().splitlines()[:2] == ["WARNING: c 3", "ERROR: e"]


def test_logging_of_the_program_stays_as_it_is(tmp_path: Path) -> None:
    """An object on a thread has the program's."""
    told = run_program(tmp_path, SPEAKING + "octavo.process.make(Speaking); octavo.thread.make(Speaking).speak()\n")
    assert told.splitlines()[:2] == ["c 3", "e"]
