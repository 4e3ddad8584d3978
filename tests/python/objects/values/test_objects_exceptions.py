# SPDX-License-Identifier: Apache-2.0
"""Exceptions that are values: returned, held, put. They arrive as they are, as raised ones do, and are not made anew."""

from __future__ import annotations

import builtins
import sys
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

import octavo
import pytest
from hosted_classes import Echo

pytestmark = pytest.mark.timeout(60)


class WithKeyword(Exception):
    def __init__(self, *, code: int) -> None:
        super().__init__(f"code {code}")
        self.code = code


class Formats(ValueError):
    """Would make another text of its text."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} is wrong")


class OfFile(OSError):
    def __init__(self, *, path: str) -> None:
        super().__init__(2, "not there", path)


class OfModule(ImportError):
    def __init__(self, *, module: str) -> None:
        super().__init__("no module", name=module, path="/x")


class Slotted(KeyError):
    __slots__ = ("__inner", "outer")

    def __init__(self, *, outer: int) -> None:
        super().__init__(outer)
        self.outer, self.__inner = outer, -outer

    def __str__(self) -> str:
        return f"{self.outer} {self.__inner}"


@dataclass(frozen=True)
class Frozen(Exception):
    code: int
    hint: str = ""


class OwnState(Exception):
    def __init__(self, *, code: int) -> None:
        super().__init__(code)
        self.code = code

    def __setstate__(self, state: Any) -> None:
        vars(self).update(state, arrived=True)


class Says(Exception):
    """How it is pickled."""

    def __init__(self, code: int) -> None:
        super().__init__("text")
        self.code, self.made = code, "here"

    def __reduce__(self) -> tuple[Any, ...]:
        return Says.of, (self.code,)

    @classmethod
    def of(cls, code: int) -> Says:
        made = cls(code)
        made.made = "anew"
        return made


ERRORS: list[Callable[[], BaseException]] = [
    lambda: WithKeyword(code=3),
    lambda: Formats("this"),
    lambda: OfFile(path="/tmp/none"),
    lambda: OfModule(module="none"),
    lambda: Slotted(outer=4),
    lambda: Frozen(5, "so"),
    lambda: ValueError(1, [2]),
    lambda: FileNotFoundError(2, "not there", "name"),
    lambda: UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad"),
    lambda: StopIteration(3),
    lambda: SystemExit(2),
    lambda: KeyboardInterrupt(),
    lambda: octavo.UsageError("of octavo"),
]


def by_result(error: Any) -> Any:
    echo = octavo.process.make(Echo)
    try:
        return echo.same(error)
    finally:
        octavo.destroy(echo)


def by_queue(error: Any) -> Any:
    jobs: octavo.Queue[Any] = octavo.Queue()
    jobs.put(error)
    return jobs.get()


def by_mailbox(error: Any) -> Any:
    box: octavo.Mailbox[Any] = octavo.Mailbox(uuid.uuid4().hex)
    box.post(error)
    return box.retrieve(timeout=20)


def by_channel(error: Any) -> Any:
    out, values = octavo.channel()
    out.post(error)
    return next(values)


def held(error: Any) -> Any:
    [found] = by_result({"errors": (error,)})["errors"]
    return found


def facts(error: Any) -> tuple[Any, ...]:
    return type(error), repr(error.args), str(error), repr(sorted(vars(error).items())), getattr(error, "filename", None), getattr(error, "name", None)


@pytest.mark.parametrize("way", [by_result, by_queue, by_mailbox, by_channel, held])
@pytest.mark.parametrize("make", ERRORS, ids=lambda make: type(make()).__name__)
def test_it_arrives_as_it_is(way: Callable[[Any], Any], make: Callable[[], BaseException]) -> None:
    error = make()
    arrived = way(error)
    assert arrived is not error
    assert facts(arrived) == facts(error)


@pytest.mark.parametrize("make", ERRORS[:6], ids=lambda make: type(make()).__name__)
def test_a_raised_one_does_too(make: Callable[[], BaseException]) -> None:
    def fail() -> NoReturn:
        raise make()

    with octavo.Executor(1) as workers:
        arrived = workers.submit(fail).exception(20)
    assert arrived is not None
    vars(arrived).pop("__notes__", None)
    assert facts(arrived) == facts(make())


def test_causes_and_notes_come_with_it(echo: Echo) -> None:
    error, cause, first = WithKeyword(code=1), Formats("that"), KeyError("first")
    error.__cause__, cause.__cause__ = cause, first
    if sys.version_info >= (3, 11):
        error.add_note("a note")
        cause.add_note("another")
    arrived = echo.same([error])[0]
    assert facts(arrived) == facts(error)
    assert (facts(arrived.__cause__), facts(arrived.__cause__.__cause__)) == (facts(cause), facts(first))
    assert arrived.__cause__.__cause__.__cause__ is None


def test_a_cause_that_cannot_be_sent_stays(echo: Echo) -> None:
    error, cause = WithKeyword(code=1), ValueError(each for each in "abc")
    error.__cause__ = cause
    assert facts(echo.same(error)) == facts(error)
    with pytest.raises(TypeError, match="generator"):
        echo.same(cause)


def test_long_chains_and_circles(echo: Echo) -> None:
    chain: list[Any] = [WithKeyword(code=number) for number in range(40)]
    for error, cause in zip(chain, chain[1:] + chain[:1], strict=True):
        error.__cause__, error.also = cause, cause
    arrived = echo.same(chain[0])
    assert [arrived.code, arrived.__cause__.code, arrived.also.code, arrived.also.also.code] == [0, 1, 1, 2]


def test_where_another_process_raised_it_is_kept(echo: Echo) -> None:
    with pytest.raises(ZeroDivisionError) as raised:
        echo.apply(divmod, 1, 0)
    arrived = echo.same(raised.value)
    assert octavo.errors.origin(arrived) == octavo.errors.origin(raised.value)
    assert str(arrived.__cause__) == str(raised.value.__cause__)


def test_what_a_class_says_itself_holds(echo: Echo) -> None:
    assert (echo.same(Says(7)).code, echo.same(Says(7)).made) == (7, "anew")
    assert vars(echo.same(OwnState(code=8))) == {"code": 8, "arrived": True}


@pytest.mark.skipif(sys.version_info < (3, 11), reason="groups came with Python 3.11")
def test_a_group(echo: Echo) -> None:
    kind: Any = vars(builtins)["ExceptionGroup"]
    group = kind("several", [WithKeyword(code=1), kind("more", [Formats("that")])])
    arrived = echo.same(group)
    assert arrived.message == "several"
    assert facts(arrived.exceptions[0]) == facts(group.exceptions[0])
    assert facts(arrived.exceptions[1].exceptions[0]) == facts(group.exceptions[1].exceptions[0])
