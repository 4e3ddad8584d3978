# SPDX-License-Identifier: Apache-2.0
"""The program that hosts one Python object. Octavo starts it; nobody else does.

Run as a file, not with -m: nothing of the package may be imported before the server has begun.
"""

import os
import sys

is_octavo_server = True  # octavo/objects/hosting.py asks


def main() -> None:
    """Serves until the program that started it ends."""
    if sys.path and os.path.samefile(sys.path[0] or ".", os.path.dirname(os.path.abspath(__file__))):  # noqa: PTH100, PTH120, PTH121 (no import yet)
        del sys.path[0]  # this file's folder, which holds no packages
    from octavo import _core

    _core.serve_objects()
    raise SystemExit("octavo: this program hosts objects for Octavo and does nothing by itself")


if __name__ == "__main__":
    main()
