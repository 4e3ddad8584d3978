# SPDX-License-Identifier: Apache-2.0
"""Results whose unpickling runs code of the user's: it may use the same workers, take its time, and be interrupted. It holds up nobody else."""

from __future__ import annotations

import concurrent.futures
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import octavo
import pytest
from hosted_classes import Echo, wait_until
from kit import wait_for

pytestmark = pytest.mark.timeout(60)

Begin = Callable[..., "octavo.Future[Any]"]
workers: list[Begin] = []  # of the test that runs


@pytest.fixture(scope="module", autouse=True)
def runtime() -> Iterator[octavo.Runtime]:
    with octavo.Runtime(engine=octavo.played(["box"])) as made:
        yield made


@pytest.fixture(params=["service", "executor"])
def begin(request: pytest.FixtureRequest) -> Iterator[Begin]:
    """Begins a function in one of two workers."""
    if request.param == "service":
        with octavo.scoped(octavo.Service.on([octavo.process], 2)) as service:
            workers[:] = [partial(octavo.start, service)]
            yield workers[0]
    else:
        with octavo.Executor(2) as executor:
            workers[:] = [executor.submit]
            yield workers[0]


def half() -> float:
    return 0.5


def ask_workers() -> float:
    return float(workers[0](half).result(20))


class AsksWorkers:
    """Its unpickling begins a call of the same workers, and waits for it."""

    def __reduce__(self) -> tuple[Any, ...]:
        return ask_workers, ()


def unpickle_until(began: str, gate: str) -> None:
    Path(began).touch()
    wait_until(gate)


class Slow:
    """Its unpickling waits for a file."""

    def __init__(self, *files: str) -> None:
        self.files = files

    def __reduce__(self) -> tuple[Any, ...]:
        return unpickle_until, self.files


def interrupt() -> None:
    raise KeyboardInterrupt


class Interrupts:
    """Ctrl-C comes while it is unpickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        return interrupt, ()


class Exits:
    def __reduce__(self) -> tuple[Any, ...]:
        return sys.exit, (3,)


def test_one_that_uses_its_workers_when_it_arrives(begin: Begin) -> None:
    call = begin(AsksWorkers)
    wait_for(call.done, 20, "its end")
    assert begin(half).result(20) == 0.5  # which looks at what has ended
    assert call.result(20) == 0.5


def test_a_load_that_uses_its_workers_when_it_arrives(runtime: octavo.Runtime) -> None:
    def load(idle: octavo.Worker) -> Any:
        return octavo.start(idle.call, AsksWorkers, (), {})

    with octavo.scoped(octavo.Service.on([octavo.process, runtime.machine("box")], 1, load=load, every=3600)) as service:
        workers[:] = [partial(octavo.start, service)]
        wait_for(lambda: octavo.call(service, half) == 0.5 and service.loads() == [0.5, 0.5], 20, "both have said it")


def test_nobody_else_waits_while_one_is_unpickled(begin: Begin, tmp_path: Path) -> None:
    began, gate = tmp_path / "began", tmp_path / "gate"
    call = begin(Slow, str(began), str(gate))
    with ThreadPoolExecutor(1) as pool:
        taken = pool.submit(call.result, 20)
        wait_for(began.exists, 20, "it is unpickled")
        try:
            assert not call.done()
            assert [begin(half).result(20) for _ in range(3)] == [0.5] * 3
            for ask in (call.result, call.exception):
                with pytest.raises(octavo.TimedOut):
                    ask(0.05)
        finally:
            gate.touch()
        assert taken.result(20) is None
    assert call.result() is None


@pytest.mark.parametrize(("kind", "raised"), [(Interrupts, KeyboardInterrupt), (Exits, SystemExit)])
def test_control_c_while_it_is_unpickled_is_raised_and_others_are_told(echo: Echo, kind: type, raised: type[BaseException]) -> None:
    call = octavo.start(echo.apply, kind)
    with pytest.raises(raised):
        call.result(20)
    with pytest.raises(octavo.Error, match=rf"the result is lost: {raised.__name__} .*\. Begin the call again"):
        call.result(20)
    assert isinstance(call.exception(), octavo.Error)
    assert concurrent.futures.wait([call], 20).done == {call}
    assert not call.cancelled()
    assert echo.same(1) == 1


def test_control_c_is_raised_where_the_result_is_read_and_not_where_workers_are_chosen(begin: Begin) -> None:
    call = begin(Interrupts)
    wait_for(call.done, 20, "its end")
    assert [begin(half).result(20) for _ in range(4)] == [0.5] * 4
    with pytest.raises(KeyboardInterrupt):
        call.result(20)
    assert "is lost" in str(call.exception(20))
