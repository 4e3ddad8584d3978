# SPDX-License-Identifier: Apache-2.0
"""Streams as text of Graphviz; the same in C++ is tests/conformance/stream/graph_test.cpp."""

from __future__ import annotations

import shutil
import subprocess

import octavo
import pytest
from streams_kit import add_one, count_down, digits, mod_two

EXPECTED = r"""digraph stream {
  rankdir=LR;
  node [shape=box];
  source [shape=plain];
  stage1 [label="add_one\nthread"];
  stage2 [label="say \"by key\"\n3 workers\nprocess, thread"];
  stage3 [label="digits\n2 workers\nprocess"];
  stage4 [label="count_down\n1 worker\nprocess"];
  source -> stage1;
  stage1 -> stage2 [label="by key"];
  stage2 -> stage3 [label="unordered, in parts"];
  stage3 -> stage4 [label="gathered"];
  stage4 -> stage4 [label="again"];
}
"""


def test_the_graph_says_stages_places_and_dealing() -> None:
    s = octavo.pipeline(
        range(3),
        octavo.stage(add_one).on(octavo.thread),
        octavo.farm(add_one).workers(3).by(mod_two).unordered().on([octavo.process, octavo.thread]).named('say "by key"'),
        octavo.farm(len).workers(2).scatter(digits).gather().named("digits"),
        octavo.farm(count_down).workers(1),
    )
    assert s.graph() == EXPECTED


def test_with_a_report_it_says_what_was_done() -> None:
    s = octavo.pipeline(octavo.stage(add_one).on(octavo.thread))
    text = s.graph(s.run(range(5)))
    assert r'stage1 [label="add_one\nthread\n5 -> 5, busy ' in text
    assert "for input" in text


def test_graphviz_reads_it() -> None:
    if shutil.which("dot") is None:
        pytest.skip("Graphviz is not there")
    subprocess.run(["dot", "-Tsvg"], input=EXPECTED, text=True, check=True, capture_output=True)
