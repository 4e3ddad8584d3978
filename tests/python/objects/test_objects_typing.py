# SPDX-License-Identifier: Apache-2.0
"""make() and start() keep the types of classes and functions: ./dev lint mypy checks the assertions, and here the program runs."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
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


async def half(x: int) -> float:
    return x / 2


def test_types_are_those_of_the_class() -> None:
    account = ov.process.make(Account, "Ada", balance=2.0)
    assert_type(account, Account)
    assert_type(account.add(1.0, note="first"), float)
    assert_type(ov.start(account.add, 1.0, note="second"), ov.Future[float])
    assert assert_type(ov.start(account.later), ov.Future[list[str]]).result() == ["Ada"]
    assert assert_type(account.label, str) == "Ada: 4.0"
    with ov.scoped(account) as scoped:
        assert_type(scoped, Account)


def test_functions_keep_theirs() -> None:
    with ov.Executor(1) as workers:
        assert assert_type(workers.submit(double, 4), ov.Future[int]).result() == 8


def test_functions_on_a_place_and_a_service_keep_theirs() -> None:
    service = ov.Service.on([ov.process], 1)
    assert assert_type(ov.call(service, double, 4), int) == 8
    assert assert_type(ov.start(service, double, 5), ov.Future[int]).result() == 10
    assert assert_type(ov.start(ov.process, double, 6), ov.Future[int]).result() == 12
    assert assert_type(ov.call(ov.process, double, 7), int) == 14
    assert assert_type(ov.start(ov.call, ov.process, double, 8), ov.Future[int]).result() == 16
    assert assert_type(ov.call(ov.process, half, 9), float) == 4.5
    assert_type(service.workers(), list[ov.Worker])
    ov.destroy(service)


def total(block: ov.RemoteArray[float], factor: int = 1) -> str:
    return f"{factor * sum(block):g}"


def test_a_remote_array_has_the_type_of_its_elements() -> None:
    data = ov.process.make(ov.RemoteArray[float], 8)
    assert_type(data, ov.RemoteArray[float])
    data[7] = 3.5
    assert_type(data[7], float)
    assert_type(data[6:8], npt.NDArray[np.float64])
    assert_type(data.add(7, 1), float)
    assert_type(ov.process.make(ov.RemoteArray[np.float32], [])[:], npt.NDArray[np.float32])
    accounts = ov.process.make(ov.RemoteArray[Account], 2)
    accounts[1] = ov.process.make(Account, "Ada")
    assert_type(accounts[1], Account)
    assert_type(accounts[:], list[Account])
    assert assert_type(accounts[1].label, str) == "Ada: 0.0"


def test_a_function_that_is_sent_keeps_its_types() -> None:
    data = ov.process.make(ov.RemoteArray[float], [1.0, 2.0])
    assert_type(data, ov.RemoteArray[float])
    assert_type(ov.call(data, total, factor=2), str)
    assert_type(ov.call(data, lambda block: len(block)), int)
    assert assert_type(ov.start(ov.call, data, total, 2), ov.Future[str]).result() == "6"
    with pytest.raises(TypeError):
        ov.call(data, total, factor="2")  # type: ignore[call-overload]
