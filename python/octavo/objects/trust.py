# SPDX-License-Identifier: Apache-2.0
"""Whether this process pickles: what a Runtime was made with, and all its processes are told when they are started (server/program.py)."""

NO_PICKLE = "--no-pickle"  # of the command of a server
IMPORT_FROM = "--import-from="  # of one of an object with a name: where its class is imported from, whoever brings it back


class Trust:
    pickle = True  # whether values may be pickled, and what arrives be unpickled


here = Trust()
