# SPDX-License-Identifier: Apache-2.0
"""A member that sends and receives by pPython's message functions alone; src/pPython of its sources is in sys.path."""

from __future__ import annotations

import numpy as np


class Member:
    def __init__(self, rank: int, members: int, folder: str) -> None:
        from MPI_Recv import MPI_Recv
        from MPI_Send import MPI_Send

        self.rank, self.members, self._tag, self._send, self._recv = rank, members, 0, MPI_Send, MPI_Recv
        self._comm = {
            "rank": rank,
            "grid_config": {"local_fs": 1, "mixed_fs": 0, "grid_job": False},
            "tmpdir": [folder],
            "machine_db": {"machine": ["here"], "dir": [folder]},
            "machine_id": [0] * members,
            "save_message_flag": 0,
        }

    def begin(self) -> None:
        """A message's name has its tag, which each member counts alike."""
        self._tag += 1

    def send(self, to: int, what: np.ndarray) -> None:
        self._send(to, self._tag, self._comm, what)

    def receive(self, source: int) -> np.ndarray:
        (what,) = self._recv(source, self._tag, self._comm)
        return what
