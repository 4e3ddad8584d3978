# SPDX-License-Identifier: Apache-2.0
"""What the package says it has: what most programs use in octavo itself, the rest by its subject, each name in one place."""

from __future__ import annotations

import itertools
import pydoc
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import octavo
import pytest

MOST = 75  # names in octavo itself
SUBJECTS = ("buffered_arrays", "devices", "distributed", "errors", "fft", "job", "naming", "phases", "source", "streams", "watching")


def subject(name: str) -> ModuleType:
    module = getattr(octavo, name)
    assert isinstance(module, ModuleType)
    return module


def test_octavo_itself_has_what_most_programs_use() -> None:
    assert len(octavo.__all__) == len(set(octavo.__all__)) <= MOST
    assert [name for name in octavo.__all__ if not hasattr(octavo, name)] == []


@pytest.mark.parametrize("name", SUBJECTS)
def test_a_subject_is_there_without_an_import_of_its_own(name: str) -> None:
    program = f"import octavo; module = octavo.{name}; print(*(each for each in module.__all__ if getattr(module, each, None) is None)); octavo.{name}"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stdout.strip(), ended.stderr) == (0, "", "")


@pytest.mark.parametrize("name", SUBJECTS)
def test_dir_and_help_show_a_subject_and_its_names(name: str) -> None:
    module = subject(name)
    assert name in dir(octavo)
    assert f"octavo.{name}" in (octavo.__doc__ or "")
    assert ">>> " in (module.__doc__ or ""), "no use of it"
    assert set(module.__all__) <= set(dir(module))
    told = pydoc.render_doc(module, renderer=pydoc.plaintext)
    assert [each for each in module.__all__ if not re.search(rf"\b{each}\b", told)] == []


def test_each_name_is_in_one_place() -> None:
    """But errors, which octavo.errors has all of."""
    places = {name: set(subject(name).__all__) for name in SUBJECTS} | {"octavo": set(octavo.__all__)}
    both = {(one, other): places[one] & places[other] for one, other in itertools.combinations(places, 2) if {one, other} != {"errors", "octavo"}}
    assert {pair: names for pair, names in both.items() if names} == {}


def test_the_documentation_lists_the_names_of_each_subject(root: Path) -> None:
    rows = dict(re.findall(r"^\| `octavo\.(\w+)` \| (.*?) \|", (root / "docs" / "python.md").read_text(), re.MULTILINE))
    assert sorted(rows) == sorted(SUBJECTS)
    for name in SUBJECTS:
        own = set(subject(name).__all__) - set(octavo.__all__)
        assert set(re.findall(r"`(\w+)`", rows[name])) == own, name
