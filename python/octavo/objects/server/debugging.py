# SPDX-License-Identifier: Apache-2.0
"""``breakpoint()`` in the process of an object: it says how to attach, waits until ``octavo debug PID`` has, and is pdb over a socket.

The socket has a name and no file (unix(7), abstract), so that nothing is left of one whose process is killed. Both ends ask the kernel who the other is, and
talk to the same user alone. It is gone when one has attached. Quitting, and the end of the connection, let the method go on.
"""

import os
import pdb
import secrets
import socket
import struct
import sys
from types import FrameType
from typing import Any

PREFIX = "octavo-debug-"  # then the pid, and a random number
CREDENTIALS = struct.Struct("3i")  # pid, uid, gid
NOT_SHOWN = ["octavo.*", "_octavo*", "cloudpickle.*", "pickle"]  # where stepping on from the end of a method does not stop


def peer_of(connection: socket.socket) -> tuple[int, int]:
    """Its pid and its user, as the kernel says."""
    pid, uid, _ = CREDENTIALS.unpack(connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, CREDENTIALS.size))
    return pid, uid


def breakpoint_here(frame: FrameType, *arguments: Any, **keywords: Any) -> Any:
    """What ``breakpoint()`` does in this frame of a server. PYTHONBREAKPOINT says otherwise where it is set, as everywhere."""
    if os.environ.get("PYTHONBREAKPOINT"):
        return sys.__breakpointhook__(*arguments, **keywords)
    RemotePdb(attached(frame)).set_trace(frame)
    return None


def attached(frame: FrameType) -> socket.socket:
    """Waits for one of the same user."""
    code = frame.f_code
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
        listening.bind(f"\0{PREFIX}{os.getpid()}-{secrets.token_hex(8)}")
        listening.listen(1)
        where = f"{getattr(code, 'co_qualname', code.co_name)} ({code.co_filename}:{frame.f_lineno})"
        print(f"breakpoint in {where} waits for\n    octavo debug {os.getpid()}\non {socket.gethostname()}", file=sys.stderr, flush=True)
        while True:
            connection, _ = listening.accept()
            if peer_of(connection)[1] == os.geteuid():
                return connection
            connection.close()


class Lines:
    """Both ways of a connection, as pdb wants files. One that broke reads as its end, and takes what is written."""

    encoding = "utf-8"

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._read = connection.makefile("r", encoding="utf-8", errors="replace")

    def readline(self) -> str:
        try:
            return self._read.readline()
        except OSError:
            return ""

    def write(self, text: str) -> int:
        try:
            self._connection.sendall(text.encode("utf-8", "backslashreplace"))
        except OSError:
            return 0
        return len(text)

    def flush(self) -> None:
        """All is sent by then."""

    def close(self) -> None:
        self._read.close()
        self._connection.close()


class RemotePdb(pdb.Pdb):
    """Ends its connection where it lets the method go on for good: where no breakpoint of pdb's own is left."""

    def __init__(self, connection: socket.socket) -> None:
        self._lines = Lines(connection)
        super().__init__(stdin=self._lines, stdout=self._lines, skip=NOT_SHOWN, nosigint=True)  # type: ignore[arg-type]
        self.use_rawinput = False
        self.prompt = "(Pdb) "

    def do_continue(self, arg: str) -> bool | None:
        result = super().do_continue(arg)
        if not self.breaks:
            self._lines.close()
        return result

    def do_quit(self, arg: str) -> bool | None:
        self.clear_all_breaks()
        return self.do_continue("")

    do_c = do_cont = do_continue
    do_q = do_exit = do_EOF = do_quit  # noqa: N815
