# SPDX-License-Identifier: Apache-2.0
"""mpi4py for ./dev bench python, by mpiexec -n 2: objects pickled (send, recv), pickled with the arrays out of band (pkl5), and buffers (Send, Recv).

Rank 1 holds the object and calls what it is told. Of buffers it is told beforehand which call comes how often, and both sides have theirs ready:
the least that can be done. It has no making of objects: processes are made at the start.
"""

import sys
import time
from typing import Any

import numpy as np
from mpi4py import MPI  # type: ignore[import-not-found, unused-ignore]
from mpi4py.util import pkl5  # type: ignore[import-not-found, unused-ignore]
from python_answering import ELEMENTS, ENTRIES, FIRST, STARTED, TEXT, Counter, Loop, Timing, check_arrays, made_array, pin, say

WORLD = MPI.COMM_WORLD
OUT_OF_BAND = pkl5.Intracomm(WORLD)
LIBRARY = "{0} {1[0]}.{1[1]}.{1[2]}".format(*MPI.get_vendor())


def serve_buffers(counter: Counter, row: str, count: int) -> None:
    word, array = np.zeros(1, np.int64), np.zeros(ELEMENTS)
    for _ in range(count):
        if row == "argument":
            WORLD.Recv(array, 0)
            word[0] = counter.take(array)
            WORLD.Send(word, 0)
        elif row == "result":
            WORLD.Recv(word, 0)
            WORLD.Send(counter.whole(), 0)
        else:
            WORLD.Recv(word, 0)
            word[0] = counter.inc(int(word[0]))
            WORLD.Send(word, 0)


def serve() -> None:
    counter = Counter(FIRST)
    comm: Any = WORLD
    while True:
        method, arguments = comm.recv(source=0)
        if method == "end":
            return
        if method == "buffers":
            serve_buffers(counter, *arguments)
        elif method == "out of band":
            comm = OUT_OF_BAND
        else:
            comm.send(getattr(counter, method)(*arguments), 0)


def by_buffers(row: str, array: Any) -> Loop:
    word = np.ones(1, np.int64)
    into = np.zeros(ELEMENTS)

    def loop(count: int) -> float:
        OUT_OF_BAND.send(("buffers", (row, count)), 1)
        begin = time.perf_counter()
        for _ in range(count):
            if row == "argument":
                WORLD.Send(array, 1)
                WORLD.Recv(word, 1)
            elif row == "result":
                WORLD.Send(word, 1)
                WORLD.Recv(into, 1)
            else:
                word[0] = 1
                WORLD.Send(word, 1)
                WORLD.Recv(word, 1)
        seconds = time.perf_counter() - begin
        if row == "result":
            check_arrays(ELEMENTS - 1, into)
        return seconds

    return loop


def start_calls() -> None:
    sent = [WORLD.isend(("inc", (1,)), 1) for _ in range(STARTED)]
    for _ in range(STARTED):
        WORLD.recv(None, 1)
    MPI.Request.Waitall(sent)


def measure(timing: Timing) -> None:
    call = "send(({}, {}), 1); recv(None, 1)"
    arrays = {"argument": call.format("'take'", "(array,)"), "result": call.format("'whole'", "()")}
    calls = {"call": call.format("'inc'", "(1,)"), "described": call.format("'described'", "(ENTRIES, TEXT)")}
    array = made_array()
    names = {"array": array, "ENTRIES": ENTRIES, "TEXT": TEXT, "start_calls": start_calls}

    def of(comm: Any) -> dict[str, Any]:
        return {**names, "send": comm.send, "recv": comm.recv}

    def ask(comm: Any, method: str, *arguments: Any) -> Any:
        comm.send((method, arguments), 1)
        return comm.recv(None, 1)

    ask(WORLD, "hold")
    check_arrays(ask(WORLD, "take", array), ask(WORLD, "whole"))
    timing.calls += 2
    timing.measure(f"mpi4py objects ({LIBRARY})", {**calls, "started": "start_calls()", **arrays}, of(WORLD))
    timing.check(ask(WORLD, "inc", 0))
    WORLD.send(("out of band", ()), 1)
    timing.measure(f"mpi4py pkl5 ({LIBRARY})", {**calls, **arrays}, of(OUT_OF_BAND))
    timing.measure(f"mpi4py buffers ({LIBRARY})", {row: by_buffers(row, array) for row in ("call", "argument", "result")}, {})
    timing.check(ask(OUT_OF_BAND, "inc", 0))
    OUT_OF_BAND.send(("end", ()), 1)
    say(timing.figures)


def main() -> None:
    if WORLD.size != 2:
        sys.exit("the MPI of mpi4py is not that of mpiexec")
    pin(WORLD.rank)
    if WORLD.rank == 0:
        measure(Timing())
    else:
        serve()


if __name__ == "__main__":
    main()
