# SPDX-License-Identifier: Apache-2.0
"""The saved states of Python objects with names: whose class changes, goes, or whose files others could have written."""

from __future__ import annotations

import textwrap
from pathlib import Path

import named_kit
import octavo
import pytest
from named_classes import Counter

pytestmark = pytest.mark.timeout(120)

FIRST = """
class Account:
    def __init__(self, value):
        self.value = value
    def worth(self):
        return self.value
"""
SECOND = """
class Account:
    state_version = 2
    def __init__(self, value, currency):
        self.value, self.currency = value, currency
    def worth(self):
        return f"{self.value} {self.currency}"
"""
UPGRADE = """
    def upgrade_state(self, version):
        self.currency = f"EUR since {version}"
"""


def write_bank(text: str) -> None:
    """The module of the class, in the directory of the test, where its programs run."""
    Path("bank.py").write_text(textwrap.dedent(text))


def made() -> None:
    write_bank(FIRST)
    named_kit.program('from bank import Account\nov.named("bank/ada").make(Account, 100)\nov.naming.end_lasting_agent()')


def opened(more: str = "") -> str:
    return named_kit.program(
        f"""
        from bank import Account
        try:
            a = ov.open("ov://bank/ada", Account)
            print(a.worth()){more}
        except ov.Error as problem:
            print(type(problem).__name__, problem)
        ov.naming.end_lasting_agent()
        """
    )


def test_a_later_version_upgrades_what_an_earlier_one_wrote() -> None:
    made()
    write_bank(SECOND + UPGRADE)
    assert opened() == "100 EUR since 0\n"
    assert opened() == "100 EUR since 0\n"  # it was saved as it is now


def test_a_later_version_that_does_not_know_how_is_told_what_to_define() -> None:
    made()
    write_bank(SECOND)
    said = opened()
    assert said.startswith("NotSupported")
    assert "its state was written by version 0 of Account, and 'bank' has version 2. Define Account.upgrade_state(self, version)" in said
    write_bank(FIRST)
    assert opened() == "100\n"  # nothing was lost


def test_an_earlier_version_leaves_a_later_ones_state_alone() -> None:
    made()
    write_bank(SECOND + UPGRADE)
    opened()
    write_bank(FIRST)
    said = opened()
    assert "its state was written by version 2 of Account, and 'bank' has version 0. Open it from a program that has the later one" in said


def test_a_class_that_is_gone_is_named_and_comes_back_with_it() -> None:
    made()
    write_bank("class Other: pass")
    said = named_kit.program('class Account: pass\ntry:\n    ov.open("bank/ada", Account)\nexcept ov.UsageError as problem:\n    print(problem)')
    assert "'bank' has no class Account any more" in said
    Path("bank.py").unlink()
    said = named_kit.program('class Account: pass\ntry:\n    ov.open("bank/ada", Account)\nexcept ov.UsageError as problem:\n    print(problem)')
    assert "its class Account cannot be imported from 'bank' (ModuleNotFoundError" in said
    write_bank(FIRST)
    assert opened() == "100\n"


def test_its_module_may_move_to_where_the_next_program_imports_from(tmp_path: Path) -> None:
    made()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    Path("bank.py").rename(elsewhere / "bank.py")
    said = named_kit.program(
        f"""
        sys.path.insert(0, {str(elsewhere)!r})
        from bank import Account
        print(ov.open("bank/ada", Account).worth())
        ov.naming.end_lasting_agent()
        """
    )
    assert said == "100\n"


def state_file(home: Path) -> Path:
    (file,) = [each for each in (home / "state").iterdir() if "." not in each.name and each.name != "lock"]
    return file


@pytest.mark.parametrize("mode", [0o644, 0o660, 0o602])
def test_a_state_that_others_can_read_or_write_is_not_read(home: Path, mode: int) -> None:
    counter = octavo.named("ov://home/counter").make(Counter, 5)
    octavo.naming.end_lasting_agent()
    state_file(home).chmod(mode)
    with pytest.raises(octavo.Refused, match=r"restoring ov://home/counter: the state file '.*' is open to others \(mode 0.*chmod 600 '"):
        named_kit.again(counter.add)
    state_file(home).chmod(0o600)
    assert named_kit.again(lambda: octavo.open("ov://home/counter", Counter).add()) == 6


def test_a_damaged_state_is_said_and_can_be_destroyed(home: Path) -> None:
    counter = octavo.named("ov://home/counter").make(Counter, 5)
    octavo.naming.end_lasting_agent()
    file = state_file(home)
    file.write_bytes(file.read_bytes()[:-1] + b"?")
    with pytest.raises(octavo.IoError, match="checksum"):
        named_kit.again(counter.add)
    octavo.destroy(counter)
    assert octavo.naming.names("home") == []


def test_a_bad_version_is_told_when_it_is_made() -> None:
    write_bank(FIRST + "    state_version = 'two'\n")
    said = named_kit.program(
        """
        from bank import Account
        try:
            ov.named("bank/ada").make(Account, 100)
        except ov.UsageError as problem:
            print(problem)
        """
    )
    assert said.startswith("Account.state_version is 'two'. Give an integer of 0 or more")
