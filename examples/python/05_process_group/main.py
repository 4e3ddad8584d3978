# SPDX-License-Identifier: Apache-2.0
"""Section 3.2 of the paper: an array of remote pointers is a group of processes. SetProcessGroup, started on all; barrier."""

import sys

import octavo as ov
from process_group_member import Barrier, ProcessGroupMember


class ComputingProcess(ProcessGroupMember):
    def __init__(self, block: ov.RemoteArray[float]) -> None:
        self.data = block

    def compute(self) -> float:
        self.data[self.id()] = 1.0 + self.id()
        self.barrier()
        return self.data[self._right()]

    def right(self) -> int:
        return self.process_group()[self._right()].id()  # members call each other

    def _right(self) -> int:
        return (self.id() + 1) % self.number_of_processes()


if __name__ == "__main__":
    with ov.Runtime(engine=ov.played(["machine0", "machine1"])) as cluster:
        N = int(sys.argv[1]) if sys.argv[1:] else 6
        data = ov.process.make(ov.RemoteArray[float], N)
        processes = [cluster.machine(f"machine{i % 2}").make(ComputingProcess, data) for i in range(N)]

        # His text: an array of remote pointers, which is remote data too.
        process_group = ov.process.make(ov.RemoteArray[ProcessGroupMember], N)
        for i in range(N):
            process_group[i] = processes[i]
        barrier = ov.process.make(Barrier, N)

        done = [ov.start(process_group[my_id].set_process_group, my_id, process_group, barrier) for my_id in range(N)]
        for each in done:  # what they raised is raised here
            each.result()
        some, last = max(N - 2, 0), N - 1
        print(f"member {some} is", process_group[some].id(), "of", process_group[some].number_of_processes())
        print(f"to the right of member {last} is", processes[last].right())

        found = [ov.start(each.compute) for each in processes]  # a call to all, in parallel
        print("after the barrier each found what its neighbour wrote before it:", *(f"{each.result():g}" for each in found))
