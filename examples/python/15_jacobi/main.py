# SPDX-License-Identifier: Apache-2.0
"""The second program of POCCS: Jacobi iterations over a grid on disk, each process some rows; writeback, barrier, invalidate between two of them."""

import tempfile

import numpy as np
import octavo as ov


class Rows:
    def iterate(self, first: ov.Array, second: ov.Array, iterations: int) -> None:
        me = ov.self()
        with ov.buffered(first, mode="r+", memory="512KiB") as u, ov.buffered(second, mode="r+", memory="512KiB") as w:
            n = len(u)
            lo, hi = max(1, n * me.index // me.size), min(n - 1, n * (me.index + 1) // me.size)
            for _ in range(iterations):
                for i in range(lo, hi, 8):
                    part = u[i - 1 : min(i + 8, hi) + 1].astype("int64")
                    around = part[:-2, 1:-1] + part[2:, 1:-1] + part[1:-1, :-2] + part[1:-1, 2:]
                    w[i : min(i + 8, hi), 1:-1] = (around // 4).astype("int32")
                w.sync(me)
                u, w = w, u


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, ov.Runtime(engine=ov.played(["machine0", "machine1"])) as cluster:
        machines = [cluster.machine("machine0"), cluster.machine("machine1")]
        n = 256

        def grid(name: str) -> ov.Array:  # every other page on each machine; the upper edge is hot
            disks = [machine.make(ov.devices.PageFile, f"{folder}/{name}{i}", 8, (64, 64), "int32") for i, machine in enumerate(machines)]
            made = ov.devices.array_of((n, n), (64, 64), "int32", disks)
            made[...] = 0
            made[0] = 1_000_000
            return made

        for processes in (1, 2, 4):
            u, w = grid(f"u{processes}"), grid(f"w{processes}")
            ov.make_group(Rows, processes, place=machines).all.iterate(u, w, 20)
            last = u[...]
            print(f"by {processes}: {last[1, 128]} below the edge, {int(last.sum(dtype=np.int64))} in all")


if __name__ == "__main__":
    main()
