# SPDX-License-Identifier: Apache-2.0
"""What the definitions of a script do in an object, held against what they do in one process (values/script_of_*.py)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import octavo


def echo(x: Any) -> Any:
    return x


def raised(function: Any, *arguments: Any) -> str:
    try:
        function(*arguments)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "nothing"


def compare(checks: list[Callable[[], object]], values: list[Any], themselves: list[Any]) -> None:
    """Says what differs: what ``checks`` give, of what class ``values`` come back, and whether ``themselves`` come back as these."""
    here = {check.__name__: repr(check()) for check in checks}
    with octavo.Executor(1) as executor:
        for _ in range(2):  # when they are new there, and when they are known
            for check in checks:
                there = repr(executor.submit(check).result())
                if there != here[check.__name__]:
                    print(f"{check.__name__}\n  here  {here[check.__name__]}\n  there {there}")
        for each in values:
            if type(executor.submit(echo, each).result()) is not type(each):
                print(f"another class came back of {each!r}")
        for each in [*themselves, *map(type, values)]:
            if executor.submit(echo, each).result() is not each:
                print(f"another came back of {each!r}")
    if {check.__name__: repr(check()) for check in checks} != here:
        print("something has changed here")
    print("compared")
