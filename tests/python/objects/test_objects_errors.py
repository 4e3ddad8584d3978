# SPDX-License-Identifier: Apache-2.0
"""Exceptions between processes: of their own type, with the remote traceback as cause; what does not pickle is text, and the process lives on."""

from __future__ import annotations

import sys
import threading
from typing import Any, NoReturn

import octavo
import pytest
from hosted_classes import Counter, Echo

pytestmark = pytest.mark.timeout(60)


class Custom(Exception):
    def __init__(self, code: int, hint: str = "") -> None:
        super().__init__(code)
        self.code, self.hint = code, hint

    def __str__(self) -> str:
        return f"custom {self.code} {self.hint}".rstrip()


class TwoArguments(Exception):
    """Can be pickled, and not made again: its constructor takes other arguments than it passes on."""

    def __init__(self, a: int, b: int) -> None:
        super().__init__(f"{a} and {b}")


class WithLock(Exception):
    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.lock = threading.Lock()


class NoText(Exception):
    def __str__(self) -> str:
        raise RuntimeError("of the text")


class Stop(BaseException):
    pass


class BadInit:
    def __init__(self, error: BaseException) -> None:
        raise error


class BadDel:
    def __del__(self) -> None:
        raise ValueError("in __del__")

    def get(self) -> int:
        return 5


def refuse(text: str) -> NoReturn:
    raise LookupError(text)


class Unreadable:
    """Raises where it arrives."""

    def __reduce__(self) -> tuple[Any, ...]:
        return refuse, ("cannot be read",)


class Unwritable:
    def __reduce__(self) -> NoReturn:
        raise LookupError("cannot be written")


class Failing(Counter):
    def raises(self, what: str) -> Any:
        errors: dict[str, Any] = {
            "two": lambda: TwoArguments(1, 2),
            "lock": lambda: WithLock("with a lock"),
            "text": NoText,
            "stop": lambda: Stop("stop"),
            "exit": lambda: SystemExit(3),
            "interrupt": lambda: KeyboardInterrupt("there"),
            "generator": GeneratorExit,
        }
        raise errors[what]()

    def local(self) -> NoReturn:
        class OfThisFunction(Exception):
            pass

        raise OfThisFunction("defined there")

    def chained(self) -> NoReturn:
        try:
            raise KeyError("first")
        except KeyError as error:
            raise Custom(7, "second") from error

    def exit(self) -> None:
        sys.exit("good bye")

    def gives(self, what: str) -> Any:
        things: dict[str, Any] = {
            "lock": threading.Lock,
            "unreadable": Unreadable,
            "unwritable": Unwritable,
        }
        return things[what]()

    def own_attribute_error(self) -> None:
        raise AttributeError("of the method's own")


@pytest.fixture(scope="module")
def failing() -> Failing:
    return octavo.process.make(Failing)


@pytest.fixture(autouse=True)
def lives_on(failing: Failing) -> Any:
    """Each of these leaves the object as it was."""
    before = failing.pid(), failing.add(0)
    yield
    assert (failing.pid(), failing.add(0)) == before


@pytest.mark.parametrize(
    "error", [ValueError("a", 1), KeyError("k"), OSError(2, "no", "file"), ZeroDivisionError(), Custom(5, "hint"), octavo.Refused("no")], ids=repr
)
def test_the_type_and_its_attributes_are_kept(failing: Failing, error: Exception) -> None:
    with pytest.raises(type(error)) as caught:
        failing.fail(error)
    got = caught.value
    assert type(got) is type(error)
    assert (str(got), got.args, set(vars(got)) - {"__notes__"}) == (str(error), error.args, set(vars(error)))
    assert isinstance(got, OSError) is isinstance(error, OSError)


def test_the_cause_is_the_remote_traceback(failing: Failing) -> None:
    with pytest.raises(Custom) as caught:
        failing.chained()
    cause = caught.value.__cause__
    assert type(cause).__name__ == "RemoteTraceback"
    assert "in chained" in str(cause)
    assert "KeyError: 'first'" in str(cause)
    assert caught.value.hint == "second"


def test_it_says_where_it_was_raised(failing: Failing) -> None:
    with pytest.raises(ValueError, match="here") as caught:
        failing.fail(ValueError("here"))
    notes = " ".join(getattr(caught.value, "__notes__", [])) if sys.version_info >= (3, 11) else str(caught.value.__cause__)
    assert str(failing.pid()) in notes
    assert "Failing" in notes


def test_where_an_exception_came_from(failing: Failing) -> None:
    with pytest.raises(KeyError) as caught:
        failing.raises("none of these")
    origin = octavo.errors.origin(caught.value)
    assert origin is not None
    assert (origin.object, origin.pid) == ("Failing", failing.pid())
    assert octavo.errors.origin(ValueError("here")) is None


def test_the_same_exception_twice_is_noted_once_each(failing: Failing) -> None:
    call = octavo.start(failing.fail, ValueError("once"))
    for _ in range(2):
        with pytest.raises(ValueError, match="once") as caught:
            call.result()
        if sys.version_info >= (3, 11):
            assert len(caught.value.__notes__) == 1


@pytest.mark.parametrize(("what", "text"), [("two", "1 and 2"), ("lock", "with a lock"), ("text", "NoText")])
def test_what_does_not_pickle_keeps_its_type_and_text(failing: Failing, what: str, text: str) -> None:
    with pytest.raises((TwoArguments, WithLock, NoText), match=text if what != "text" else None) as caught:
        failing.raises(what)
    assert "in raises" in str(caught.value.__cause__) and not hasattr(caught.value, "lock")


def test_a_type_defined_in_a_method(failing: Failing) -> None:
    with pytest.raises(Exception, match="defined there") as caught:
        failing.local()
    assert type(caught.value).__name__ in ("OfThisFunction", "RemoteError")


@pytest.mark.parametrize("what", ["exit", "stop", "interrupt", "generator"])
def test_what_would_end_a_program_ends_neither(failing: Failing, what: str) -> None:
    with pytest.raises(octavo.RemoteError):
        failing.raises(what)


def test_sys_exit_in_a_method(failing: Failing) -> None:
    with pytest.raises(octavo.RemoteError, match="SystemExit: good bye"):
        failing.exit()


@pytest.mark.parametrize("error", [ValueError("in __init__"), Custom(3)], ids=repr)
def test_an_exception_in_the_constructor(error: Exception) -> None:
    with pytest.raises(type(error), match=str(error)) as caught:
        octavo.process.make(BadInit, error)
    assert "in __init__" in str(caught.value.__cause__)
    with pytest.raises(type(error)):
        octavo.thread.make(BadInit, error)


def test_an_exit_in_the_constructor() -> None:
    with pytest.raises(octavo.Error, match="SystemExit"):
        octavo.process.make(BadInit, SystemExit(2))


def test_an_exception_in_the_destructor() -> None:
    for place in (octavo.process, octavo.thread):
        p = place.make(BadDel)
        assert p.get() == 5
        octavo.destroy(p)


def test_an_argument_that_cannot_be_read(failing: Failing) -> None:
    with pytest.raises(LookupError, match="cannot be read") as caught:
        failing.add(Unreadable())  # type: ignore[arg-type]
    assert caught.value.__cause__ is not None
    with pytest.raises(LookupError, match="cannot be read"):
        octavo.process.make(Echo).everything(1, [Unreadable()], a=2)
    with pytest.raises(LookupError, match="cannot be read"):
        octavo.process.make(Counter, Unreadable())  # type: ignore[arg-type]


def test_a_result_that_cannot_be_read_or_written(failing: Failing) -> None:
    for what in ("unreadable", "unwritable"):
        with pytest.raises((LookupError, TypeError), match=r"cannot be (read|written)"):
            failing.gives(what)
    with pytest.raises(TypeError, match="lock"):
        failing.gives("lock")


def test_a_name_that_is_not_there_is_an_error_at_once(failing: Failing) -> None:
    with pytest.raises(AttributeError, match=r"'Failing' object has no attribute 'raisess'.*Did you mean.*'raises'"):
        failing.raisess  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(AttributeError, match=r"no attribute 'valu'.*'value'"):
        failing.valu  # type: ignore[attr-defined]  # noqa: B018
    assert not hasattr(failing, "nothing")
    assert getattr(failing, "nothing", 3) == 3
    with pytest.raises(AttributeError) as caught:
        failing.own_attribute_error()
    assert str(caught.value) == "of the method's own"
