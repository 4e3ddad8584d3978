# SPDX-License-Identifier: Apache-2.0
"""The method of a pointer says what the method of the object does: its text, name and signature, where the class is known here."""

from __future__ import annotations

import gc
import inspect
import pickle
import weakref
from typing import Any

import octavo
import pytest
from hosted_classes import Counter, Friend

pytestmark = pytest.mark.timeout(60)


class More(Counter):
    async def later(self, n: int, *, fast: bool = False) -> int:
        """Of a coroutine."""
        return n if fast else 0

    def without_text(self, *arguments: int, **keywords: str) -> None: ...

    def _own(self) -> None:
        """Of one that is the class's own."""


NAMES = ["add", "later", "without_text", "_own", "fail", "plus", "name", "add_five", "note", "pid"]


@pytest.mark.parametrize("name", NAMES)
def test_it_is_what_an_object_here_says(name: str) -> None:
    remote, here = getattr(octavo.thread.make(More), name), getattr(More(), name)
    assert remote.__doc__ == here.__doc__
    assert remote.__name__ == name
    assert inspect.signature(remote) == inspect.signature(here)


def test_of_a_built_in_class() -> None:
    table, here = octavo.thread.make(dict), {}  # type: ignore[var-annotated]
    assert table.update.__doc__ == here.update.__doc__
    for name in ("update", "pop"):
        with pytest.raises(ValueError, match="signature"):
            inspect.signature(getattr(here, name))
        with pytest.raises(ValueError, match="signature"):
            inspect.signature(getattr(table, name))


def test_a_method_that_is_set_on_the_object_has_none() -> None:
    p: Any = octavo.thread.make(Friend)
    p.own = p.hear
    assert p.other is None
    made: Any = octavo.thread.make(Friend, p)
    arrived = made.back().hear  # of a pointer whose class is not known here
    assert arrived.__name__ == "hear"
    for method in (arrived, pickle.loads(pickle.dumps(p.hear))):
        assert method.__doc__ is None
        assert not hasattr(method, "__signature__")
        with pytest.raises(ValueError, match="signature"):
            inspect.signature(method)


def test_a_pointer_does_not_keep_its_class() -> None:
    class Local:
        def work(self) -> int:
            """Works."""
            return 1

    p: Any = octavo.process.make(Local)
    Local.pointer = p  # type: ignore[attr-defined]
    assert p.work.__doc__ == "Works."
    gone = weakref.ref(Local)
    del Local, p
    gc.collect()
    assert gone() is None
