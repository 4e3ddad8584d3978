# SPDX-License-Identifier: Apache-2.0
"""Gives the items of a farm to its workers, where not who is free has the next. With the flow's lock."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from octavo.errors import UsageError
from octavo.streams.items import To
from octavo.streams.running.belt import Belt
from octavo.streams.running.hands import Hand
from octavo.streams.stages import Stage

MOST = 64  # items that lie before one worker


class Dealer:
    def __init__(self, stage: Stage[Any, Any], before: Belt) -> None:
        self._stage, self._before = stage, before

    def deal(self, hands: list[Hand], number: int) -> int:
        """As far as each may have some before it; returns the next number. hands: all, in their order. Raises what functions of by() and scatter() do."""
        while self._before.items and (to := self._whom(self._before.items[0][0], hands, number)):
            if any(len(each.dealt) >= MOST for each, _ in to):
                break
            self._before.take()
            for each, part in to:
                each.dealt.append((number, part))
            number += 1
        return number

    def _whom(self, item: Any, hands: list[Hand], number: int) -> Sequence[tuple[Hand, Any]]:
        """None: who is free."""
        if isinstance(item, To):
            return [(hands[self._checked(item.worker, len(hands))], item.item)]
        kind, function, _ = self._stage.dealing
        if kind == "turn":
            return [(hands[number % len(hands)], item)]
        if kind == "all":
            return [(each, item) for each in hands]
        if kind == "free" or function is None:
            return ()
        if kind == "key":
            return [(hands[hash(function(item)) % len(hands)], item)]
        return list(zip(hands, self._parts_of(function(item, len(hands)), len(hands)), strict=True))

    def _checked(self, worker: int, workers: int) -> int:
        if not self._stage.several:
            what = f"octavo.streams.To({worker}, ...) names a worker of the next farm, and '{self._stage.name}' is a stage"
            raise UsageError(f"{what}. Make it a farm, or give the item")
        if not 0 <= worker < workers:
            raise UsageError(f"a result for worker {worker} of a farm of {workers}. Name one from 0 on, or give it more workers()")
        return worker

    @staticmethod
    def _parts_of(parts: Sequence[Any], workers: int) -> list[Any]:
        found = list(parts)
        if len(found) != workers:
            raise UsageError(f"scatter() got {len(found)} parts of an item for {workers} workers. Give one for each")
        return found
