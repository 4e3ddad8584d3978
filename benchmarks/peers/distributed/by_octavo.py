# SPDX-License-Identifier: Apache-2.0
"""octavo.distributed for ./dev bench distributed: SIZE in bytes, MEMBERS, and how they are joined.

shm: processes of one machine; tls: of this one and of a played one; ssh and files: of this one and of one that a command begins, joined by its pipes or by
files. So it is in a job: the program's machine is the first of them.
"""

from __future__ import annotations

import sys

import numpy as np
import octavo as ov
from distributed_timing import ROWS, print_figures, side_of, timed


class Part:
    def measure(self, size: int, seconds: float) -> dict[str, list[float]]:
        me = ov.self()
        n = side_of(size)
        a, b, c = (ov.distributed.full((n, n), value, group=me.group, halo=1) for value in (0.0, 2.0, 0.5))
        full = np.zeros((n, n)) if me.index == 0 else None
        x, y, z = a.local, b.local, c.local

        def triad() -> None:
            np.multiply(z, 3.0, out=x)
            np.add(x, y, out=x)

        work = {"triad": triad, "halo": lambda: a.exchange_halo("none"), "resplit": lambda: a.resplit(axis=1), "gather": lambda: a.gather(0, out=full)}
        return {row: timed(work[row], me.barrier, lambda took: me.all_reduce(took, max), seconds) for row in ROWS}


def engine_of(link: str) -> object:
    machines = ["machine1"]
    if link == "shm":
        return None
    return ov.played(machines) if link == "tls" else ov.ssh(machines, shell=["env"], link=link)


def main(size: int, members: int, link: str, seconds: float) -> None:
    engine = engine_of(link)
    with ov.Runtime(engine=engine, memory=max(256 << 20, 5 * size)) as cluster:
        place = [cluster.machine(name) for name in cluster.machines()]
        g = ov.make_group(Part, members, place=place)
        print_figures(g.all.measure(size, seconds)[0])


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], float(sys.argv[4]))
