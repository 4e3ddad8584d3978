# SPDX-License-Identifier: Apache-2.0
"""Mailboxes between a program of C++ (tests/system/programs/mailer.cpp) and Python: each type that both have, by a name of the home."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import octavo as ov
import pytest
from octavo import _core

pytestmark = pytest.mark.timeout(120)

BUILD = Path(_core.__file__).resolve().parents[1]
MAILER = BUILD / "tests/system/programs/programs_mailer"


@pytest.fixture(scope="module", autouse=True)
def runtime(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    if not (BUILD / "CMakeCache.txt").exists():
        pytest.skip("the package is not that of a build, which has a program of C++ beside it")
    home = tmp_path_factory.mktemp("home")
    with ov.Runtime(home=str(home)):
        yield home
        ov.naming.end_lasting_agent()


@pytest.fixture(scope="module", autouse=True)
def mailer(runtime: Path) -> Iterator[None]:
    with subprocess.Popen([MAILER, runtime], stderr=subprocess.PIPE, text=True) as process:
        try:
            yield
            ov.Mailbox("ov://home/end", int).post(1)
            _, errors = process.communicate(timeout=20)
        finally:
            process.kill()
    assert (process.returncode, errors) == (0, "")


@pytest.mark.parametrize(
    ("name", "type", "sent", "comes"),
    [
        ("int", int, 5, 4),
        ("int", int, -(2**63) + 1, -(2**63)),
        ("int", int, 2**63 - 1, 2**63 - 2),
        ("float", float, 3.0, 1.5),
        ("float", float, float("inf"), float("inf")),
        ("str", str, "", "!"),
        ("str", str, "é" * 20, "é" * 20 + "!"),
        ("str", str, "\0 and \udcff" * 10_000, "\0 and \udcff" * 10_000 + "!"),
        ("bytes", bytes, b"", b""),
        ("bytes", bytes, b"abc", b"cba"),
        ("bytes", bytes, b"a" + bytes(500_000), bytes(500_000) + b"a"),
        ("array", np.ndarray, np.arange(24.0).reshape(2, 3, 4), np.arange(24.0).reshape(2, 3, 4) * 2),
        ("array", np.ndarray, np.ones((600, 500)).T, np.full((500, 600), 2.0)),
        ("array", np.ndarray, np.array(1.5), np.array(3.0)),
        ("array", np.ndarray, np.zeros((0, 2)), np.zeros((0, 2))),
        *(
            ("array", np.ndarray, np.arange(10).astype(kind), np.arange(10).astype(kind))
            for kind in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "c8", "c16")
        ),
        ("row", tuple[int, str, float], (1, "a", 2.0), (0, "a!", 1.0)),
        ("row", tuple[int, str, float], (1, "a" * 9000, 2.0), (0, "a" * 9000 + "!", 1.0)),
        ("nest", tuple[bytes, tuple[str, int], str], (b"ab", ("c", 1), "d"), (b"ba", ("c!", 0), "d!")),
        ("nest", tuple[bytes, tuple[str, int], str], (b"a" + bytes(9000), ("c" * 5000, 1), "d"), (bytes(9000) + b"a", ("c" * 5000 + "!", 0), "d!")),
        ("block", tuple[str, np.ndarray], ("x", np.ones(1000)), ("x!", np.full(1000, 2.0))),
        ("empty", tuple[()], (), ()),
    ],
)
def test_there_and_back(name: str, type: Any, sent: Any, comes: Any) -> None:
    to, back = ov.Mailbox(f"ov://home/to {name}", type), ov.Mailbox(f"ov://home/from {name}", type)
    to.post(sent, timeout=30)
    came = back.retrieve(timeout=30)
    assert_same(came, comes)


def assert_same(came: Any, comes: Any) -> None:
    assert type(came) is type(comes)
    if isinstance(came, tuple):
        assert len(came) == len(comes)
        for each in zip(came, comes, strict=True):
            assert_same(*each)
    elif isinstance(came, np.ndarray):
        assert (came.dtype, came.shape) == (comes.dtype, comes.shape)
        assert np.array_equal(came, comes)
        assert came.flags.writeable  # nobody else has it
    else:
        assert came == comes


def test_many() -> None:
    """More than the bound, in their order."""
    to, back = ov.Mailbox("ov://home/to int", int), ov.Mailbox("ov://home/from int", int)
    ahead = 200
    for i in range(ahead):
        to.post(i)
    for i in range(ahead, 3000):
        to.post(i)
        assert back.retrieve(timeout=30) == i - ahead - 1
    assert [back.retrieve(timeout=30) for _ in range(ahead)] == list(range(3000 - ahead - 1, 2999))


@pytest.mark.parametrize(
    ("name", "type", "there", "here"),
    [
        ("to int", float, r"int \(std::int64_t of C\+\+\)", r"float \(double of C\+\+\)"),
        ("to float", None, r"float \(double of C\+\+\)", "Python values"),
        ("to str", bytes, r"str \(std::string of C\+\+\)", r"bytes \(std::vector<std::byte> of C\+\+\)"),
        ("to nest", np.ndarray, r"tuple\[bytes, tuple\[str, int\], str\]", r"numpy.ndarray \(octavo::ArrayPage of C\+\+\)"),
        ("to empty", tuple[str, np.ndarray], r"tuple\[\(\)\]", r"tuple\[str, numpy.ndarray\]"),
        ("only in C++", int, r"std::vector<bool> of C\+\+", r"int \(std::int64_t of C\+\+\)"),
    ],
)
def test_another_type_is_a_usage_error_that_names_both(name: str, type: Any, there: str, here: str) -> None:
    """By the one that knows the box: whoever reads it is of another process."""
    box = ov.process.make(Reader, f"ov://home/{name}", type)
    with pytest.raises(ov.UsageError, match=f"holds messages of type {there}, not of type {here}"):
        box.retrieve()
    with pytest.raises(ov.UsageError, match=f"holds messages of type {there}, not of type {here}"):
        box.post_until_it_is_told({int: 1, float: 1.0, bytes: b"", np.ndarray: np.ones(1), tuple[str, np.ndarray]: ("", np.ones(1)), None: None}[type])


class Reader:
    def __init__(self, name: str, type: Any) -> None:
        self.box = ov.Mailbox(name, type)

    def retrieve(self) -> Any:
        return self.box.retrieve(timeout=30)

    def post_until_it_is_told(self, value: Any) -> None:
        for _ in range(10**9):
            self.box.post(value, timeout=30)
