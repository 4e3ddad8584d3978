# SPDX-License-Identifier: Apache-2.0
"""A child that a method forks and that comes to the method's end: it ends there, and the object answers for itself."""

from __future__ import annotations

from pathlib import Path

import pytest
from programs_kit import run_program

pytestmark = pytest.mark.timeout(90)

CLASSES = """
class Forks:
    def __init__(self, how=None):
        if how is not None:
            self.statuses = [self.fork(how)]
    def fork(self, how):
        pid = os.fork()
        if pid == 0:
            return self.go(how)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    async def fork_in_coroutine(self, how):
        return self.fork(how)
    def fork_in_generator(self, how):
        yield self.fork(how)
    def __call__(self, how):
        return self.fork(how)
    def first(self):
        return self.statuses
    def go(self, how):
        if how == "returns":
            return "of the child"
        if how == "exits":
            sys.exit(3)
        raise ValueError("of the child")
"""
STATUS = {"returns": 0, "exits": 3, "raises": 1}


@pytest.mark.parametrize("place", ["process", "thread"])
@pytest.mark.parametrize("how", sorted(STATUS))
def test_the_object_answers_and_the_child_ends(tmp_path: Path, place: str, how: str) -> None:
    said = run_program(
        tmp_path,
        f"""{CLASSES}
p = octavo.{place}.make(Forks)
assert p.fork({how!r}) == {STATUS[how]}
assert p.fork_in_coroutine({how!r}) == {STATUS[how]}
assert list(p.fork_in_generator({how!r})) == [{STATUS[how]}]
assert p({how!r}) == {STATUS[how]}
assert octavo.call(p, lambda forks: forks.fork({how!r})) == {STATUS[how]}
assert octavo.{place}.make(Forks, {how!r}).first() == [{STATUS[how]}]
assert p.fork({how!r}) == {STATUS[how]}
""",
        seconds=60,
    )
    assert said.count("ValueError: of the child") == (7 if how == "raises" else 0)


def test_what_the_child_printed_is_there(tmp_path: Path) -> None:
    said = run_program(
        tmp_path,
        """
        class Prints:
            def fork(self):
                pid = os.fork()
                print("the child" if pid == 0 else "the object", end="")
                if pid == 0:
                    return
                os.waitpid(pid, 0)
        octavo.process.make(Prints).fork()
        """,
        seconds=60,
    )
    assert said.count("the child") == said.count("the object") == 1
