# SPDX-License-Identifier: Apache-2.0
"""At an orderly end of an object, its process does what Python does at the end of a program: buffers, ``atexit``, temporary files, threads; in bounded time."""

from __future__ import annotations

import gzip
import textwrap
import threading
import zipfile
from pathlib import Path

import octavo
import pytest
from programs_kit import run_program

pytestmark = pytest.mark.timeout(60)

MODULE = """
import atexit, gzip, io, os, tempfile, threading, time, weakref, zipfile
from pathlib import Path

of_the_module = open("module", "w")
of_the_module.write("whole")
names = open("names", "w")

class Thing:
    def __del__(self):
        Path("deleted").write_text("whole")
thing = Thing()

class Has:
    of_the_class = open("class", "w")
    def __init__(self):
        self.own = open("own", "w", buffering=1 << 20)
        self.bytes = open("bytes", "wb")
        self.zipped = gzip.open("zipped", "wt")
        self.archive = zipfile.ZipFile("archive", "w")
        self.archive.writestr("a", "whole")
        self.directory, self.file = tempfile.TemporaryDirectory(), tempfile.NamedTemporaryFile("w")
        names.write(self.directory.name + chr(10) + self.file.name)
        type(self).more = tempfile.NamedTemporaryFile("w"), tempfile.TemporaryDirectory()
        atexit.register(Path("atexit").write_text, "whole")
        weakref.finalize(Path, Path("finalized").write_text, "whole")
        self.thread = threading.Thread(target=self.late)
    def write(self):
        for each in (self.own, self.of_the_class, self.zipped):
            each.write("whole")
        self.bytes.write(b"whole")
        self.thread.start()
    def late(self):
        time.sleep(0.3)
        Path("thread").write_text("whole")
    def pid(self):
        return os.getpid()
    def hold(self):
        with open("held", "w") as held:
            held.write("whole")
            Path("began").touch()
            time.sleep(1000)
    def wait_for_ever(self):
        threading.Thread(target=threading.Event().wait).start()
        atexit.register(threading.Event().wait)
    def disturbed(self):
        def turn():
            while True:
                sum(range(1000))
        threading.Thread(target=turn, daemon=True).start()
"""

ENDS = {
    "the program ends": "",
    "the program fails": "sys.exit(3)",
    "destroy": "octavo.destroy(p); assert Path('own').read_text() == Path('module').read_text() == Path('atexit').read_text() == 'whole'",
    "the Runtime ends": "with octavo.Runtime() as runtime: p = octavo.process.make(Has); p.write()\nassert Path('own').read_text() == 'whole'",
}


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("by_value", [False, True])
def test_all_that_is_open_is_whole(tmp_path: Path, end: str, by_value: bool) -> None:
    (tmp_path / "having.py").write_text(MODULE)
    begin = MODULE if by_value else "from pathlib import Path\nfrom having import Has\n"
    if by_value:
        begin = begin.replace('of_the_module = open("module", "w")\n', "").replace('of_the_module.write("whole")\n', "Path('module').write_text('whole')\n")
        begin = begin.replace('names = open("names", "w")\n', "").replace("        names.write(", "        Path('names').write_text(")
        begin = begin.replace('    of_the_class = open("class", "w")\n', "").replace(
            "    def __init__(self):\n", '    def __init__(self):\n        type(self).of_the_class = open("class", "w")\n'
        )
        begin = begin.replace("thing = Thing()\n", "").replace("        self.thread =", "        type(self).thing = Thing()\n        self.thread =")
    make = "" if end == "the Runtime ends" else "p = octavo.process.make(Has)\np.write()\n"
    if not by_value:  # the program has its own of what the module opens, and another directory
        begin = "os.chdir('program'); sys.path.insert(0, '..')\n" + begin + "os.chdir('..')\n"
        (tmp_path / "program").mkdir()
    run_program(tmp_path, begin + make + ENDS[end] + "\n", status=3 if "fails" in end else 0)
    for name in ("own", "class", "module", "bytes", "atexit", "finalized", "deleted", "thread"):
        assert (tmp_path / name).read_text() == "whole", name
    with gzip.open(tmp_path / "zipped", "rt") as zipped:
        assert zipped.read() == "whole"
    assert zipfile.ZipFile(tmp_path / "archive").read("a") == b"whole"
    for name in (tmp_path / "names").read_text().split():
        assert not Path(name).exists()


def test_a_method_that_runs_is_left_by_system_exit(tmp_path: Path) -> None:
    (tmp_path / "having.py").write_text(MODULE)
    text = """
    from having import Has
    p = octavo.process.make(Has)
    octavo.start(p.hold)
    while not os.path.exists("began"):
        time.sleep(0.01)
    """
    out = run_program(tmp_path, textwrap.dedent(text))
    assert (tmp_path / "held").read_text() == "whole"
    assert "Traceback" not in out


@pytest.mark.parametrize("end", ["", "octavo.destroy(p)"])
def test_what_never_ends_is_not_waited_for(tmp_path: Path, end: str) -> None:
    """A thread that is joined, a function of atexit; the rest is done all the same."""
    (tmp_path / "having.py").write_text(MODULE)
    text = f"""
    from pathlib import Path
    from having import Has
    p = octavo.process.make(Has)
    p.write()
    p.wait_for_ever()
    p.disturbed()
    {end}
    """
    out = run_program(tmp_path, textwrap.dedent(text))
    for name in ("own", "bytes", "atexit"):
        assert (tmp_path / name).read_text() == "whole", name
    assert "Traceback" not in out


class Hangs:
    def __del__(self) -> None:
        threading.Event().wait()


def test_destroy_tells_of_a_destructor_that_does_not_return() -> None:
    p = octavo.process.make(Hangs)
    with pytest.raises(octavo.ProcessDied, match=r"ended with exit status 1 (?s:.*) the object's destructor did not return within 5 s"):
        octavo.destroy(p)
