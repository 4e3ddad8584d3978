# SPDX-License-Identifier: Apache-2.0
"""multiprocessing for ./dev bench python: a Pipe with a loop that calls the object's methods, a BaseManager's proxy, a Pool. Forked."""

import multiprocessing
from multiprocessing.connection import Connection
from multiprocessing.managers import BaseManager
from multiprocessing.process import BaseProcess
from typing import Any

from python_answering import ENTRIES, FIRST, STARTED, TEXT, Counter, Timing, check_arrays, made_array, say

AT_ONCE = 50  # calls in flight: a thousand would fill both pipes, and each side wait for the other
FORKING = multiprocessing.get_context("fork")


def serve(pipe: Connection) -> None:
    counter = Counter(FIRST)
    while (asked := pipe.recv()) is not None:
        method, arguments = asked
        pipe.send(getattr(counter, method)(*arguments))


def made() -> tuple[Connection, BaseProcess]:
    here, there = FORKING.Pipe()
    process = FORKING.Process(target=serve, args=(there,), daemon=True)
    process.start()
    there.close()
    return here, process


def make(count: int) -> list[tuple[Connection, BaseProcess]]:
    objects = [made() for _ in range(count)]
    for pipe, _ in objects:
        pipe.send(("inc", (1,)))
    for pipe, _ in objects:
        pipe.recv()
    return objects


def end(objects: list[tuple[Connection, BaseProcess]]) -> None:
    for pipe, _ in objects:
        pipe.send(None)
    for pipe, process in objects:
        process.join()
        pipe.close()


def start_calls(pipe: Connection) -> None:
    for _ in range(STARTED // AT_ONCE):
        for _ in range(AT_ONCE):
            pipe.send(("inc", (1,)))
        for _ in range(AT_ONCE):
            pipe.recv()


def pipes(timing: Timing, who: str) -> None:
    timing.make(who, make, end)
    pipe, process = made()
    call = "send(({}, {})); recv()"
    rows = {
        "call": call.format("'inc'", "(1,)"),
        "described": call.format("'described'", "(ENTRIES, TEXT)"),
        "started": "start_calls(pipe)",
        "argument": call.format("'take'", "(array,)"),
        "result": call.format("'whole'", "()"),
    }
    array = made_array()
    names: dict[str, Any] = {"send": pipe.send, "recv": pipe.recv, "pipe": pipe, "start_calls": start_calls, "array": array}

    def ask(method: str, *arguments: Any) -> Any:
        pipe.send((method, arguments))
        return pipe.recv()

    ask("hold")
    check_arrays(ask("take", array), ask("whole"))
    timing.calls += 2
    timing.measure(who, rows, {**names, "ENTRIES": ENTRIES, "TEXT": TEXT})
    timing.check(ask("inc", 0))
    end([(pipe, process)])


class Manager(BaseManager):
    pass


Manager.register("Counter", Counter)


def managers(timing: Timing) -> None:
    manager = Manager(ctx=FORKING)
    manager.start()
    p = manager.Counter(FIRST)  # type: ignore[attr-defined]
    array = made_array()
    p.hold()
    check_arrays(p.take(array), p.whole())
    timing.calls += 2
    rows = {"call": "p.inc(1)", "described": "p.described(ENTRIES, TEXT)", "argument": "p.take(array)", "result": "p.whole()"}
    timing.measure("multiprocessing manager", rows, {"p": p, "array": array, "ENTRIES": ENTRIES, "TEXT": TEXT})
    timing.check(p.inc(0))
    manager.shutdown()


def pools(timing: Timing) -> None:
    def make_pool(count: int) -> Any:
        pool = FORKING.Pool(count)
        pool.map(abs, range(count), chunksize=1)
        return pool

    def end_pool(pool: Any) -> None:
        pool.close()
        pool.join()

    timing.make("multiprocessing Pool", make_pool, end_pool)


def main() -> None:
    pipe, manager, pool = Timing(), Timing(), Timing()
    pipes(pipe, "multiprocessing Pipe")
    managers(manager)
    pools(pool)
    for other in (manager, pool):
        for row, figures in other.figures.items():
            pipe.figures[row] |= figures
    say(pipe.figures)


if __name__ == "__main__":
    main()
