# SPDX-License-Identifier: Apache-2.0
"""What cannot be pickled is named, with its place in the arguments."""

from __future__ import annotations

import threading
from typing import Any

import octavo
import pytest
from hosted_classes import Counter, Echo

pytestmark = pytest.mark.timeout(60)


@pytest.mark.parametrize("call", ["method", "start", "make", "attribute", "item"])
def test_what_cannot_be_sent_is_named_with_its_place(shared_counter: Counter, call: str) -> None:
    what = [1, {"lock": threading.Lock()}]
    with pytest.raises(TypeError, match=r"_thread\.lock.*\[1\]\['lock'\]"):
        if call == "method":
            shared_counter.add(what)  # type: ignore[arg-type]
        elif call == "start":
            octavo.start(shared_counter.add, what)  # type: ignore[arg-type]
        elif call == "make":
            octavo.process.make(Counter, what)  # type: ignore[arg-type]
        elif call == "attribute":
            shared_counter.value = what  # type: ignore[assignment]
        else:
            octavo.process.make(dict[str, Any])["a"] = what


def test_the_argument_in_which_it_stands_is_named(echo: Echo) -> None:
    with pytest.raises(TypeError, match=r"argument 2\b"):
        echo.everything(1, threading.Lock())
    with pytest.raises(TypeError, match=r"'?settings'?.*lock|lock.*'?settings'?"):
        echo.everything(1, settings={"a": threading.Lock()})
