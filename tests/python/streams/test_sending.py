# SPDX-License-Identifier: Apache-2.0
"""What cannot be sent to a stage's worker, or not be read there, ends the stream in its place (ST-3): the good items of its call are not taken along."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import octavo
import pytest

pytestmark = pytest.mark.timeout(120)
WRONG = 130


class Unreadable:
    """It is pickled, and what it is made of again raises."""

    def __reduce__(self) -> tuple[Callable[[str], Any], tuple[str]]:
        return int, ("no number",)


def items(wrong: object) -> Iterator[object]:
    return iter([*range(WRONG), wrong, *range(200)])


def same(x: object) -> object:
    return x


async def same_awaited(x: object) -> object:
    return x


@pytest.mark.parametrize("what", [same, same_awaited])
@pytest.mark.parametrize(("wrong", "error"), [(threading.Lock(), TypeError), (Unreadable(), ValueError)], ids=["not sent", "not read"])
def test_st3_an_item_that_cannot_come_is_alone_in_it(what: Any, wrong: object, error: type[Exception]) -> None:
    for stage in (octavo.stage(what), octavo.farm(what).workers(2)):
        got: list[object] = []
        with pytest.raises(error) as raised:
            octavo.pipeline(stage).run(items(wrong), into=got.append)
        assert got == list(range(WRONG))
        assert getattr(raised.value, "__notes__", [f"item {WRONG}"])[-1].endswith(f"item {WRONG}")  # Python 3.10 has no notes
