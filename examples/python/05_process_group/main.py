# SPDX-License-Identifier: Apache-2.0
"""Section 3.2 of the paper: a group of processes, each of which knows its id and the others; a call to all of them, and a barrier within it."""

import sys

import octavo as ov


class ComputingProcess:
    def __init__(self, block: ov.RemoteArray[float]) -> None:
        self.data = block

    def compute(self) -> float:
        me = ov.self()
        self.data[me.index] = 1.0 + me.index
        me.barrier()
        return self.data[(me.index + 1) % me.size]

    def id(self) -> int:
        return ov.self().index

    def right(self) -> int:
        me = ov.self()
        neighbour: ComputingProcess = me.peers[(me.index + 1) % me.size]
        return neighbour.id()  # members call each other


if __name__ == "__main__":
    with ov.Runtime(engine=ov.played(["machine0", "machine1"])) as cluster:
        N = int(sys.argv[1]) if sys.argv[1:] else 6
        data = ov.process.make(ov.RemoteArray[float], N)
        # The group that SetProcessGroup makes in his text.
        process_group = ov.make_group(ComputingProcess, N, data, place=[cluster.machine("machine0"), cluster.machine("machine1")])

        some, last = max(N - 2, 0), N - 1
        print(f"member {some} is", process_group[some].id(), "of", len(process_group))
        print(f"to the right of member {last} is", process_group[last].right())
        print("after the barrier each found what its neighbour wrote before it:", *(f"{each:g}" for each in process_group.all.compute()))
