# SPDX-License-Identifier: Apache-2.0
"""Section 3.2 of the paper, first example: a shared memory computation. Processes on four machines share one block of numbers."""

import sys

import octavo as ov


class ComputingProcess:
    def __init__(self, block: ov.RemoteArray[float]) -> None:
        self.data = block

    def compute(self, my_id: int, n: int) -> None:
        mine = slice(my_id * 1024 // n, (my_id + 1) * 1024 // n)
        part = self.data[mine] ** 2  # one call, a copy
        self.data[mine] = part  # no one else writes there
        self.data.add(1024, part.sum())  # everyone adds here: it is done by the block's own process, one at a time


if __name__ == "__main__":
    with ov.Runtime(engine=ov.played(["machine0", "machine1", "machine2", "machine3"])) as cluster:
        N = int(sys.argv[1]) if sys.argv[1:] else 8
        machine = [cluster.machine(f"machine{i % 4}") for i in range(N)]

        data = cluster.machine("machine1").make(ov.RemoteArray[float], 1024 + 1)  # the last is for the sum
        for i in range(0, 1024, 256):
            data[i : i + 256] = i // 256 + 1

        made = [ov.start(machine[i].make, ComputingProcess, data) for i in range(N)]  # start process_group[i] = new(machine[i]) ComputingProcess(data);
        process_group = [each.result() for each in made]

        done = [ov.start(process_group[i].compute, i, N) for i in range(N)]
        for each in done:
            each.result()

        print("squared:", *(f"data[{i}] is {data[i]:g};" for i in range(0, 1024, 256)))
        print(f"the sum, to which {N} processes added, is {data[1024]:g}")
