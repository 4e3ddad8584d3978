# SPDX-License-Identifier: Apache-2.0
"""A pool goes past a worker that is seen to have ended; one with a name lives again at the next call, and is not passed."""

from __future__ import annotations

import os
import select
import signal

import octavo
import pytest
from octavo import _core

pytestmark = pytest.mark.timeout(60)


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("named", [False, True])
def test_only_one_without_a_name_is_seen_to_have_ended(named: bool) -> None:
    place = octavo.named("ov://home/worker") if named else octavo.process
    worker = place.make(octavo.Worker)
    pid = worker.call(os.getpid, (), {})
    end = os.pidfd_open(pid)
    assert not _core.is_seen_to_have_ended(worker)
    os.kill(pid, signal.SIGKILL)
    assert select.select([end], [], [], 20)[0]
    os.close(end)
    assert _core.is_seen_to_have_ended(worker) is not named
