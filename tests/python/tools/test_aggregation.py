# SPDX-License-Identifier: Apache-2.0
"""What ./dev bench distributed --figure simulates."""

import importlib.util
import sys
from pathlib import Path

import pytest

FILE = Path(__file__).resolve().parents[3] / "benchmarks" / "kit" / "aggregation.py"
spec = importlib.util.spec_from_file_location("aggregation", FILE)
assert spec is not None and spec.loader is not None
aggregation = sys.modules["aggregation"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(aggregation)


def test_the_costs_of_a_tree_are_found_from_what_it_took() -> None:
    real = aggregation.Costs(message=2e-5, byte=1e-9)
    found = aggregation.fitted([(members, size, real.tree(members, size)) for members in (2, 4) for size in (1 << 20, 1 << 30)])
    assert (found.message, found.byte) == pytest.approx((real.message, real.byte))


def test_a_tree_within_hosts_and_between_them() -> None:
    within, between = aggregation.Costs(1.0, 1e-3), aggregation.Costs(100.0, 1e-2)
    assert aggregation.simulated(within, between, 32, 1, 3200) == pytest.approx(5 * 1.0 + 3200 * 31 / 32 * 1e-3)
    assert aggregation.simulated(within, between, 2048, 64, 6400) == pytest.approx(5 * 1.0 + 100 * 31 / 32 * 1e-3 + 6 * 100.0 + 6400 * 63 / 64 * 1e-2)
    assert [aggregation.hosts_of(who, 8) for who in ("shm", "files", "pPython")] == [1, 2, 8]
