# SPDX-License-Identifier: Apache-2.0
"""Pyro5 for ./dev bench python: a daemon in a forked process, on a Unix socket, by msgpack. Arrays travel as bytes, as Pyro5's documents advise.

It has no started calls. (A batch of a thousand is one message, another thing.)
"""

import multiprocessing
import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import Pyro5.api  # type: ignore[import-not-found, unused-ignore]
from python_answering import ENTRIES, FIRST, TEXT, Counter, Timing, check_arrays, made_array, say

FORKING = multiprocessing.get_context("fork")
FOLDER = tempfile.mkdtemp(prefix="octavo-bench-pyro-")
Made = tuple[Any, Any]


@Pyro5.api.expose
class Served(Counter):
    def take(self, data: Any) -> float:
        return super().take(np.frombuffer(data, np.float64))

    def whole(self) -> bytes:  # type: ignore[override]
        return super().whole().tobytes()

    def hold(self) -> None:
        super().hold()

    def inc(self, n: int) -> int:
        return super().inc(n)

    def described(self, entries: dict[str, int], text: str) -> int:
        return super().described(entries, text)


def serve(name: str, ready: Any) -> None:
    daemon = Pyro5.api.Daemon(unixsocket=f"{FOLDER}/{name}")
    uri = daemon.register(Served(FIRST))
    ready.send(str(uri))
    daemon.requestLoop()


def make(count: int) -> list[Made]:
    begun = []
    for i in range(count):
        here, there = FORKING.Pipe()
        process = FORKING.Process(target=serve, args=(f"{os.urandom(4).hex()}-{i}", there), daemon=True)
        process.start()
        begun.append((here, process))
    made = [(Pyro5.api.Proxy(here.recv()), process) for here, process in begun]
    for p, _ in made:
        p.inc(1)
    return made


def end(made: list[Made]) -> None:
    for p, process in made:
        p._pyroRelease()
        process.terminate()
        process.join()
    for path in Path(FOLDER).iterdir():
        path.unlink()


def main() -> None:
    Pyro5.config.SERIALIZER = "msgpack"
    timing = Timing()
    timing.make("Pyro5", make, end)
    made = make(1)
    p = made[0][0]
    timing.calls = 1
    array = made_array()
    p.hold()
    check_arrays(p.take(array.tobytes()), np.frombuffer(p.whole(), np.float64))
    timing.calls += 2
    rows = {
        "call": "p.inc(1)",
        "described": "p.described(ENTRIES, TEXT)",
        "argument": "p.take(array.tobytes())",
        "result": "numpy.frombuffer(p.whole())",
    }
    timing.measure("Pyro5", rows, {"p": p, "array": array, "numpy": np, "ENTRIES": ENTRIES, "TEXT": TEXT})
    timing.check(p.inc(0))
    end(made)
    Path(FOLDER).rmdir()
    say(timing.figures)


if __name__ == "__main__":
    main()
