# SPDX-License-Identifier: Apache-2.0
"""pickle=False: what a hostile process of the program sends is refused before anything of it is unpickled."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cloudpickle
import numpy as np
import octavo
import pytest
from guarded_classes import Evil, Hostile, Strict
from hosted_classes import Counter
from hypothesis import given
from hypothesis import strategies as st
from octavo.objects import places
from octavo.objects.pickling import array_of, loads
from octavo.objects.plain import HEADER, writer
from octavo.objects.trust import here
from programs_kit import run_program
from test_objects_values import NESTED

pytestmark = pytest.mark.timeout(60)


@pytest.fixture(scope="module", autouse=True)
def runtime() -> Iterator[octavo.Runtime]:
    with octavo.Runtime(pickle=False) as made:
        yield made
    here.pickle = True  # as the next Runtime would say


@pytest.fixture(scope="module")
def strict() -> Strict:
    return octavo.process.make(Strict)


@pytest.fixture
def hostile(monkeypatch: pytest.MonkeyPatch) -> None:
    """This program pickles all the same, as a hostile one would."""
    monkeypatch.setattr(here, "pickle", True)


def test_a_pickle_that_arrives_is_refused_unread(strict: Strict, tmp_path: Path, hostile: None) -> None:
    made = tmp_path / "made"
    evil = Evil(made)
    for send in (
        lambda: strict.same(evil),
        lambda: strict.everything(evil, evil, a=evil),
        lambda: octavo.start(strict.later, evil).result(),
        lambda: setattr(strict, "value", evil),
        lambda: octavo.call(strict, print),
    ):
        with pytest.raises(octavo.Refused, match="pickle=False"):
            send()
    assert not made.exists()
    strict.value = 0
    assert strict.add(1) == 1


def test_one_to_be_made_is_refused_unread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "dumps_first", lambda value: (cloudpickle.dumps((Evil(tmp_path / "made"), (), {})), ()))
    with pytest.raises(octavo.Refused, match="pickle=False"):
        octavo.process.make(Counter)
    assert not (tmp_path / "made").exists()


def test_a_result_and_an_exception_that_are_pickles_are_refused_unread(tmp_path: Path) -> None:
    made = tmp_path / "made"
    with pytest.raises(octavo.Refused, match="pickle=False"):
        octavo.process.make(Hostile).give(str(made))
    with pytest.raises(octavo.RemoteError, match="Own: with more"):
        octavo.process.make(Hostile).throw(str(made))
    assert not made.exists()


@given(data=st.data(), what=NESTED)
def test_bytes_that_are_no_value_are_an_error(data: st.DataObject, what: Any) -> None:
    right = writer.dumps([what, np.arange(3), {1: ValueError("a")}, octavo.watching.Address(1, 2, 3)])
    at = data.draw(st.integers(len(HEADER), len(right) - 1))
    wrong = bytearray(right[: data.draw(st.integers(at, len(right)))])
    wrong[at : at + 1] = data.draw(st.binary(max_size=3))
    try:
        loads(memoryview(wrong), [])
    except octavo.IoError as error:
        assert "that arrived" in str(error)


@pytest.mark.parametrize("dtype", ["O", "O,i4", [("a", "O")]], ids=str)
def test_an_array_of_objects_is_never_made_of_bytes(dtype: Any) -> None:
    with pytest.raises((ValueError, octavo.IoError)):
        array_of(bytearray(64), dtype, (2,))
    described = writer.dumps(dtype)[len(HEADER) :]
    with pytest.raises(octavo.IoError, match="array of objects"):
        loads(memoryview(HEADER + b"a" + described + b"C\x01\x02\x00\x10" + bytes(16)), [])


def test_every_machine_is_told(tmp_path: Path) -> None:
    text = """
        import colorsys
        from guarded_classes import Strict
        with octavo.Runtime(engine=octavo.played(["box"]), pickle=False) as cluster:
            far = cluster.machine("box").make(Strict)
            print(far.pickles(), far.make_another(), far.same({1}))
            modules = octavo.process.make(eval, "set(__import__('sys').modules)")
            print("colorsys" in modules)  # loaded before the fork
        with octavo.Runtime():
            print(octavo.process.make(Strict).pickles())
            print(octavo.process.make(Echo).apply(lambda: 5))
        """
    assert run_program(tmp_path, text) == "False (False, 8) {1}\nTrue\nTrue\n5\n"


def test_a_result_that_is_read_after_its_runtime_ended_is_refused_unread(tmp_path: Path) -> None:
    text = """
        from guarded_classes import Hostile
        with octavo.Runtime(pickle=False):
            late = octavo.start(octavo.process.make(Hostile).give, os.path.abspath("made"))
            concurrent.futures.wait([late])
        try:
            late.result()
        except octavo.Refused:
            print(os.path.exists("made"))
        with octavo.Runtime():
            print(octavo.process.make(Echo).apply(lambda: 5))
        """
    assert run_program(tmp_path, text) == "False\n5\n"
