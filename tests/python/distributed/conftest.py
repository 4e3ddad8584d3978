# SPDX-License-Identifier: Apache-2.0
"""Each module of these tests has a Runtime of its own, with a machine beside this one."""

from __future__ import annotations

from collections.abc import Iterator

import octavo as ov
import pytest
from distributed_classes import Holder


@pytest.fixture(scope="module", autouse=True)
def runtime() -> Iterator[ov.Runtime]:
    with ov.Runtime(engine=ov.played(["box"]), memory="128MiB") as made:
        yield made


@pytest.fixture(scope="module", params=["process", "thread", "both"])
def g(request: pytest.FixtureRequest, runtime: ov.Runtime) -> Iterator[ov.Group[Holder]]:
    """Four members: here, in this program, or on two machines."""
    places = {"process": [ov.process], "thread": [ov.thread], "both": [ov.process, runtime.machine("box")]}
    made = ov.make_group(Holder, 4, place=places[request.param])
    yield made
    ov.destroy(made)
