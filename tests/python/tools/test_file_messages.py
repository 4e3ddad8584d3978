# SPDX-License-Identifier: Apache-2.0
"""What ./dev bench link --figure simulates."""

import importlib.util
import sys
from pathlib import Path

import pytest

FILE = Path(__file__).resolve().parents[3] / "benchmarks" / "kit" / "file_messages.py"
spec = importlib.util.spec_from_file_location("file_messages", FILE)
assert spec is not None and spec.loader is not None
messages = sys.modules["file_messages"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(messages)

PLACES = [(hosts, members) for hosts in (1, 2, 4) for members in (1, 2, 4) if hosts * members > 1]


def test_the_costs_of_trees_are_found_and_one_that_was_left_out_is_foretold() -> None:
    costs = {"octavo by files": [2e-5, 8e-5, 4e-5, 1e-5], "pPython": [1e-3, 5e-4, 2e-3]}
    features = {"octavo by files": messages.tree_by_a_hub, "pPython": messages.tree}
    took = {who: {at: sum(a * b for a, b in zip(features[who](at), costs[who], strict=True)) for at in PLACES} for who in costs}
    models = messages.simulated({who: {f"{at[0]} x {at[1]}": seconds for at, seconds in each.items()} for who, each in took.items()})
    for who, model in models.items():
        assert model((4, 4)) == pytest.approx(took[who][4, 4])
    # A server has a file to put for each host; a tree of pairs has a level more for twice as many.
    octavo, ppython = models["octavo by files"], models["pPython"]
    assert octavo((4096, 32)) - octavo((4095, 32)) == pytest.approx(4e-5)
    assert ppython((4096, 32)) - ppython((2048, 32)) == pytest.approx(2e-3)


def test_a_central_directory_is_a_straight_line_once_it_is_full() -> None:
    took = {at: messages.central(at, 2e-4, 1e-5) for at in PLACES}
    base, call = messages.fitted_server(took)
    assert (base, call) == (pytest.approx(2e-4, rel=0.1), pytest.approx(1e-5, rel=0.1))
    assert messages.central((64, 32), base, call) * 4 == pytest.approx(messages.central((256, 32), base, call), rel=0.05)
    assert messages.central((1, 2), base, call) < 2e-3, "a pause, and a few calls"


def test_no_cost_is_below_nothing() -> None:
    costs = messages.fitted({(1, 2): 1.0, (1, 4): 0.5, (2, 1): 1.0, (2, 2): 1.5}, messages.tree)
    assert (costs >= 0).all()
