# SPDX-License-Identifier: Apache-2.0
"""Steps of objects_program.py: channels between the program and objects whose ends move, cancel, or die with their process."""

from __future__ import annotations

import os
import random
import signal
from typing import Any

import numpy as np
import octavo as ov


class Relay:
    """Takes part at one end, and hands it on."""

    def __init__(self) -> None:
        self.held: Any = None

    def hold(self, end: Any) -> int:
        self.held = end
        return os.getpid()

    def read(self, reader: ov.ChannelReader[Any], first: int, count: int) -> ov.ChannelReader[Any]:
        for number in range(first, first + count):
            assert same(reader.retrieve(), value_of(number)), number
        return reader

    def write(self, writer: ov.ChannelWriter[Any], first: int, count: int) -> ov.ChannelWriter[Any]:
        for number in range(first, first + count):
            writer.post(value_of(number))
        return writer


def value_of(number: int) -> Any:
    """Of every kind that travels another way."""
    kinds = [number, str(number) * 20, np.full(7, number), np.full(40_000, number), [number, {"n": number}]]
    return kinds[number % len(kinds)]


def same(one: Any, other: Any) -> bool:
    return bool(np.array_equal(one, other)) if isinstance(other, np.ndarray) else bool(one == other)


class ChannelSteps:
    def __init__(self, choices: random.Random) -> None:
        self._random = choices

    def _channel(self) -> tuple[ov.ChannelWriter[Any], ov.ChannelReader[Any]]:
        return ov.channel(messages=self._random.choice([1, 5, 256]))

    def flows(self) -> None:
        """Written by one object after another, and read by others."""
        out, reader = self._channel()
        writes, reads = ov.process.make(Relay), ov.process.make(Relay)
        total = self._random.randrange(60)
        written = taken = 0
        while written < total:
            count = self._random.randrange(1, total - written + 1)
            writing = ov.start(writes.write, out, written, count)
            written += count
            while taken < written:
                some = self._random.randrange(1, written - taken + 1)
                reader = reads.read(reader, taken, some) if self._random.random() < 0.6 else Relay().read(reader, taken, some)
                taken += some
            out = writing.result()
        out.close()
        assert list(reader) == []
        ov.destroy(writes)
        ov.destroy(reads)

    def reader_ends(self) -> None:
        out, reader = self._channel()
        victim = ov.process.make(Relay)
        pid = victim.hold(reader)
        kills = self._random.random() < 0.5
        if kills:
            os.kill(pid, signal.SIGKILL)
        else:
            victim.hold(None)
        try:
            for number in range(100_000):
                out.post(number)
        except ov.GoneError as error:
            assert kills or isinstance(error, ov.errors.ChannelCancelled)
        else:
            raise AssertionError("no end was told of a reader")

    def writer_ends(self) -> None:
        out, reader = self._channel()
        victim = ov.process.make(Relay)
        pid = victim.hold(None)
        writing = ov.start(victim.write, out, 0, 100_000)
        last = self._random.randrange(20)
        number = 0
        try:
            for number, value in enumerate(reader):
                assert same(value, value_of(number))
                if number == last:
                    os.kill(pid, signal.SIGKILL)
        except ov.ProcessDied:
            assert number >= last
        else:
            raise AssertionError("no end was told of a writer")
        assert isinstance(writing.exception(), ov.GoneError)
