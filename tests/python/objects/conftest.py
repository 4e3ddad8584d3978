# SPDX-License-Identifier: Apache-2.0
"""Each module of these tests has a Runtime of its own, which ends with it: other tests count the children of this process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import octavo
import pytest
from busy_kit import Busy
from hosted_classes import Counter, Echo


@pytest.fixture(scope="module", autouse=True)
def runtime() -> Iterator[octavo.Runtime]:
    with octavo.Runtime() as made:
        yield made


@pytest.fixture(scope="module")
def echo() -> Echo:
    """One for all tests of a module, in a process of its own."""
    return octavo.process.make(Echo)


@pytest.fixture(scope="module")
def shared_counter() -> Counter:
    """One for those tests of a module that do not mind what it has counted."""
    return octavo.process.make(Counter)


@pytest.fixture
def busy(tmp_path: Path) -> Iterator[Busy]:
    made = Busy(tmp_path, waits=False)
    yield made
    made.let_go()


@pytest.fixture
def waiting(tmp_path: Path) -> Iterator[Busy]:
    made = Busy(tmp_path, waits=True)
    yield made
    made.let_go()


@pytest.fixture
def worker() -> Iterator[octavo.Executor]:
    """One that knows nothing yet."""
    with octavo.Executor(1) as made:
        yield made
