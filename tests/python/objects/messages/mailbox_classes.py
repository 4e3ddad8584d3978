# SPDX-License-Identifier: Apache-2.0
"""The objects that post and retrieve in the tests of mailboxes, and names for these."""

from __future__ import annotations

import itertools
import os
from typing import Any

import numpy as np
import octavo as ov

at_import = ov.Mailbox("made at import", int)  # begins no Runtime: it is found where it is used
numbers = itertools.count()


def new_name() -> str:
    return f"{__name__} {next(numbers)}"


class Clerk:
    def echo(self, wanted: ov.Mailbox[Any], out: ov.Mailbox[Any], count: int) -> None:
        for _ in range(count):
            out.post(wanted.retrieve())

    def post(self, box: ov.Mailbox[Any], values: list[Any]) -> None:
        for each in values:
            box.post(each)

    def post_by_name(self, name: str, type: Any, value: Any) -> None:
        ov.Mailbox(name, type).post(value)

    def try_post(self, box: ov.Mailbox[Any], value: Any) -> bool:
        return box.try_post(value)

    def post_in_time(self, box: ov.Mailbox[Any], value: Any, timeout: float) -> None:
        box.post(value, timeout)

    def take(self, box: ov.Mailbox[Any], count: int) -> list[Any]:
        return [box.retrieve() for _ in range(count)]

    def take_in_time(self, box: ov.Mailbox[Any]) -> Any:
        return box.retrieve(timeout=30)

    def become_reader(self, box: ov.Mailbox[Any]) -> Any:
        return box.try_retrieve("nothing")

    def post_at_import(self) -> None:
        at_import.post(5)

    def serve(self, urgent: ov.Mailbox[Any], jobs: ov.Mailbox[Any], out: ov.Mailbox[Any]) -> None:
        while (box := ov.select(urgent, jobs)) is not urgent:
            out.post(box.retrieve() + 1)

    def sum_of(self, box: ov.Mailbox[np.ndarray]) -> float:
        return float(box.retrieve().sum())

    def pid(self) -> int:
        return os.getpid()

    def wait_calling(self, friend: Friend, box: ov.Mailbox[Any], by_select: bool) -> Any:
        friend.keep(self)
        posts = ov.start(friend.ask_and_post, box)
        came = ov.select(box, timeout=60).retrieve() if by_select else box.retrieve(timeout=60)
        posts.result()
        return came

    def answer(self) -> int:
        return 42


class Friend:
    def keep(self, clerk: Clerk) -> None:
        self.clerk = clerk

    def ask_and_post(self, box: ov.Mailbox[Any]) -> None:
        box.post(self.clerk.answer())


class Unchecked:
    """A mailbox that is made where it arrives: there its type is wrong."""

    def __init__(self, name: str, type: Any) -> None:
        self.facts = name, type

    def __reduce__(self) -> tuple[Any, ...]:
        return ov.Mailbox, self.facts
