# SPDX-License-Identifier: Apache-2.0
"""pickle=False: built-in values, arrays and pointers travel, everything else is refused where it is sent and where it arrives."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import octavo
import pytest
from guarded_classes import Evil, Own, Strict
from hosted_classes import Bag, Counter, Echo, Friend
from hypothesis import given
from octavo.objects.trust import here
from test_objects_values import NESTED, alike

pytestmark = pytest.mark.timeout(60)


@pytest.fixture(scope="module", autouse=True)
def runtime() -> Iterator[octavo.Runtime]:
    with octavo.Runtime(pickle=False) as made:
        yield made
    here.pickle = True  # as the next Runtime would say


@pytest.fixture(scope="module")
def strict() -> Strict:
    return octavo.process.make(Strict)


@given(what=NESTED)
def test_built_in_values_arrive_as_they_were(strict: Strict, what: Any) -> None:
    assert alike(strict.same(what), what)
    assert alike(strict.same({"a": [what, {1}]}), {"a": [what, {1}]})


@pytest.mark.parametrize(
    "what", [range(1, 10, 3), slice(1, None, 2), ..., NotImplemented, bytearray(b"abc"), {1, (2, "b")}, frozenset({1.5}), 1 << 200], ids=repr
)
def test_other_built_in_values(strict: Strict, what: Any) -> None:
    for got in (strict.same(what), strict.same([what])[0]):
        assert type(got) is type(what)
        assert got == what


@pytest.mark.parametrize("size", [0, 1, 3000])
@pytest.mark.parametrize("kind", ["f8", ">i4", "c8", "?", "U3", "S5", "M8[ns]", "V7", [("a", "i4"), ("b", "f8", (2,))]], ids=str)
def test_arrays_and_their_scalars(strict: Strict, kind: Any, size: int) -> None:
    array = np.frombuffer(np.random.default_rng(1).bytes(size * np.dtype(kind).itemsize), "u1").copy().view(kind) if size else np.empty(0, kind)
    if kind == "U3":
        array = np.full(size, "äb", kind)
    if kind == "?":
        array = np.arange(size) % 3 == 0
    for what in (array, {"a": array[::2], "s": {1}}, [np.asfortranarray(np.stack([array, array])), {2}], array[:1].reshape(())[()] if size else array):
        got = strict.same(what)
        for one, two in zip(leaves(got), leaves(what), strict=True):
            assert type(one) is type(two)
            assert one.dtype == two.dtype
            assert one.shape == two.shape
            assert one.tobytes() == two.tobytes()
            assert getattr(two, "flags", None) is None or one.flags.f_contiguous == two.flags.f_contiguous or not two.flags.contiguous
    assert strict.same([np.dtype(kind)]) == [np.dtype(kind)]


def leaves(what: Any) -> list[Any]:
    items = what.values() if isinstance(what, dict) else what if isinstance(what, list) else [what]
    return [each for each in items if not isinstance(each, set)]


def test_an_array_that_arrives_can_be_written_and_one_of_the_pool_is_shared(strict: Strict) -> None:
    (got, _) = strict.same([np.arange(6).reshape(2, 3), {1}])
    got[:] = 5
    pooled = octavo.empty(100_000)
    pooled[:] = 3
    assert strict.same(pooled).sum() == 300_000
    assert not strict.same(pooled).flags.writeable


def test_what_stands_twice_is_one_and_what_contains_itself_too(strict: Strict) -> None:
    a: list[Any] = [{1}]
    array = np.zeros(3)
    got = strict.same([a, a, array, array, {"k": a}])
    assert got[0] is got[1] is got[4]["k"]
    assert got[2] is got[3]
    a.append(a)
    got = strict.same(a)
    assert got[1] is got


def test_pointers_and_their_methods_travel(strict: Strict) -> None:
    friend = octavo.process.make(Friend, strict)
    assert friend.back() == strict
    assert strict.same({friend}) == {friend}
    assert strict.apply(friend.hear, {1}) == 1
    assert friend.heard == [{1}]
    assert friend.chain(friend, [])[1] == strict.pid()


def test_calls_of_every_kind_and_nothing_is_unpickled(strict: Strict) -> None:
    assert not strict.pickles()
    assert strict.make_another() == (False, 8)
    assert octavo.start(strict.later, {5}).result() == {5}
    read: list[Any] = []
    with pytest.raises(octavo.RemoteError, match=r"guarded_classes.Own: after them"):
        read.extend(strict.lines(100))
    bag = octavo.process.make(Bag, [1, 2, {3}])
    assert bag[1:] == [2, {3}]
    with bag:
        raise KeyError("x")
    assert bag.calls == ["enter", "exit KeyError: 'x'"]
    with octavo.Executor(1) as workers:
        assert workers.submit(math.hypot, 3, 4).result() == 5
    array = octavo.process.make(octavo.RemoteArray[float], 8)
    array[2:4] = [1, 2]
    assert array[1:4].tolist() == [0, 1, 2]
    assert octavo.process.make(np.zeros, (3,)).mean() == 0
    assert octavo.process.make(dict.fromkeys, "ab", 1)["b"] == 1
    assert octavo.thread.make(Echo).same({1}) == {1}


def test_devices(tmp_path: Path) -> None:
    device = octavo.process.make(octavo.devices.PageFile, str(tmp_path / "pages"), 2, (8, 8), np.dtype(np.float64))
    device.write(np.ones((8, 8)), 1)
    assert device.read(1).sum() == 64
    assert device.facts().dtype == np.float64
    assert device.counters().requests > 0
    octavo.destroy(device)


@pytest.mark.parametrize(
    "error",
    [KeyError("x"), OSError(2, "no such", "file"), UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad"), octavo.IoError("a disk")],
    ids=lambda error: type(error).__name__,
)
def test_exceptions_of_python_and_octavo_arrive_as_themselves(strict: Strict, error: Exception) -> None:
    with pytest.raises(type(error)) as raised:
        strict.fail(error)
    assert str(raised.value) == str(error)
    where = octavo.errors.origin(raised.value)
    assert where is not None
    assert where.object == "Strict"
    assert strict.add(1) > 0


def test_others_arrive_as_text(strict: Strict) -> None:
    with pytest.raises(octavo.RemoteError, match=r"guarded_classes\.Own: \('only here', 5\)"):
        strict.fail_of_its_own()
    got = strict.same(Own("a"))
    assert (type(got), str(got)) == (octavo.RemoteError, "guarded_classes.Own: a")
    assert str(strict.same(ValueError(object()))).startswith("<object")
    assert strict.same([Own, KeyError]) == [Exception, KeyError]  # the nearest that both have


def a_function() -> None:
    pass


@pytest.mark.parametrize(
    ("what", "place", "named"),
    [
        ([1, {"a": a_function}], "[1]['a']", "builtins.function"),
        ([1, {"a": Evil(Path("x"))}], "[1]['a']", "guarded_classes.Evil"),
        ({("x", octavo.process): 1}, f".<key ('x', {octavo.process!r})>[1]", "octavo.objects.places.Place"),
        ([np.array([None, 1])], "[0]", f"{type(np.dtype(object)).__module__}.{type(np.dtype(object)).__qualname__}, the dtype object,"),
        ([np.ma.array([1])], "[0]", f"{np.ma.MaskedArray.__module__}.MaskedArray"),
        ([True, Counter], "[1]", "builtins.type"),
    ],
    ids=["a function", "an object", "a key", "an array of objects", "another array", "a class"],
)
def test_everything_else_is_refused_where_it_is_sent_with_its_place(strict: Strict, what: Any, place: str, named: str) -> None:
    why = f"{place}: {named} cannot be sent to another process: this Runtime was made with pickle=False. Send built-in values and arrays, and make it there"
    sends: dict[str, Callable[[], object]] = {
        "argument 2": lambda: strict.everything(0, what),
        "argument x": lambda: octavo.process.make(Counter, x=what),  # type: ignore[call-arg]
        "argument 1": lambda: octavo.start(octavo.process, len, what),
        "the value": lambda: setattr(strict, "attribute", what),
    }
    for begin, send in sends.items():
        with pytest.raises(TypeError) as caught:
            send()
        assert str(caught.value) == begin + why


def test_what_cannot_be_named_cannot_be_made() -> None:
    class Local:
        pass

    for make in (Local, lambda: 5, Evil(Path("x")).__reduce__):
        with pytest.raises(octavo.UsageError, match="pickle=False"):
            octavo.process.make(make)
    with pytest.raises(octavo.UsageError, match="pickle=False"), octavo.Executor(1) as workers:
        workers.submit(lambda: 5)
    with pytest.raises(TypeError, match="pickle=False"):
        octavo.call(octavo.process.make(Counter), len)  # type: ignore[arg-type]
