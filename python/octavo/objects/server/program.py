# SPDX-License-Identifier: Apache-2.0
"""The program that hosts one Python object. Octavo starts it; nobody else does. It is started once on a machine, loads what all
objects need, and is forked for each object (octavo/machine/fork_server.hpp).

Run as a file, not with -m: nothing of the package may be imported before the server has begun.
"""

import os
import sys

is_octavo_server = True  # octavo/objects/hosting.py asks
is_fork = False


def main() -> None:
    """Serves until the program that started it ends."""
    if sys.path and os.path.realpath(sys.path[0] or ".") == os.path.dirname(os.path.realpath(__file__)):  # noqa: PTH120 (no import yet)
        del sys.path[0]  # this file's folder, which holds no packages
    home = os.path.abspath(__file__).rsplit(os.sep, 4)[0]  # noqa: PTH100 (no import yet)
    if home not in sys.path:  # the program has octavo by its own sys.path alone
        sys.path.append(home)
    from octavo import _core
    from octavo.objects import trust
    from octavo.objects.server.ending import Ending
    from octavo.objects.server.interrupts import leave_to_program, take_again_in_forks

    arguments = sys.argv[1:]
    if arguments[:1] == [trust.NO_PICKLE]:
        trust.here.pickle = False
        del arguments[0]
    if arguments and arguments[0].startswith(trust.IMPORT_FROM):
        given = arguments.pop(0).removeprefix(trust.IMPORT_FROM).split(os.pathsep)
        sys.path[:] = [*given, *(place for place in sys.path if place not in given)]
    leave_to_program()
    if forks := os.environ.pop("OCTAVO_FORKS", ""):
        from octavo.objects.server import warm
        from octavo.objects.server.fork_begins import change_environment

        rehearsal = warm.load(*arguments[:-1])  # the last is its title
        global is_fork
        is_fork = True
        _core.serve_forks(forks, rehearsal.run, change_environment)  # returns in each fork
    take_again_in_forks()
    ending = Ending()
    ending.install()
    _core.serve_objects(ending.interrupt, ending.finish)
    raise SystemExit("octavo: this program hosts objects for Octavo and does nothing by itself")


if __name__ == "__main__":
    main()
