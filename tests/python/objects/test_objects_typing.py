# SPDX-License-Identifier: Apache-2.0
"""make() and start() keep the types of classes and functions: ./dev lint mypy checks the assertions, and here the program runs."""

from __future__ import annotations

import octavo as ov
import pytest
from typing_extensions import assert_type

pytestmark = pytest.mark.timeout(60)


class Account:
    def __init__(self, owner: str, balance: float = 0.0) -> None:
        self.owner, self.balance = owner, balance

    def add(self, amount: float, *, note: str = "") -> float:
        self.balance += amount
        return self.balance

    @property
    def label(self) -> str:
        return f"{self.owner}: {self.balance}"

    async def later(self) -> list[str]:
        return [self.owner]


def double(x: int) -> int:
    return 2 * x


def test_types_are_those_of_the_class() -> None:
    account = ov.process.make(Account, "Ada", balance=2.0)
    assert_type(account, Account)
    assert_type(account.add(1.0, note="first"), float)
    assert_type(ov.start(account.add, 1.0, note="second"), ov.Future[float])
    assert assert_type(account.label, str) == "Ada: 4.0"
    with ov.scoped(account) as scoped:
        assert_type(scoped, Account)


def test_functions_keep_theirs() -> None:
    with ov.Executor(1) as workers:
        assert assert_type(workers.submit(double, 4), ov.Future[int]).result() == 8
