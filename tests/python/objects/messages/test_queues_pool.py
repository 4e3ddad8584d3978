# SPDX-License-Identifier: Apache-2.0
"""octavo.Queue and the pool: arrays wait for room there, rather than fail."""

from __future__ import annotations

import queue
import threading
from typing import Any

import numpy as np
import octavo as ov
import pytest

pytestmark = pytest.mark.timeout(120)


@pytest.fixture(scope="module", autouse=True)
def runtime() -> Any:
    with ov.Runtime(memory="64MiB") as made:
        yield made


def test_arrays_wait_for_room() -> None:
    jobs: ov.Queue[Any] = ov.Queue()
    block = np.ones(1 << 20, "f8")
    with pytest.raises(queue.Full):
        for _ in range(20):
            jobs.put(block, timeout=0.2)
    there = jobs.qsize()
    assert 0 < there < 20
    putting = threading.Thread(target=jobs.put, args=(block,))
    putting.start()
    for _ in range(there + 1):
        assert jobs.get(timeout=60)[0] == 1
    putting.join()
    assert jobs.empty()
