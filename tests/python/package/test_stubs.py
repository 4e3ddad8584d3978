# SPDX-License-Identifier: Apache-2.0
"""_core.pyi names what the extension has, and nothing else."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from octavo import _core

FOR_ALL = {name for name in dir(_core.Storage) if hasattr(object, name)} | {"__module__", "__vectorcalloffset__"}


def stub(root: Path) -> ast.Module:
    return ast.parse((root / "python" / "octavo" / "_core.pyi").read_text())


def names_in(body: list[ast.stmt]) -> set[str]:
    functions = {each.name for each in body if isinstance(each, ast.FunctionDef | ast.ClassDef)}
    return functions | {each.target.id for each in body if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)}


def test_the_stub_has_the_extensions_names(root: Path) -> None:
    assert names_in(stub(root).body) == {name for name in dir(_core) if not name.startswith("__")}


def test_a_stubs_class_has_its_names(root: Path) -> None:
    classes = [each for each in stub(root).body if isinstance(each, ast.ClassDef)]
    assert len(classes) > 5
    for each in classes:
        has = set(dir(getattr(_core, each.name))) - FOR_ALL
        assert names_in(each.body) - {"__init__"} == has, each.name


@pytest.mark.parametrize("options", [_core.TargetOptions, _core.CreateOptions])
def test_options_that_are_said_by_names_refuse_others(options: type[_core.TargetOptions | _core.CreateOptions]) -> None:
    with pytest.raises(ValueError, match="map 'odd'"):
        options().map = "odd"
