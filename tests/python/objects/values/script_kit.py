# SPDX-License-Identifier: Apache-2.0
"""Definitions as those of a script, and what a worker makes of them."""

from __future__ import annotations

import textwrap
from typing import Any

import octavo


class Script:
    """A script, or the cells of a notebook: its globals."""

    def __init__(self, *cells: str) -> None:
        self.globals: dict[str, Any] = {"__name__": "__main__"}
        for cell in cells:
            self.run(cell)

    def run(self, cell: str) -> None:
        exec(textwrap.dedent(cell), self.globals)

    def __getattr__(self, name: str) -> Any:
        return self.globals[name]


def answer(worker: octavo.Executor, function: Any, *arguments: Any) -> Any:
    return worker.submit(function, *arguments).result()
