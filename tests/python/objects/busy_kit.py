# SPDX-License-Identifier: Apache-2.0
"""An object that is busy, for the tests of started calls."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import octavo
from hosted_classes import Counter
from kit import wait_for


class Busy:
    """An object that does nothing else until it is let go: it computes, or it waits for another object."""

    def __init__(self, directory: Path, *, waits: bool) -> None:
        self.p = octavo.process.make(Counter)
        began, self.gate = directory / "began", directory / "gate"
        self.held: octavo.Future[Any]
        if waits:
            self.held = octavo.start(self.p.ask, octavo.process.make(Counter), "hold", str(self.gate), str(began))
        else:
            self.held = octavo.start(self.p.hold, str(self.gate), str(began))
        wait_for(began.exists, 20, "it is busy")

    def let_go(self) -> None:
        self.gate.touch()
