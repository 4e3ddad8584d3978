# SPDX-License-Identifier: Apache-2.0
"""What stands beside the code says what is so: paths exist, versions are one, and CI and the hooks call ./dev."""

import re
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

import lint

DOCUMENTS = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "docs/contract.md", "tests/README.md"]
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")
PATH = re.compile(r"`((?:src|include|python|tests|docs|tools|benchmarks|examples)/[^`\s*<>]+)`")


def read(root: Path, name: str) -> Any:
    yaml = pytest.importorskip("yaml")
    return yaml.safe_load((root / name).read_text())


@pytest.mark.parametrize("name", DOCUMENTS)
def test_paths_that_a_document_names_are_there(root: Path, name: str) -> None:
    text = (root / name).read_text()
    named = {*LINK.findall(text), *PATH.findall(text)}
    assert named
    assert sorted(path for path in named if not (root / path).exists()) == []


def test_citation_has_the_version_of_the_package_and_names_every_author(root: Path) -> None:
    citation = read(root, "CITATION.cff")
    version = re.search(r'^version = "(.+)"', (root / "pyproject.toml").read_text(), re.MULTILINE)
    assert version is not None
    assert (citation["cff-version"], citation["type"], citation["version"], citation["license"]) == ("1.2.0", "software", version[1], "Apache-2.0")
    assert len(citation["references"]) == 5
    for work in citation["references"]:
        assert work["title"]
        assert all(author["family-names"] and author["given-names"] for author in work["authors"])


def test_the_workflow_runs_dev_test_and_ends(root: Path) -> None:
    workflow = read(root, ".github/workflows/test.yml")
    assert workflow["concurrency"]["cancel-in-progress"] is True
    (job,) = workflow["jobs"].values()
    assert job["timeout-minutes"] > 0
    assert [step["run"] for step in job["steps"] if "./dev" in step.get("run", "")] == ["./dev test"]
    used = [step["uses"] for step in job["steps"] if "uses" in step]
    assert all(re.fullmatch(r"actions/(checkout|upload-artifact)@v\d+", each) for each in used), used


def test_the_hooks_call_checks_that_there_are(root: Path) -> None:
    (local,) = read(root, ".pre-commit-config.yaml")["repos"]
    commands = [hook["entry"].split() for hook in local["hooks"]]
    assert all(command[:2] == ["./dev", "lint"] for command in commands)
    assert {name for command in commands for name in command[2:]} <= set(lint.checks())


def test_the_bindings_have_one_way_to_the_lock_of_the_interpreter(root: Path) -> None:
    """lock.hpp says why; the casters of functions take it by nanobind's way, too."""
    folder = root / "python" / "bindings"
    found = {str(each.relative_to(folder)) for each in folder.rglob("*.[ch]pp") if re.search(r"gil_scoped_|PyGILState_|PyEval_|stl/function", each.read_text())}
    assert found == {"lock.hpp"}
