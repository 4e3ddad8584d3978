# SPDX-License-Identifier: Apache-2.0
"""What is met in the first hours with arrays: the message says what to write."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import octavo
import pytest

pytestmark = pytest.mark.timeout(60)

MISTAKES: dict[str, tuple[Callable[[], Any], str]] = {
    "the target as s": (lambda: octavo.fft.fftn("a.npy", "b.npy"), r"NumPy's second argument \(extents\)\. Write out='b\.npy'"),
    "axes by name": (lambda: octavo.fft.fftn("a.npy", axes="time", out="b.npy"), "Give numbers, not names"),  # type: ignore[arg-type]
    "an axis by name": (lambda: octavo.open_array("a.npy").mean("time"), "axes are numbers here, not names"),  # type: ignore[arg-type]
    "one of two axes by name": (lambda: octavo.open_array("n.zarr").sum((0, "x")), "not names. It is axis 1"),  # type: ignore[arg-type]
    "memory without a unit": (lambda: octavo.fft.fftn("a.npy", out="b.npy", memory="64"), "Did you mean '64MiB'"),
}


@pytest.fixture(autouse=True)
def array(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    np.save("a.npy", np.ones((4, 6)))
    octavo.create_array("n.zarr", shape=(4, 6), dtype="f4", dims=("time", "x")).close()


@pytest.mark.parametrize(("mistake", "cure"), MISTAKES.values(), ids=MISTAKES)
def test_the_message_has_the_cure(mistake: Callable[[], Any], cure: str) -> None:
    with pytest.raises((octavo.UsageError, TypeError), match=cure):  # as NumPy has it
        mistake()


def test_a_job_shows_its_plan_and_a_report_one_line() -> None:
    job = octavo.Job("a.npy", "b.npy", memory="64MiB")
    assert "b.npy" in repr(job)
    assert job.plan in repr(job)
    assert "ProcessPhases" not in repr(job.run())
    assert not hasattr(octavo, "TYPE_CHECKING")
