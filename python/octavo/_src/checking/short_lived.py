# SPDX-License-Identifier: Apache-2.0
"""A folder that is gone afterwards, however often the user presses Ctrl-C."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def folder_in(directory: str) -> Iterator[Path]:
    """A new one in ``directory``; OSError where none can be made. tempfile's would be left where a second Ctrl-C comes while it is removed."""
    folder = Path(directory, f".octavo-check-{uuid.uuid4().hex}")
    try:
        folder.mkdir(0o700)
        yield folder
    finally:
        remove(folder)


def remove(folder: Path) -> None:
    """With all that is in it. What asks to stop meanwhile is raised when it is gone."""
    asked: BaseException | None = None
    for _ in range(100):
        try:
            shutil.rmtree(folder, ignore_errors=True)
            break
        except BaseException as stop:
            asked = stop
    if asked is not None:
        raise asked
