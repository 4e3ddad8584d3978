# SPDX-License-Identifier: Apache-2.0
"""pPython's message functions for ./dev bench link: HOSTS, MEMBERS on each, the folder src/pPython of its sources, and FOLDER (peers/answering.hpp).

broadcast BYTES COUNT: as its MPI_Bcast with files on local disks: by a binary tree to the first member of each host, then by one within each. From when
member 0 begins until the last has it, by the clock that all processes of a host share; the median. All "hosts" are this one: no message goes by scp.
half_trip BYTES COUNT: between members 0 and 1, seconds one way.
"""

from __future__ import annotations

import multiprocessing
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
import ppython_member


class Member(ppython_member.Member):
    def tree(self, ranks: list[int], what: np.ndarray) -> np.ndarray:
        """As its MPI_Tcast: the first half's first sends to the second half's, and so on within each."""
        while len(ranks) > 1:
            half = 1 << ((len(ranks) - 1).bit_length() - 1)
            if self.rank == ranks[0]:
                self.send(ranks[half], what)
            elif self.rank == ranks[half]:
                what = self.receive(ranks[0])
            ranks = ranks[:half] if self.rank in ranks[:half] else ranks[half:]
        return what


def broadcast(me: Member, hosts: int, members: int, size: int, count: int, barrier: Any, times: Any) -> float:
    what, leaders, own = np.zeros(size // 8), [host * members for host in range(hosts)], me.rank // members * members
    for number in range(count):
        me.begin()
        barrier.wait()
        times[me.rank * count + number] = time.monotonic()
        if me.rank in leaders:
            what = me.tree(leaders, what)
        what = me.tree(list(range(own, own + members)), what)
        if me.rank:
            times[me.rank * count + number] = time.monotonic()
    barrier.wait()
    ends = [[times[rank * count + number] for rank in range(hosts * members)] for number in range(count)]
    return statistics.median(max(each) - each[0] for each in ends)


def half_trip(me: Member, size: int, count: int) -> float:
    what = np.zeros(size // 8)
    begin = time.monotonic()
    for _ in range(count):
        me.begin()
        if me.rank == 0:
            me.send(1, what)
            me.receive(1)
        else:
            me.send(0, me.receive(0))
    return (time.monotonic() - begin) / count / 2


def answer(rank: int, hosts: int, members: int, folder: str, places: tuple[str, Any, Any]) -> None:
    messages, barrier, times = places
    me = Member(rank, hosts * members, messages)
    with Path(folder, str(rank)).open() as requests:
        for line in requests:
            what, size, count = line.split()
            took = broadcast(me, hosts, members, int(size), int(count), barrier, times) if what == "broadcast" else half_trip(me, int(size), int(count))
            if rank == 0:
                with Path(folder, "answers").open("w") as answers:
                    print(f"{took:.9g}", file=answers)


def main(hosts: int, members: int, sources: Path, folder: str) -> None:
    sys.path[:0] = [str(sources / part) for part in ("PythonMPI/src", "sched", "src")]
    fork, most_times = multiprocessing.get_context("fork"), 1000
    with tempfile.TemporaryDirectory() as messages:  # where octavo has its files, too
        places = messages, fork.Barrier(hosts * members), fork.Array("d", hosts * members * most_times)
        others = [fork.Process(target=answer, args=(rank, hosts, members, folder, places)) for rank in range(hosts * members)]
        for each in others:
            each.start()
        for each in others:
            each.join()
        if any(each.exitcode for each in others):
            sys.exit("a member failed")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]), sys.argv[4])
