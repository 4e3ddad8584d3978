# SPDX-License-Identifier: Apache-2.0
"""One Runtime for a module: its end is an end of all processes that a stream left."""

from __future__ import annotations

from collections.abc import Iterator

import octavo
import pytest


@pytest.fixture(scope="module", autouse=True)
def runtime() -> Iterator[octavo.Runtime]:
    with octavo.Runtime() as made:
        yield made
