# SPDX-License-Identifier: Apache-2.0
"""The first program of POCCS: the inner product of two vectors on disk, each process its part, within a little memory."""

import operator
import tempfile

import octavo as ov


class Part:
    def inner_product(self, first: ov.Array, second: ov.Array) -> int:
        me = ov.self()
        with ov.buffered(first, mode="r+", memory="256KiB") as x, ov.buffered(second, mode="r+", memory="256KiB") as y:
            n, mine, others = len(x), me.index, me.size - 1 - me.index
            for i in range(n * mine // me.size, n * (mine + 1) // me.size, 1000):
                hi = min(i + 1000, n * (mine + 1) // me.size)
                x[i:hi] = [k % 1000 for k in range(i, hi)]
                y[i:hi] = 2
            x.sync(me)  # each sees what all have written
            y.sync(me)
            total, lo, hi = 0, n * others // me.size, n * (others + 1) // me.size
            for i in range(lo, hi, 4096):  # of another's part
                total += int(x[i : min(i + 4096, hi)].astype("int64") @ y[i : min(i + 4096, hi)])
            return me.all_reduce(total, operator.add)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, ov.Runtime(engine=ov.played(["machine0", "machine1"])) as cluster:
        machines = [cluster.machine("machine0"), cluster.machine("machine1")]
        n, page = 1 << 18, 1 << 13

        def vector(name: str) -> ov.Array:  # half of it on each machine
            disks = [machine.make(ov.devices.PageFile, f"{folder}/{name}{i}", n // page // 2, (page,), "int32") for i, machine in enumerate(machines)]
            return ov.devices.array_of((n,), (page,), "int32", disks)

        x, y = vector("x"), vector("y")
        for processes in (1, 2, 4):
            parts = ov.make_group(Part, processes, place=machines)
            print(f"by {processes}: {parts.all.inner_product(x, y)[0]}")


if __name__ == "__main__":
    main()
