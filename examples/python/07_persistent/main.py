# SPDX-License-Identifier: Apache-2.0
"""Section 3.3 of the paper: a persistent PageDevice outlives the program that made it, and is found by its symbolic address."""

import contextlib
import tempfile
from pathlib import Path

import octavo as ov
from page_device import PageDevice


def main() -> None:
    file = Path(tempfile.gettempdir()) / "octavo_example_pagefile"
    with ov.Runtime():
        ov.named("data/set/PageDevice/34").make(PageDevice, str(file), 1024, 16).write(b"sixteen letters.", 17)
    # The first program ends here; the device does not.
    with ov.Runtime():
        device = ov.open("ov://data/set/PageDevice/34", PageDevice)
        print(f"a second program reads: {device.read(17).decode()}")
        with contextlib.suppress(ov.ProcessDied):  # the call that was on its way; the next activates the device from its stored state
            device.crash()
        print(f"its process was killed, and is activated: {device.read(17).decode()}")
        ov.destroy(device)  # explicitly: the only way it ends
        print(f"names left: {len(ov.naming.names('data/set'))}")
    file.unlink()


if __name__ == "__main__":
    main()
