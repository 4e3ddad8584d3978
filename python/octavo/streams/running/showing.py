# SPDX-License-Identifier: Apache-2.0
"""A stream as ``octavo ps`` sees it while it runs. With the flow's lock."""

from __future__ import annotations

from collections.abc import Sequence

from octavo import _core
from octavo.streams.running.crew import Crew
from octavo.streams.running.hands import Hand

NOTHING, WORKS, FOR_INPUT, FOR_ROOM = range(4)  # as C++ has them (detail/shown/counters.hpp)


class Showing:
    """What changed since it was shown last is written: once a batch, not once an item."""

    def __init__(self, crews: Sequence[Crew]) -> None:
        self._crews = crews
        self._shown = _core.ShownStream([(each.stage.name, each.report.place, each.stage.worker_count()) for each in crews])

    def show(self, given: int, delivered: int) -> None:
        for number, crew in enumerate(self._crews):
            if crew.changed:
                crew.changed = False
                self._show_crew(number, crew)
        self._shown.ends(given, delivered)

    def _show_crew(self, number: int, crew: Crew) -> None:
        report = crew.report
        self._shown.stage(number, max(0, report.taken), report.given, report.busy, report.waited_for_input, report.waited_for_room)
        for hand in crew.hands:
            does = (NOTHING if crew.ending >= 0 else _doing(hand), hand.since)
            if does != hand.shown:
                hand.shown = does
                self._shown.worker(number, hand.index, *does)

    def end(self) -> None:
        self._shown.hide()


def _doing(hand: Hand) -> int:
    if hand.begins:
        return NOTHING
    return WORKS if hand.calls else FOR_ROOM if hand.for_room else FOR_INPUT
