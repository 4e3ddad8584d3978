# SPDX-License-Identifier: Apache-2.0
"""What an object starts ends with it (C-7): whatever it is, whoever its parent has become, and however the object or the program ends."""

from __future__ import annotations

import os
import signal
import textwrap
from pathlib import Path

import pytest
from kit import is_alive, wait_for
from programs_kit import Program, program

pytestmark = pytest.mark.timeout(120)

# An object that has started something; `told` names those processes, each by a file.
STARTS = """
import subprocess, concurrent.futures, multiprocessing.managers, signal
from pathlib import Path
def stay():
    Path(f"started-{os.getpid()}").touch()
    while True:
        time.sleep(100)
class Starts(Counter):
    def told(self, *processes):
        for each in processes:
            Path(f"started-{each}").touch()
    def popen(self):
        self.told(subprocess.Popen(["sleep", "1000"]).pid)
    def popen_of_its_own(self):
        self.told(subprocess.Popen(["sleep", "1000"], start_new_session=True, env={}, cwd="/").pid)
    def shell(self):
        subprocess.Popen("echo $$ > pid; sleep 1000 & echo $! > second; wait", shell=True)
        while not (os.path.exists("second") and Path("second").read_text()):
            time.sleep(0.01)
        self.told(Path("pid").read_text().strip(), Path("second").read_text().strip())
    def process(self):
        self.p = multiprocessing.get_context("fork").Process(target=stay, daemon=True)
        self.p.start()
        self.told(self.p.pid)
    def pool(self):
        self.e = concurrent.futures.ProcessPoolExecutor(2)
        self.e.submit(os.getpid).result()
        self.told(*self.e._processes)
    def manager(self):
        self.m = multiprocessing.managers.SyncManager(("127.0.0.1", 0))  # without a file of its own, which kill -9 would leave
        self.m.start()
        self.told(self.m._process.pid)
    def fork(self):
        if (pid := os.fork()) == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            stay()
        self.told(pid)
    def daemon(self):
        if (pid := os.fork()) == 0:
            os.setsid()
            if os.fork() == 0:
                os.environ.clear()
                os.closerange(0, 64)
                stay()
            os._exit(0)
        os.waitpid(pid, 0)
        while not list(Path().glob("started-*")):
            time.sleep(0.01)
    def segment(self):
        from multiprocessing import resource_tracker, shared_memory
        self.s = shared_memory.SharedMemory(create=True, size=1000)  # never unlinked: its resource tracker does, which is a process
        self.told(resource_tracker._resource_tracker._pid)
"""
KINDS = ["popen", "popen_of_its_own", "shell", "process", "pool", "manager", "fork", "daemon", "segment"]

ENDS = {
    "destroy": "octavo.destroy(p); wait()",
    "kill -9 of the object": "os.kill(p.pid(), signal.SIGKILL); wait()",
    "the object ends itself": "octavo.start(p.leave); wait()",
    "kill -9 of the program": "wait()",
    "kill -9 of the program's group": "wait()",
    "the program ends": "",
    "the program fails": "raise SystemExit(3)",
    "sys.exit in a thread's time": "threading.Thread(target=wait, daemon=True).start()",
}


def started(running: Program) -> list[int]:
    return [int(each.name.partition("-")[2]) for each in running.directory.glob("started-*")]


def text_of(kind: str, end: str, runtime: str = "octavo.process") -> str:
    return (
        textwrap.dedent(STARTS)
        + textwrap.dedent("""
        class Own(Starts):
            def leave(self):
                os._exit(5)
        def wait():
            while not os.path.exists("over"):
                time.sleep(0.01)
        """)
        + f"p = {runtime}.make(Own)\np.{kind}()\nPath('ready').touch()\nwhile not os.path.exists('go'):\n    time.sleep(0.01)\n{ENDS.get(end, end)}\n"
    )


def end_it(running: Program, end: str) -> None:
    if end == "kill -9 of the program":
        running.process.kill()
    elif end == "kill -9 of the program's group":
        os.killpg(running.process.pid, signal.SIGKILL)
    else:
        (running.directory / "go").touch()


def gone(pids: list[int]) -> None:
    wait_for(lambda: not any(is_alive(pid) for pid in pids), 20, f"none of {pids}")


def over(running: Program) -> None:
    (running.directory / "over").touch()
    running.process.communicate(timeout=20)


CASES = [(kind, end) for kind in KINDS for end in ("destroy", "kill -9 of the program")] + [
    (kind, end) for kind in ("popen_of_its_own", "daemon", "segment") for end in ENDS if end not in ("destroy", "kill -9 of the program")
]
CASES.remove(("segment", "kill -9 of the program's group"))  # its resource tracker is in the group


@pytest.mark.parametrize(("kind", "end"), CASES)
def test_what_an_object_started_ends(tmp_path: Path, kind: str, end: str) -> None:
    with program(tmp_path, text_of(kind, end)) as running:
        running.came("ready")
        pids = started(running)
        assert pids
        assert all(is_alive(pid) for pid in pids)
        end_it(running, end)
        gone(pids)
        over(running)


@pytest.mark.parametrize("end", ["destroy", "kill -9 of the program", "the program ends"])
def test_on_another_machine(tmp_path: Path, end: str) -> None:
    made = 'octavo.Runtime(engine=octavo.played(["h1"], "machines")).machine("h1")'
    with program(
        tmp_path, f"where = {made}\n" + text_of("popen_of_its_own", end, "where").replace("Path('ready')", f"Path({str(tmp_path)!r}, 'ready')")
    ) as running:
        running.came("ready")
        pids = started(running) or [int(each.name.partition("-")[2]) for each in tmp_path.rglob("started-*")]
        assert pids
        end_it(running, end)
        gone(pids)
        over(running)


def test_others_are_left_alone(tmp_path: Path) -> None:
    """What another object has, and what the program has started itself."""
    text = textwrap.dedent(STARTS) + textwrap.dedent("""
        p, q = octavo.process.make(Starts), octavo.process.make(Starts)
        own = subprocess.Popen(["sleep", "1000"], start_new_session=True)
        p.popen()
        ended = list(Path().glob("started-*"))[0].name.partition("-")[2]
        q.popen_of_its_own()
        q.daemon()
        left = [each.name.partition("-")[2] for each in Path().glob("started-*")]
        left.remove(ended)
        os.kill(p.pid(), signal.SIGKILL)
        def state(pid):
            return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        while os.path.exists(f"/proc/{ended}") and state(ended) != "Z":
            time.sleep(0.005)
        assert all(state(each) != "Z" for each in left)
        assert q.add(1) == 1
        assert own.poll() is None
        octavo.destroy(q)
        assert own.poll() is None
        own.kill()
        own.wait()
        """)
    with program(tmp_path, text) as running:
        running.end()


def test_keep_children(tmp_path: Path) -> None:
    """Of an object that the program made, and of one that this one made."""
    text = textwrap.dedent(STARTS) + textwrap.dedent("""
        class Makes(Starts):
            def make(self):
                self.q = octavo.process.make(Starts)
                self.q.popen_of_its_own()
        with octavo.Runtime(keep_children=True):
            p = octavo.process.make(Makes)
            p.popen()
            p.make()
            octavo.destroy(p)
        """)
    with program(tmp_path, text) as running:
        assert running.process.wait(20) == 0  # its pipes are the kept ones', too
        pids = started(running)
        assert len(pids) == 2
        assert all(is_alive(pid) for pid in pids)
        for pid in pids:
            os.kill(pid, signal.SIGKILL)


def test_a_program_that_an_object_started_ends_with_it(tmp_path: Path) -> None:
    """It has objects itself, which have started others: all of them are gone."""
    (tmp_path / "inner.py").write_text(
        "import sys, os\nsys.path.insert(0, os.environ['HERE'])\nimport octavo, time\nfrom hosted_classes import Counter\nimport multiprocessing\n"
        + textwrap.dedent(STARTS)
        + "p = octavo.process.make(Starts)\np.popen_of_its_own()\np.told(os.getpid(), p.pid())\nPath('inner').touch()\ntime.sleep(1000)\n"
    )
    text = textwrap.dedent(f"""
    import subprocess
    class Runs(Counter):
        def run(self):
            subprocess.Popen([sys.executable, "inner.py"], env={{**os.environ, "HERE": {str(Path(__file__).parents[1])!r}}})
            while not os.path.exists("inner"):
                time.sleep(0.01)
    p = octavo.process.make(Runs)
    p.run()
    open("ready", "w").close()
    while not os.path.exists("go"):
        time.sleep(0.01)
    os.kill(p.pid(), signal.SIGKILL)
    while not os.path.exists("over"):
        time.sleep(0.01)
    """)
    with program(tmp_path, text) as running:
        running.came("ready")
        pids = started(running)
        assert len(pids) == 3
        (tmp_path / "go").touch()
        gone(pids)
        over(running)


# What ends them is a process itself, and may be killed: its successor knows them.
def test_what_an_object_started_ends_though_what_ends_it_was_killed(tmp_path: Path) -> None:
    kills = """
    [sweeper] = [int(each.name) for each in Path('/proc').iterdir() if each.name.isdigit() and ends_ours(each)]
    os.kill(sweeper, signal.SIGKILL)
    while not Path(f'/proc/{sweeper}/cmdline').exists() or Path(f'/proc/{sweeper}/cmdline').read_bytes():
        time.sleep(0.01)  # until it is a zombie
    octavo.destroy(p)
    wait()
    """
    helper = """
    def ends_ours(process):
        try:
            parent = int((process / 'stat').read_text().rpartition(')')[2].split()[1])
            return parent == os.getpid() and 'ends what objects' in (process / 'cmdline').read_text()
        except OSError:
            return False
    """
    with program(tmp_path, text_of("popen_of_its_own", textwrap.dedent(helper) + textwrap.dedent(kills))) as running:
        running.came("ready")
        pids = started(running)
        end_it(running, "")
        gone(pids)
        over(running)
