# SPDX-License-Identifier: Apache-2.0
"""A pool goes past a worker that is seen to have ended; one with a name lives again at its next call, and is kept."""

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


@pytest.mark.usefixtures("home")
def test_a_service_has_a_named_worker_in_its_next_life() -> None:
    worker = octavo.named("ov://home/worker").make(octavo.Worker)
    service = octavo.Service([worker])
    before = octavo.call(service, os.getpid)
    with pytest.raises(octavo.ProcessDied):
        octavo.call(service, signal.raise_signal, signal.SIGKILL)
    assert service.living() == [worker]
    assert octavo.call(service, os.getpid) != before
    octavo.destroy(worker)
    with pytest.raises(octavo.GoneError):
        octavo.call(service, os.getpid)
    with pytest.raises(octavo.GoneError, match="none of the 1 workers"):
        octavo.call(service, os.getpid)


@pytest.mark.usefixtures("home")
def test_a_call_that_had_not_begun_when_it_died_is_done_in_its_next_life() -> None:
    service = octavo.Service([octavo.named("ov://home/worker").make(octavo.Worker)])
    list(octavo.wait([octavo.start(service, abs, number) for number in range(20)]))
    calls = [octavo.start(service, signal.raise_signal, signal.SIGKILL), *(octavo.start(service, abs, -number) for number in range(5))]
    assert isinstance(calls[0].exception(20), octavo.ProcessDied)
    assert [each.result(20) for each in calls[1:]] == list(range(5))
    octavo.destroy(service)
