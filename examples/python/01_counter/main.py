# SPDX-License-Identifier: Apache-2.0
"""An ordinary class in a process of its own: called, started, its exception caught by type, its death noticed."""

import os
import signal

import octavo as ov


class TooMuch(Exception):
    pass


class Counter:
    def __init__(self, start: int) -> None:
        self.value = start

    def add(self, n: int) -> int:
        if n > 100:
            raise TooMuch(f"at most 100 at a time, not {n}")
        self.value += n
        return self.value

    def crash(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    counter = ov.process.make(Counter, 5)  # a remote pointer, typed as the class
    print("add(3) gives", counter.add(3))  # waits

    first = ov.start(counter.add, 10)  # returns at once
    second = ov.start(counter.add, 20)  # runs after the first
    print("started calls give", first.result(), "and", second.result())

    try:
        counter.add(1000)
    except TooMuch as error:  # its own type, raised in the other process
        print(f"too_much: {error}")
    print("it lives on:", counter.add(1))

    try:
        counter.crash()
    except ov.ProcessDied as error:
        name = str(error).partition(" was killed by ")[2].split()[0]  # of the signal
        print(f"Counter was ended by signal {signal.Signals[name]:d}")
