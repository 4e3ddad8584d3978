# SPDX-License-Identifier: Apache-2.0
"""Classes and functions of a script, by value: what is known is left alone, what is defined anew travels anew, and what functions keep is kept."""

from __future__ import annotations

import gc
import shutil
import warnings
from pathlib import Path
from typing import Any

import octavo
import pytest
from hosted_classes import Echo
from octavo.objects.by_value import size
from octavo.objects.by_value.held import held
from programs_kit import run_program
from script_kit import Script, answer

pytestmark = pytest.mark.timeout(60)


@pytest.mark.parametrize("name", ["script_of_data", "script_of_classes"])
def test_each_definition_of_a_script_is_there_what_it_is_here(tmp_path: Path, name: str) -> None:
    here = Path(__file__).parent
    shutil.copy(here / "definitions_kit.py", tmp_path)
    script = (here / f"{name}.py").read_text()
    assert run_program(tmp_path, script) == "compared\n"


COUNTED = """
    FACTOR = 1
    class Counted:
        count, registry = 0, []
        def factor(self): return FACTOR
        def bump(self):
            Counted.count += 1
            Counted.registry.append(1)
            return Counted.count
"""


@pytest.mark.parametrize("place", [octavo.process, octavo.thread], ids=str)
def test_a_reply_leaves_the_class_alone(place: octavo.Place) -> None:
    script = Script(COUNTED)
    known, registry, factor = script.Counted, script.Counted.registry, script.Counted.factor
    with octavo.scoped(place.make(Echo)) as p:
        back = p.same(known())
        p.apply(known.bump, known())
        script.run("FACTOR = 2; Counted.added = 3")
        assert type(p.same(back)) is known
    assert (known().factor(), known.added) == (2, 3)
    assert known.factor is factor
    assert factor.__globals__ is script.globals
    assert known.registry is registry


def test_making_one_leaves_the_class_alone() -> None:
    script = Script(COUNTED)
    with octavo.scoped(octavo.thread.make(script.Counted)) as p:
        script.run("FACTOR = 2")
        assert p.factor() == 2


def test_a_method_that_is_defined_anew_stays_so(echo: Echo) -> None:
    script = Script(COUNTED)
    reply = octavo.start(echo.same, script.Counted())
    script.Counted.factor = lambda self: "anew"
    assert reply.result().factor() == "anew"


def test_what_arrives_does_not_reset_its_class(echo: Echo) -> None:
    script = Script(COUNTED)
    assert [echo.apply(lambda x: x.bump(), script.Counted()) for _ in range(3)] == [1, 2, 3]
    assert script.Counted.count == 0


def test_a_class_that_is_defined_anew_is_another(worker: octavo.Executor) -> None:
    script = Script("class K: v = 1", "def judged(x): return x.v, K.v, isinstance(x, K)")
    old = script.K()
    assert answer(worker, script.judged, old) == (1, 1, True)
    script.run("class K: v = 2")
    assert answer(worker, script.judged, script.K()) == (2, 2, True)
    assert answer(worker, script.judged, old) == (1, 2, False)
    assert type(answer(worker, lambda x: x, old)) is type(old)


def test_the_globals_of_a_function_are_kept(worker: octavo.Executor) -> None:
    script = Script("cache, model, N = {}, None, 1")
    script.run("""
    def kept(x):
        hit = x in cache
        cache[x] = 1
        return hit, N
    def load():
        global model
        model = 'loaded'
    def use(): return model, len(cache)
    """)
    assert [answer(worker, script.kept, 1) for _ in range(2)] == [(False, 1), (True, 1)]
    script.run("N = 2")
    assert answer(worker, script.kept, 1) == (True, 1)
    answer(worker, script.load)
    assert answer(worker, script.use) == ("loaded", 1)


def test_what_is_defined_anew_brings_what_has_changed(worker: octavo.Executor) -> None:
    script = Script("N, options, cache = 1, {}, []", "def helped(): return 'old'")
    cell = "def f():\n    cache.append(1)\n    return N, options, helped(), len(cache)"
    script.run(cell)
    assert answer(worker, script.f) == (1, {}, "old", 1)
    script.run("N, options['lr'] = 2, 3")
    script.run(cell)
    assert answer(worker, script.f) == (2, {"lr": 3}, "old", 2)
    script.run("def helped(): return 'new'")
    assert answer(worker, script.f) == (2, {"lr": 3}, "new", 3)


HELPERS = """
    import functools
    def decorated(f):
        @functools.wraps(f)
        def called(x): return f(x)
        return called
    def closing(n):
        def f(x): return x + n
        return f
    @decorated
    def first(x): return x + 1
    second = lambda x: x + 1
    third = functools.partial(pow, 2)
    fourth = closing(1)
    fifth = functools.lru_cache(lambda x: x + 1)
    """
ANEW = """
    @decorated
    def first(x): return x + 100
    second = lambda x: x + 100
    third = functools.partial(pow, 3)
    fourth = closing(100)
    fifth = functools.lru_cache(lambda x: x + 100)
    """


def test_helpers_of_every_kind_that_are_defined_anew_are_used(worker: octavo.Executor) -> None:
    script = Script(HELPERS, "def use(x): return first(x), second(x), third(x), fourth(x), fifth(x)")
    assert answer(worker, script.use, 1) == (2, 2, 2, 2, 2)
    script.run(ANEW)
    assert answer(worker, script.use, 1) == (101, 101, 3, 101, 101) == script.use(1)


def test_a_function_that_is_made_anew_has_what_it_sees_now(worker: octavo.Executor) -> None:
    script = Script("made = []\nfor i in range(3): made.append(lambda: i)", "def closing(n):\n    return lambda: n")
    assert answer(worker, script.made[0]) == 2
    seen = []
    for i in range(3):
        script.run(f"i = {i}\nlater = made.append(lambda: i) or made[-1]")
        seen.append(answer(worker, script.later))
    assert seen == [0, 1, 2]
    assert [answer(worker, script.closing(n)) for n in range(3)] == [0, 1, 2]


def test_a_closure_has_what_its_variables_hold_at_each_call(worker: octavo.Executor) -> None:
    n = 0

    def count() -> int:
        nonlocal n
        n += 1
        return n

    def both(count: Any, counted: Any) -> tuple[int, int]:
        return count(), counted()

    assert answer(worker, both, count, lambda: n) == (1, 1)
    assert answer(worker, both, count, lambda: n) == (1, 1)
    count()
    assert answer(worker, both, count, lambda: n) == (2, 2)


SENT = """
    sent = []
    class Large:
        def __init__(self): self.data = bytes(100_000)
        def __reduce__(self):
            sent.append(1)
            return Large, ()
    large = Large()
    def measure(): return len(large.data)
"""


def test_a_large_global_is_sent_once(worker: octavo.Executor, echo: Echo, monkeypatch: pytest.MonkeyPatch) -> None:
    script = Script("import numpy\nlarge = numpy.zeros(500_000)\ndef measure(): return large.nbytes\ndef same(_): return measure()")
    monkeypatch.setattr(size, "MOST", 1 << 20)
    with pytest.warns(RuntimeWarning, match="the function measure takes its global 'large' of 4 MiB along") as told:
        assert worker.submit(script.measure).result() == 4_000_000
    assert len(told) == 1
    assert told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert octavo.call(echo, script.same) == 4_000_000


def test_a_global_is_not_pickled_for_calls_of_what_is_known(worker: octavo.Executor) -> None:
    script = Script(SENT)
    assert answer(worker, script.measure) == 100_000
    script.sent.clear()
    begun = [worker.submit(script.measure) for _ in range(10)]
    assert [each.result() for each in begun] == [100_000] * 10
    assert script.sent == []


def count_held(_: object) -> int:
    return sum(len(each) for each in held._of_senders.values())


def test_what_is_gone_here_goes_there(echo: Echo) -> None:
    most = 0
    for n in range(600):
        script = Script(f"class K: pass\ndef f(_, x): return {n}")
        assert octavo.call(echo, script.f, script.K()) == n
        del script
        gc.collect(0)
        most = max(most, octavo.call(echo, count_held)) if n % 50 == 0 else most
    gc.collect()
    octavo.call(echo, Script("def last(_): pass").last)
    assert octavo.call(echo, count_held) <= most < 600


def test_why_a_definition_could_not_be_made_is_told_by_each_call(worker: octavo.Executor) -> None:
    script = Script("class Bad:\n    def __reduce__(self): return int, ('x',)\nbad = Bad()\ndef f(): return bad")
    begun = [worker.submit(script.f) for _ in range(3)]
    for each in [*begun, worker.submit(script.f)]:
        with pytest.raises(ValueError, match="invalid literal for int"):
            each.result()
    script.run("bad = 1")
    assert answer(worker, script.f) == 1


def test_an_object_sends_what_arrived_there_to_another(worker: octavo.Executor) -> None:
    script = Script("class K:\n    seen = 0\n    def bump(self):\n        K.seen += 1\n        return K.seen", "def bump(x): return x.bump()")

    script.run("def relay(p, x): return [p.apply(bump, x) for _ in range(2)], p.same(x)")

    with octavo.scoped(octavo.process.make(Echo)) as p:
        first, back = answer(worker, script.relay, p, script.K())
        second, _ = answer(worker, script.relay, p, script.K())
    assert (first, second, type(back)) == ([1, 2], [3, 4], script.K)


def test_an_object_that_is_called_back_learns_what_comes_so() -> None:
    script = Script(
        "class K: pass", "class Asking:\n    def ask(self, other, me): return other.apply(answer, me)\n    def take(self, x): return type(x).__name__"
    )
    script.run("def answer(p): return p.take(K()), p.take(K())")
    with octavo.scoped(octavo.process.make(script.Asking)) as p, octavo.scoped(octavo.process.make(Echo)) as other:
        assert p.ask(other, p) == ("K", "K")
