# SPDX-License-Identifier: Apache-2.0
"""Section 3.2 of the paper: who is derived from this knows its id and the other processes of its group."""

import asyncio

import octavo as ov


class Barrier:
    """In a process of its own: nobody goes on before all have come."""

    def __init__(self, n: int) -> None:
        self.n, self.came, self.gate = n, 0, asyncio.Event()

    async def wait(self) -> int:
        """The how-manieth to come the caller was. While one awaits, the calls of the others begin."""
        number, gate = self.came, self.gate
        self.came += 1
        if self.came == self.n:
            self.came, self.gate = 0, asyncio.Event()  # for the next time
            gate.set()
        await gate.wait()
        return number


class ProcessGroupMember:
    def id(self) -> int:
        return self._id

    def number_of_processes(self) -> int:
        return len(self._group)

    def process_group(self) -> "list[ProcessGroupMember]":
        return self._group

    def set_process_group(self, my_id: int, my_group: "ov.RemoteArray[ProcessGroupMember]", barrier: Barrier) -> None:
        """my_group points to an array of pointers. It is copied once, and no call has to ask for it again (deep copy)."""
        self._id, self._group, self._barrier = my_id, my_group[:], barrier

    def barrier(self) -> None:
        self._barrier.wait()
