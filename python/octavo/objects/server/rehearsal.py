# SPDX-License-Identifier: Apache-2.0
"""What each object does when it begins, done ahead: by the fork server before it forks, so that the interpreter is warm, and by each spare, so that the memory
that is written then is its own. Nothing of it is left."""

import sys

from octavo.objects import hosting, pickling, server
from octavo.objects.plain.names import name_of
from octavo.objects.trust import here

MODULE = "octavo.objects.server.rehearsed"


def forget() -> None:
    sys.modules.pop(MODULE, None)
    server.__dict__.pop("rehearsed", None)


class Rehearsal:
    """Of an object whose module is imported, as that of most is."""

    def __init__(self) -> None:
        from octavo.objects.server.rehearsed import Rehearsed

        what = Rehearsed if here.pickle else name_of(Rehearsed)
        self._making, _ = pickling.dumps_first(tuple(hosting.Making(what, (1, 2, 3), {})))
        forget()

    def run(self) -> None:
        written, path = (sys.stdout, sys.stderr), list(sys.path)
        try:
            host = hosting.Host((path, [], False, "rehearsal", self._making, ()))
            host.perform_methods()
            host.object.add(1)
            host.end()
        finally:
            sys.stdout, sys.stderr = written
            sys.path[:] = path
            forget()
