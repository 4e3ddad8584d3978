# SPDX-License-Identifier: Apache-2.0
"""Locks, mailboxes and segments in a child of fork(2): they stay those of the process that has them, and the child is told so."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from programs_kit import run_program

pytestmark = pytest.mark.timeout(60)

BEGINNING = """
def refused(*uses):
    for number, use in enumerate(uses):
        try:
            use()
        except octavo.UsageError as error:
            assert "which forked this one" in str(error), error
        else:
            raise AssertionError(f"use {number} went through")
"""


def run(directory: Path, text: str) -> None:
    run_program(directory, BEGINNING + textwrap.dedent(text))


@pytest.mark.parametrize("used", [False, True])
def test_a_lock_is_its_parents(tmp_path: Path, used: bool) -> None:
    run(
        tmp_path,
        f"""
        lock, units, event, changed = octavo.Mutex("m"), octavo.Semaphore("s"), octavo.Event("e"), octavo.Condition("m")
        barrier = octavo.Barrier("b", 2)
        if {used}:
            assert lock.acquire()
        def work():
            for _ in range(2):
                refused(lock.acquire, lock.release, units.acquire, units.release, event.set, event.is_set, changed.notify, changed.acquire, barrier.wait)
                refused(octavo.Mutex("m").acquire, octavo.Semaphore("s").acquire, octavo.Condition("m").notify, octavo.Condition("m").wait)
                refused(octavo.Barrier("b", 2).wait, octavo.Event("e").set, lambda: octavo.Segment("g", 4), lambda: octavo.Mailbox("box").post(1))
                assert octavo.process.make(Counter).add(1) == 1  # begins a Runtime of its own, which makes no difference
            own, changed_here = octavo.Mutex(), octavo.Condition()
            with own, changed_here:
                changed_here.notify()
        ended(in_a_child(work))
        if {used}:
            class Locker:
                def tries(self, lock):
                    return lock.acquire(blocking=False)
            assert not octavo.process.make(Locker).tries(lock)
            lock.release()
        assert units.acquire(False) and not units.acquire(False)
        assert not event.is_set()
        """,
    )


def test_a_mailbox_is_its_parents(tmp_path: Path) -> None:
    run(
        tmp_path,
        """
        before, box = octavo.Mailbox("before"), octavo.Mailbox("box")
        def of_another():
            refused(lambda: before.post(1), lambda: before.try_post(1), before.try_retrieve, lambda: octavo.select(before, timeout=0))
        ended(in_a_child(of_another))  # no Runtime has begun
        box.post(1)
        def work():
            for _ in range(2):
                of_another()
                refused(lambda: box.post(2), box.retrieve, lambda: octavo.Mailbox("box").try_post(2))
                octavo.process.make(Counter)
        ended(in_a_child(work))
        assert box.retrieve() == 1
        assert box.try_retrieve() is None and before.try_retrieve() is None
        """,
    )


def test_a_child_with_a_runtime_of_its_own_has_names_of_its_own(tmp_path: Path) -> None:
    run(
        tmp_path,
        """
        lock, box = octavo.Mutex("m"), octavo.Mailbox("box")
        assert lock.acquire()
        def work():
            with octavo.Runtime():
                with octavo.Mutex("m"):
                    box.post(3)
                    assert octavo.Mailbox("box").retrieve() == 3
                refused(lock.acquire, lock.release)
        ended(in_a_child(work))
        assert box.try_retrieve() is None
        lock.release()
        """,
    )


def test_a_lock_of_the_home_is_one_for_parent_and_child(tmp_path: Path) -> None:
    run(
        tmp_path,
        f"""
        os.environ["XDG_STATE_HOME"] = {str(tmp_path)!r}
        lock = octavo.Mutex("ov://home/forked")
        lock.acquire()
        def work():
            refused(lock.release)
            assert not octavo.Mutex("ov://home/forked").acquire(timeout=0.05)
            octavo.Mailbox("ov://home/of the child").post(4)
            open("posted", "w").close()
            while not os.path.exists("heard"):
                time.sleep(0.002)
        child = in_a_child(work)
        while not os.path.exists("posted"):
            time.sleep(0.002)
        assert octavo.Mailbox("ov://home/of the child").retrieve(timeout=30) == 4
        open("heard", "w").close()
        ended(child)
        lock.release()
        octavo.naming.end_lasting_agent()
        """,
    )


def test_a_child_of_multiprocessing(tmp_path: Path) -> None:
    """Also a lock that comes by pickle."""
    run(
        tmp_path,
        """
        def take(lock):
            return lock.acquire(timeout=1)
        if __name__ == "__main__":
            lock = octavo.Mutex()
            with lock, multiprocessing.get_context("fork").Pool(1) as pool:
                for each in (lock, octavo.Mutex("m"), octavo.Semaphore("s"), octavo.Condition("c")):
                    refused(lambda: pool.apply(take, (each,)))
                pool.close()
                pool.join()
        """,
    )


def test_a_mailbox_of_a_module_that_was_loaded_before_the_object_was_forked(tmp_path: Path) -> None:
    (tmp_path / "boxes.py").write_text('import octavo\nBOX = octavo.Mailbox("res")\nclass Poster:\n    def post(self, n): BOX.post(n)\n')
    run(
        tmp_path,
        """
        import boxes
        octavo.preload("boxes")
        octavo.process.make(boxes.Poster).post(5)
        assert boxes.BOX.retrieve(timeout=30) == 5
        """,
    )
