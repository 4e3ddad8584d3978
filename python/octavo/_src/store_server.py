# SPDX-License-Identifier: Apache-2.0
"""The program that serves StoreDevices: arrays that another library reads and writes. Octavo starts it; nobody else does.

Run as a file, not with -m: nothing of the package may be imported before the environment is set.
"""

import os
import sys


def main() -> None:
    """Serves until the program that started it ends."""
    # The libraries' own threads would only wait beside ours, and must not exist before the server does.
    os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", BLOSC_NTHREADS="1", BLOSC_NOLOCK="1")
    if sys.path and os.path.realpath(sys.path[0] or ".") == os.path.dirname(os.path.realpath(__file__)):  # noqa: PTH120 (no import yet)
        del sys.path[0]  # this file's folder, which holds no packages
    home = os.path.abspath(__file__).rsplit(os.sep, 3)[0]  # noqa: PTH100 (no import yet)
    if home not in sys.path:  # the program has octavo by its own sys.path alone
        sys.path.append(home)

    import json
    from typing import Any

    from octavo import _core

    def open_store(spec: str) -> Any:
        from octavo._src import stores

        wanted = json.loads(spec)
        stores.prepare_server()
        writable = bool(wanted.pop("writable"))
        return stores.open_store(wanted, writable)

    _core.serve_stores(open_store)
    raise SystemExit("octavo: this program serves stores for Octavo and does nothing by itself")


if __name__ == "__main__":
    main()
