# SPDX-License-Identifier: Apache-2.0
"""Python objects with names: they outlive programs, come back from what was saved, and are destroyed by their names."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import cast

import named_kit
import octavo
import pytest
from kit import wait_for
from named_classes import Counter, Holder, Locked, Tally, Unkept, two_more

pytestmark = pytest.mark.timeout(120)
HOME = "ov://home/"
BEGINNING = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\nfrom named_classes import *\n"


def program(text: str) -> str:
    """Another program of this user, which has the classes."""
    return named_kit.program(BEGINNING + text)


def ended(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_it_outlives_the_program_that_made_it() -> None:
    said = program('c = ov.named("ov://home/counter").make(Counter, 5)\nprint(c.add(2), c.pid())')
    value, pid = said.split()
    assert value == "7"
    counter = octavo.open(HOME + "counter", Counter)
    assert counter.add(1) == 8
    assert counter.pid() == int(pid)  # the same process, which the end of that program left alone
    assert program('print(ov.open("home/counter", Counter).add(10))') == "18\n"
    assert [(each.name, each.class_name) for each in octavo.naming.names("home")] == [("home/counter", "Counter")]


def test_it_is_back_after_the_lasting_agent_has_ended_and_after_a_crash() -> None:
    counter = octavo.named(HOME + "counter").make(Counter, 5)
    counter.add(1)
    pid = counter.pid()
    octavo.naming.end_lasting_agent()  # saves
    assert counter.add(1) == 7
    assert counter.pid() != pid
    octavo.naming.save(counter)
    counter.add(100)  # not saved
    with pytest.raises(octavo.ProcessDied):
        counter.crash()
    assert counter.add(1) == 8
    os.kill(counter.pid(), signal.SIGKILL)
    assert named_kit.again(lambda: octavo.open(HOME + "counter", Counter).add(1)) == 8


def test_each_call_is_saved_where_that_is_asked_for() -> None:
    counter = octavo.named(HOME + "counter").saving_every_call().make(Counter)
    for _ in range(3):
        counter.add()
    os.kill(counter.pid(), signal.SIGKILL)
    assert named_kit.again(counter.add) == 4


def test_it_rests_and_the_next_call_wakes_it() -> None:
    counter = octavo.named(HOME + "counter").resting_after(0.05).make(Counter, 1)
    pid = counter.pid()
    wait_for(lambda: ended(pid), 20, "it rests")
    assert counter.add(1) == 2
    assert counter.pid() != pid


def test_the_killed_lasting_agent_takes_nothing_that_was_saved() -> None:
    counter = octavo.named(HOME + "counter").make(Counter, 1)
    counter.add(1)
    octavo.naming.save(counter)
    agent = next(each for each in octavo.watching.processes() if each.agent == "lasting" and each.object == 0 and each.agent_pid == parent_of(counter.pid()))
    os.kill(agent.pid, signal.SIGKILL)
    assert named_kit.again(counter.add) == 3


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()[1])


def test_destroyed_its_name_is_free() -> None:
    counter = octavo.named(HOME + "counter").make(Counter, 1)
    with pytest.raises(octavo.Refused, match="is taken: by a Counter"):
        octavo.named(HOME + "counter").make(Counter, 2)
    pid = counter.pid()
    octavo.destroy(counter)
    wait_for(lambda: ended(pid), 20, "its process has ended")
    with pytest.raises(octavo.UsageError, match="there is no object ov://home/counter"):
        octavo.open(HOME + "counter", Counter)
    assert octavo.named(HOME + "counter").make(Tally, 2).add() == 3


def test_what_the_constructor_raises_is_raised_and_the_name_stays_free() -> None:
    with pytest.raises(ValueError, match="-1 is below 0"):
        octavo.named(HOME + "counter").make(Counter, -1)
    assert octavo.named(HOME + "counter").make(Counter, 1).add() == 2


def test_its_state_is_what_getstate_gives() -> None:
    names = octavo.named(HOME + "names").make(Locked, ["ada"])
    assert names.add("bob") == ["ada", "bob"]
    octavo.naming.end_lasting_agent()
    assert names.add("cy") == ["ada", "bob", "cy"]


def test_a_state_that_cannot_be_stored_is_told_when_it_is_made() -> None:
    with pytest.raises(octavo.UsageError, match=r"the state of a Unkept cannot be stored: TypeError: .*lock.*__getstate__ gives what is kept"):
        octavo.named(HOME + "unkept").make(Unkept)
    assert octavo.naming.names("home") == []


def test_a_state_that_can_no_longer_be_stored_is_told_by_save() -> None:
    holder = octavo.named(HOME + "holder").make(Holder, 3)
    octavo.call(holder, open_a_lock)
    with pytest.raises(octavo.UsageError, match=r"saving ov://home/holder: the state of a Holder cannot be stored"):
        octavo.naming.save(holder)
    holder.take(4)
    octavo.naming.save(holder)


def open_a_lock(holder: Holder) -> None:
    import threading

    holder.what = threading.Lock()


def test_a_class_of_the_program_itself_is_refused_with_the_cure() -> None:
    said = named_kit.program(
        """
        class Own:
            pass

        def made_here():
            return Own()

        try:
            ov.named("ov://home/own").make(Own)
        except ov.UsageError as problem:
            print(problem)
        try:
            ov.named("ov://home/own").make(made_here)
        except ov.UsageError as problem:
            print(problem)
        print(ov.naming.names())
        """
    )
    first, second, names = said.splitlines()
    for each in (first, second):
        assert "the class Own is defined in the program itself (__main__)" in each
        assert "Put the class into a module, in a file beside the program, and import it from there" in each
    assert names == "[]"


def test_a_class_of_a_function_is_refused() -> None:
    class Inner:
        pass

    with pytest.raises(octavo.UsageError, match=r"Inner is not what 'test_named_objects' has under this name.*Define it at the top of that module"):
        octavo.named(HOME + "inner").make(Inner)


def test_what_a_function_returns_can_have_a_name() -> None:
    assert octavo.named(HOME + "made").make(two_more, 3).add() == 6
    octavo.naming.end_lasting_agent()
    assert octavo.open(HOME + "made", Counter).add() == 7


def test_it_is_opened_as_its_class_or_a_base_of_it() -> None:
    tally = octavo.named(HOME + "tally").make(Tally, 3)
    assert octavo.open(HOME + "tally", Counter).add() == 4
    assert octavo.start(tally.later, 2).result() == 6
    with pytest.raises(octavo.UsageError, match=r"'ov://home/tally' is a named_classes.Tally, no named_classes.Locked. Open it as that class"):
        octavo.open(HOME + "tally", Locked)
    with pytest.raises(octavo.UsageError, match=r"octavo.open\(\) of a str. Give the class"):
        octavo.open(HOME + "tally", cast(type, "Tally"))


def test_an_array_is_no_object_of_python() -> None:
    named_kit.make(HOME + "array")
    with pytest.raises(octavo.UsageError, match=r"is an object of C\+\+, or of an array, and no Counter. Open an array with octavo.open_array"):
        octavo.open(HOME + "array", Counter)


def test_one_without_a_name_is_not_saved() -> None:
    with pytest.raises(octavo.UsageError, match=r"has no name, so there is no place to save it to"):
        octavo.naming.save(octavo.process.make(Counter))


def test_the_state_before_comes_back() -> None:
    counter = octavo.named(HOME + "counter").make(Counter, 1)
    counter.add(1)
    octavo.naming.save(counter)
    counter.add(1)
    octavo.naming.restore_previous(HOME + "counter")
    assert octavo.open(HOME + "counter", Counter).add(0) == 1


def test_it_is_started_as_any_other_and_travels() -> None:
    begun = octavo.start(octavo.named(HOME + "counter").make, Counter, 4)
    counter = begun.result()
    holder = octavo.process.make(Holder, counter)
    assert holder.give().add() == 5
    keeper = octavo.named(HOME + "keeper").make(Holder, counter)  # a pointer is a part of its state
    octavo.naming.end_lasting_agent()
    assert keeper.give().add() == 6


def test_it_works_where_it_was_made(tmp_path: Path) -> None:
    counter = octavo.named(HOME + "counter").make(Counter)
    assert counter.where() == str(tmp_path)
    octavo.naming.end_lasting_agent()
    assert program('import os; os.chdir("/"); print(ov.open("home/counter", Counter).where())') == f"{tmp_path}\n"


def test_nothing_is_unpickled_where_that_was_asked_for() -> None:
    said = program(
        """
with ov.Runtime(pickle=False):
    for use in (lambda: ov.named("ov://home/c").make(Counter), lambda: ov.open("ov://home/c", Counter)):
        try:
            use()
        except ov.NotSupported as problem:
            print(problem)
"""
    )
    assert said.count("where nothing is pickled (Runtime(pickle=False)), and its state is a pickle") == 2
