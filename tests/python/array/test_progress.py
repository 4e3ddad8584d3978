# SPDX-License-Identifier: Apache-2.0
"""The bar: on a terminal, in a notebook, nowhere else; and it can be switched off."""

import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import octavo
import pytest
import rich.console
from kit import noise
from octavo.progress import Bar


@pytest.fixture
def source(tmp_path: Path) -> Path:
    np.save(tmp_path / "a.npy", noise((64, 64, 16)))
    return tmp_path / "a.npy"


@pytest.mark.parametrize(("progress", "seen"), [(None, False), (False, False), (True, True)])
def test_a_bar_is_drawn_where_it_is_wanted(source: Path, capfd: pytest.CaptureFixture[str], progress: bool | None, seen: bool) -> None:
    """Here standard error is no terminal."""
    octavo.fft.fftn(source, out=source.with_name("s.zarr"), memory="8MiB", progress=progress).close()
    out, err = capfd.readouterr()
    assert out == ""
    assert ("GB/s" in err) == seen, err


def test_in_a_notebook_it_is_a_widget(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Any] = []

    class Output:
        def __enter__(self) -> "Output":
            return self

        def __exit__(self, *_: object) -> None:
            pass

        def clear_output(self, wait: bool = False) -> None:
            pass

    widgets, display = types.ModuleType("ipywidgets"), types.ModuleType("IPython.display")
    widgets.Output = Output  # type: ignore[attr-defined]
    display.display = lambda *what, **_: shown.extend(what)  # type: ignore[attr-defined]
    for name, module in (("ipywidgets", widgets), ("IPython", types.ModuleType("IPython")), ("IPython.display", display)):
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr(rich.console, "_is_jupyter", lambda: True)
    job = octavo.Job(source, source.with_name("s.zarr"), memory="8MiB")
    with Bar() as bar:
        job.run(bar.show)
    assert any(isinstance(each, Output) for each in shown)
    shown.clear()
    octavo.fft.fftn(source, out=source.with_name("s2.zarr"), memory="8MiB", progress=False).close()
    assert shown == []
