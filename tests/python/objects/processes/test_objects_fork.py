# SPDX-License-Identifier: Apache-2.0
"""Programs that have objects and are forked, by hand or by multiprocessing: each child makes its own, and its parent goes on."""

from __future__ import annotations

from pathlib import Path

import pytest
from programs_kit import run_program

pytestmark = pytest.mark.timeout(60)


def test_a_forked_child_makes_its_own(tmp_path: Path) -> None:
    run_program(
        tmp_path,
        """
        p = octavo.process.make(Counter)
        def work():
            q = octavo.process.make(Counter, 5)
            assert q.add(1) == 6
            assert octavo.thread.make(Counter).add(2) == 2
        children = [in_a_child(work) for _ in range(2)]
        assert p.add(1) == 1  # at the same time
        for child in children:
            ended(child)
        assert p.add(1) == 2
        assert octavo.process.make(Counter).add(1) == 1
        """,
    )


def test_a_pointer_of_the_parent_fails_in_the_child(tmp_path: Path) -> None:
    run_program(
        tmp_path,
        """
        p = octavo.process.make(Counter)
        p.add(1)
        def work():
            try:
                p.add(1)
            except octavo.Error:
                pass
            else:
                raise AssertionError("the call went through")
        ended(in_a_child(work))
        assert p.add(1) == 2
        """,
    )


def test_an_executor_of_the_parent_begins_anew_in_the_child(tmp_path: Path) -> None:
    """While calls wait in it, and its workers are being made."""
    run_program(
        tmp_path,
        """
        with octavo.Executor(2) as workers:
            calls = [workers.submit(pow, 2, n) for n in range(200)]
            def work():
                assert [workers.submit(pow, 3, n).result(30) for n in range(3)] == [1, 3, 9]
                assert list(workers.map(abs, range(-9, 0))) == list(range(9, 0, -1))
                assert octavo.call(octavo.process, pow, 2, 5) == 32
            ended(in_a_child(work))
            assert [call.result(30) for call in calls] == [2**n for n in range(200)]
        """,
    )


def test_a_child_that_ends_with_all_that_python_does_then(tmp_path: Path) -> None:
    run_program(
        tmp_path,
        """
        p = octavo.process.make(Counter)
        future = octavo.start(p.hold, "gate")
        pid = os.fork()
        if pid == 0:
            del future
            gc.collect()
            sys.exit(0)
        ended(pid)
        open("gate", "w").close()
        assert future.result() == "gate"
        assert p.add(1) == 1
        """,
    )


def test_a_child_of_a_program_without_objects(tmp_path: Path) -> None:
    run_program(
        tmp_path,
        """
        def work():
            assert octavo.process.make(Counter).add(1) == 1
        children = [in_a_child(work) for _ in range(2)]
        for child in children:
            ended(child)
        work()
        """,
    )


def test_a_child_that_is_forked_while_another_thread_has_a_lock(tmp_path: Path) -> None:
    run_program(
        tmp_path,
        """
        from octavo.objects import current, futures
        p = octavo.process.make(Counter)
        has, gate = threading.Event(), threading.Event()
        def hold():
            with current.lock, futures.Future._becoming:
                has.set()
                gate.wait()
        holds = threading.Thread(target=hold)
        holds.start()
        has.wait()
        def work():
            q = octavo.process.make(Counter)
            assert octavo.start(q.add, 1).result() == 1
        child = in_a_child(work)
        gate.set()
        holds.join()
        ended(child)
        assert octavo.start(p.add, 1).result() == 1
        """,
    )


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_multiprocessing(tmp_path: Path, method: str) -> None:
    run_program(
        tmp_path,
        f"""
        def work(i):
            p = octavo.process.make(Counter, i)
            return p.add(1)
        if __name__ == "__main__":
            p = octavo.process.make(Counter)
            with multiprocessing.get_context({method!r}).Pool(2) as pool:
                assert pool.map(work, range(4)) == [1, 2, 3, 4]
                pool.close()
                pool.join()
            assert p.add(1) == 1
        """,
    )


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_a_child_of_multiprocessing_uses_what_the_script_defines(tmp_path: Path, method: str) -> None:
    run_program(
        tmp_path,
        f"""
        class Own(Counter):
            def twice(self, n):
                return self.add(double(n))
        def double(n):
            return 2 * n
        class OwnError(Exception):
            pass
        def fail():
            raise OwnError("of the script")
        def work(n):
            assert Own.__module__ == "__mp_main__"
            p = octavo.process.make(Own)
            assert p.twice(n) == 2 * n
            assert octavo.call(p, lambda counter, by: counter.add(double(by)), n) == 4 * n
            assert octavo.start(octavo.process, double, n).result() == 2 * n
            with octavo.Executor(1) as workers:
                assert list(workers.map(double, range(3))) == [0, 2, 4]
                try:
                    workers.submit(fail).result()
                except OwnError as error:
                    assert str(error) == "of the script"
            assert type(octavo.process.make(Echo).same(Own(5))) is Own
            return n
        if __name__ == "__main__":
            with multiprocessing.get_context({method!r}).Pool(1) as pool:
                assert pool.map(work, [3]) == [3]
                pool.close()
                pool.join()
        """,
    )


@pytest.mark.parametrize("what", ["Own", "double"])
def test_a_child_of_multiprocessing_without_pickle_says_what_the_script_is(tmp_path: Path, what: str) -> None:
    run_program(
        tmp_path,
        f"""
        class Own:
            pass
        def double(n):
            return 2 * n
        def work(_):
            with octavo.Runtime(pickle=False):
                try:
                    octavo.process.make({what})
                except octavo.UsageError as error:
                    return str(error)
        if __name__ == "__main__":
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                (text,) = pool.map(work, [0])
                assert text.startswith("{what} of __main__ cannot be sent by name"), text
                pool.close()
                pool.join()
        """,
    )


def test_an_object_that_forks(tmp_path: Path) -> None:
    run_program(
        tmp_path,
        """
        class Forks(Counter):
            def fork(self):
                def work():
                    assert self.add(1) == 1
                ended(in_a_child(work))
                return self.add(10)
        p = octavo.process.make(Forks)
        assert p.fork() == 10
        assert p.value == 10
        """,
    )
