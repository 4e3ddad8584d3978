# SPDX-License-Identifier: Apache-2.0
"""Distributed arrays: the triad of STREAM, where nothing is moved; heat in a plate, by exchanges of borders; and all of it gathered in one place."""

import octavo as ov
from octavo.distributed import DistributedArray, Split


class Part:
    def triad(self, a: DistributedArray, b: DistributedArray, c: DistributedArray, s: float) -> None:
        """a = b + s c: with each member's own elements."""
        a.local[...] = b.local + s * c.local

    def heat(self, n: int, steps: int) -> float:
        """The upper edge is hot, the others let no heat through. Gives how hot the middle of that edge still is."""
        me = ov.self()
        rows = Split(grid=(me.size, 1), halo=(1, 1))
        u = ov.distributed.zeros((n, n), group=me.group, split=rows)
        following = ov.distributed.zeros((n, n), group=me.group, split=rows)
        if me.index == 0:
            u.local[0] = 1000
        for _ in range(steps):
            u.exchange_halo()
            x = u.with_halo
            following.local[...] = (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:]) / 4
            u, following = following, u
        full = u.gather(root=0)  # at member 0; None elsewhere
        return 0 if full is None else full[0, n // 2]


def main() -> None:
    with ov.Runtime(engine=ov.played(["machine0", "machine1"]), memory="256MiB") as cluster:
        machines = [cluster.machine("machine0"), cluster.machine("machine1")]
        g = ov.make_group(Part, 4, place=machines)
        a = ov.distributed.zeros(1_000_000, group=g)
        b, c = ov.distributed.full(1_000_000, 2, group=g), ov.distributed.full(1_000_000, 0.5, group=g)
        g.all.triad(a, b, c, 3)
        print(f"triad: each is {a.min():g}, together {a.sum():g}")
        print(f"heat at the middle of the edge: {g.all.heat(64, 100)[0]:g}")
        dealt = a.resplit(Split(grid=(4,), dist="cyclic")).gather()
        print(f"gathered: {len(dealt)} elements, the last is {dealt[-1]:g}")


if __name__ == "__main__":
    main()
