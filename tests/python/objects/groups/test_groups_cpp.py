# SPDX-License-Identifier: Apache-2.0
"""Objects of Python and of C++ (tests/system/programs/part.cpp) in one group."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import octavo as ov
import pytest
from octavo import _core

sys.path.insert(0, str(Path(__file__).parent))
import mixed_classes

pytestmark = pytest.mark.timeout(120)

BUILD = Path(_core.__file__).resolve().parents[1]
PROGRAM = BUILD / "tests/system/programs/programs_part"
CPP = ("ov://home/cpp.0", "ov://home/cpp.1")


def part_program(home: Path, *words: str) -> str:
    ended = subprocess.run([PROGRAM, str(home), *words], text=True, capture_output=True, timeout=60, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    return ended.stdout


@pytest.fixture(scope="module", autouse=True)
def runtime(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    if not PROGRAM.exists():
        pytest.skip("the package is not that of a build, which has a program of C++ beside it")
    home = tmp_path_factory.mktemp("home")
    part_program(home, "make", *(name.removeprefix("ov://") for name in CPP))
    with ov.Runtime(home=str(home)):
        yield home
        ov.naming.end_lasting_agent()


@pytest.fixture(scope="module")
def made(runtime: Path) -> list[Any]:
    """Two of C++, and two of Python with names."""
    return [ov.open(name) for name in CPP] + [ov.named(f"ov://home/python.{i}").make(mixed_classes.Model) for i in range(2)]


@pytest.fixture(scope="module", params=[(0, 2), (2, 0), (0, 2, 1, 3), (2, 3, 0)], ids=["cp", "pc", "cpcp", "ppc"])
def g(made: list[Any], request: pytest.FixtureRequest) -> Any:
    """The first of each, in both orders; and more."""
    return ov.group([made[i] for i in request.param])


def each(values: Any) -> Any:
    return ov.each(list(values))


def arrays(values: Any) -> list[list[Any]]:
    """As C++ members give a list of vectors, and Python's one of arrays."""
    return [np.asarray(value).tolist() for value in values]


def test_g1_members_of_both_know_their_place(g: Any) -> None:
    n = len(g)
    assert g.all.place() == [10 * i + n for i in range(n)]
    g.all.meet()
    g.barrier()


def test_py1_numbers_and_texts_are_reduced(g: Any) -> None:
    n = len(g)
    assert g.all.total(each(0.5 + i for i in range(n))) == [0.5 * n + n * (n - 1) / 2] * n
    assert g.all.total(each(range(n))) == [n * (n - 1) / 2] * n
    assert g.all.total(each(np.float32(i) for i in range(n))) == [n * (n - 1) / 2] * n
    assert g.all.greatest(each(-i * 2**40 for i in range(n))) == [0] * n
    assert g.all.joined(each("abcd"[i] for i in range(n))) == ["abcd"[:n]] * n
    for root in range(n):
        assert g.all.total_there(1.0, root) == [float(n) if i == root else -1.0 for i in range(n)]


@pytest.mark.parametrize("count", [0, 3, 70_000, 2_000_000], ids=str)
def test_py3_arrays_are_reduced_element_by_element(g: Any, count: int) -> None:
    n = len(g)
    values = [np.arange(float(count)) + i for i in range(n)]
    for got in g.all.sum(each(values)):
        assert got.dtype == np.float64
        assert np.array_equal(got, sum(values))


def test_py3_so_are_arrays_of_any_shape_and_those_of_the_root(g: Any) -> None:
    n = len(g)
    for dtype in ("float32", "int16", "complex64"):
        values = [(np.arange(24).reshape(2, 3, 4) + i).astype(dtype) for i in range(n)]
        for got in g.all.sum_field(each(values)):
            assert (got.dtype, got.shape) == (np.dtype(dtype), (2, 3, 4))
            assert np.array_equal(got, sum(values))
    for root in range(n):
        got = g.all.sum_there(np.ones(5, "int32"), root)
        assert arrays(got) == [[n] * 5 if i == root else [] for i in range(n)]


def test_py1_what_the_root_has_comes_to_each(g: Any) -> None:
    n = len(g)
    large = np.arange(300_000.0).reshape(3, 100_000)
    for root in range(n):
        assert g.all.told(each(float(i) for i in range(n)), root) == [float(root)] * n
        for got in g.all.told_field(each(large + i for i in range(n)), root):
            assert np.array_equal(got, large + root)
        dealt = g.all.dealt([np.full(2, 0.5 + i) for i in range(n)], root)
        assert arrays(dealt) == [[0.5 + i] * 2 for i in range(n)]


def test_py1_what_each_has_comes_to_the_root_or_to_each(g: Any) -> None:
    n = len(g)
    for root in range(n):
        assert arrays(g.all.gathered(each(float(i) for i in range(n)), root)) == [[float(k) for k in range(n)] if i == root else [] for i in range(n)]
    for got in g.all.all_gathered(each(np.full(i + 1, float(i)) for i in range(n))):
        assert arrays(got) == [[float(i)] * (i + 1) for i in range(n)]
    for i, got in enumerate(g.all.exchanged(each([np.full(k + 1, 10.0 * i + k) for k in range(n)] for i in range(n)))):
        assert arrays(got) == [[10.0 * k + i] * (i + 1) for k in range(n)]


def test_py1_scans_give_what_lies_before(g: Any) -> None:
    n = len(g)
    assert g.all.up_to(each(0.5 + i for i in range(n))) == [sum(0.5 + k for k in range(i + 1)) for i in range(n)]
    assert g.all.before(each(range(1, n + 1)), 100) == [100 + sum(range(1, i + 1)) for i in range(n)]
    assert arrays(g.all.fields_up_to(each(np.full(3, 1.0 + i) for i in range(n)))) == [[sum(1.0 + k for k in range(i + 1))] * 3 for i in range(n)]


def test_py1_parts_have_collectives_of_their_own(g: Any) -> None:
    n = len(g)
    colors = [min(i, 1) for i in range(n)]
    got = g.all.total_of_part(each(1.0 + i for i in range(n)), each(colors))
    assert got == [1.0] + [sum(1.0 + k for k in range(1, n))] * (n - 1)


@pytest.mark.parametrize(
    ("value", "named"),
    [("two", "str"), ([1], "list"), (2 + 1j, "complex"), (np.ones((2, 2)), "numpy.ndarray of <f8 with 2 dimensions"), (None, "None"), ({1}, "object")],
    ids=str,
)
def test_py2_what_does_not_fit_names_both_types_at_all(made: list[Any], value: Any, named: str) -> None:
    g = ov.group([made[0], made[2]])
    with pytest.raises(ov.UsageError, match=rf"of Python's type {named}.* came where C\+\+ wants double.*docs/groups.md"):
        g.all.told(each([1.0, value]), 1)
    assert g.all.total(1.0) == [2.0, 2.0]  # the group goes on


def test_g7_self_of_a_class_of_c_plus_plus_alone_is_told_from_this(made: list[Any]) -> None:
    with pytest.raises(ov.UsageError, match=r"all_reduce of double.*all_reduce of Python values|all_reduce of Python values.*all_reduce of double"):
        ov.group([made[0], made[2]]).all.plainly(1.0)


@pytest.mark.parametrize("who", [0, 1])
def test_g8_what_one_raises_comes_to_all(made: list[Any], who: int) -> None:
    g = ov.group([made[0], made[2]])
    with pytest.raises(Exception, match="no negative numbers"):
        g.all.fails(each([-1.0 if i == who else 1.0 for i in range(2)]))
    assert g.all.fails(1.0) == [2.0, 2.0]


@pytest.mark.parametrize("dies", [0, 1])
def test_g9_a_death_is_told_at_the_other_whatever_its_language(runtime: Path, made: list[Any], dies: int) -> None:
    part_program(runtime, "make", "home/mortal")
    pair = [ov.open("ov://home/mortal"), ov.named("ov://home/other").make(mixed_classes.Model)]
    try:
        g = ov.group(pair)
        waits = ov.start(pair[1 - dies].total, 1.0)
        with pytest.raises(ov.ProcessDied):
            pair[dies].crash()
        with pytest.raises(ov.ProcessDied, match=rf"{('Part', 'Model')[dies]} \(process \d+"):
            waits.result(timeout=30)
        assert g.again().all.total(1.0) == [2.0, 2.0]
    finally:
        for one in pair:
            ov.destroy(one)


def test_python_calls_methods_of_c_plus_plus_and_hands_them_on(made: list[Any]) -> None:
    cpp, mine = made[0], made[2]
    assert cpp.later(1) == 2.0  # an octavo::future<double>
    assert ov.start(cpp.later, 2.5).result(timeout=20) == 3.5
    assert pickle.loads(pickle.dumps(cpp)) == cpp
    assert mine.ask(cpp, 1.0) == 2.0  # a pointer to C++ that arrived
    assert cpp.asked(mine, 2.0) == 4.0  # and one to Python
    assert "Part" in repr(cpp)


def test_what_c_plus_plus_has_not_is_said(made: list[Any]) -> None:
    cpp = made[0]
    with pytest.raises(AttributeError, match=r"OCTAVO_PYTHON\(Part, nothing, ...\)"):
        cpp.nothing()
    with pytest.raises(ov.UsageError, match="takes 1 arguments, and was given 2"):
        cpp.later(1.0, 2.0)
    with pytest.raises(ov.UsageError, match="in their order, without names"):
        cpp.later(x=1.0)
    with pytest.raises(ov.UsageError, match="asked for more than a method"):
        cpp.value = 3
    with pytest.raises(ov.UsageError, match="asked for more than a method"):
        cpp[0]
    with pytest.raises(ov.UsageError, match=r"is an object of C\+\+.*octavo.open\('ov://home/cpp.0'\)"):
        ov.open(CPP[0], mixed_classes.Model)


def test_without_a_class_an_object_of_python_is_opened_too(made: list[Any]) -> None:
    assert ov.open("ov://home/python.0").twice(1.5) == 3.0


def test_c_plus_plus_calls_python_and_makes_a_group_with_it(runtime: Path, made: list[Any]) -> None:
    lines = part_program(runtime, "call", "home/python.1").splitlines()
    assert lines[:5] == ["3", "3", "3", "2 4", "2 4"]
    assert "no negative numbers" in lines[5]
    assert "of Python's type float came where C++ wants std::string" in lines[6]


def test_the_examples_in_both_languages_work_together(runtime: Path) -> None:
    root = Path(__file__).resolve().parents[4] / "examples/python/20_with_python"
    in_cpp, in_python = [str(BUILD / "tests/examples/example_20_with_python")], [sys.executable, str(root / "main.py")]
    if not Path(in_cpp[0]).exists():
        pytest.skip("the examples are not built")
    environment = {**os.environ, "OCTAVO_HOME": str(runtime)}

    def run(program: list[str], *words: str) -> str:
        ended = subprocess.run([*program, *words], env=environment, text=True, capture_output=True, timeout=60, check=False)
        assert (ended.returncode, ended.stderr) == (0, "")
        return ended.stdout

    wanted = run(in_cpp)
    run(in_cpp, "offer", "home/example.cpp")
    run(in_python, "offer", "home/example.python")
    assert run(in_python, "ov://home/example.cpp") == run(in_cpp, "ov://home/example.python") == wanted
