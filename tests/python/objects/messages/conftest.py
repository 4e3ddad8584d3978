# SPDX-License-Identifier: Apache-2.0
"""Each place: a thread of this program, a process, another machine."""

from __future__ import annotations

from collections.abc import Iterator

import octavo as ov
import pytest


@pytest.fixture(scope="module", autouse=True)
def runtime() -> Iterator[ov.Runtime]:
    with ov.Runtime(engine=ov.played(["box"])) as made:
        yield made


@pytest.fixture(params=["thread", "process", "box"])
def place(request: pytest.FixtureRequest, runtime: ov.Runtime) -> ov.Place:
    places = {"thread": ov.thread, "process": ov.process, "box": runtime.machine("box")}
    return places[request.param]
