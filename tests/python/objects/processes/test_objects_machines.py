# SPDX-License-Identifier: Apache-2.0
"""Machines that a command reaches, and played ones: to whom the cluster's key is told, what they are told besides, and what is left of them."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path

import pytest
from kit import is_alive, marked, title_of, wait_for
from programs_kit import Program, program, run_program

pytestmark = pytest.mark.timeout(120)

# Runs what follows it in a terminal, and passes standard input and output on: as `ssh -tt` and `kubectl exec -it` do.
TERMINAL = """
import os, pty, select, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
inputs = [0, terminal]
while terminal in inputs:
    for ready in select.select(inputs, [], [])[0]:
        try:
            data = os.read(ready, 4096)
        except OSError:
            data = b""
        if data:
            os.write(terminal if ready == 0 else 1, data)
        else:
            inputs.remove(ready)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""
QUIET_TERMINAL = TERMINAL.replace("if pid == 0:", "if pid == 0:\n    import termios\n    termios.tcsetattr(0, 0, quiet(termios.tcgetattr(0)))").replace(
    "pid, terminal", "quiet = lambda a: [*a[:3], a[3] & ~8, *a[4:]]\npid, terminal"
)
FAILING = """
def failing(shell, patience=20, program=""):
    with octavo.Runtime(engine=octavo.ssh(["m"], address="127.0.0.1", shell=shell, patience=patience, program=program)) as cluster:
        try:
            cluster.machine("m").make(Counter)
        except octavo.GoneError as error:
            print(error)
        else:
            raise AssertionError("there is no agent")
"""


def failure(tmp_path: Path, call: str) -> str:
    """What a program prints that asks for a machine to which none should be told a key."""
    said = run_program(tmp_path, FAILING + call)
    for secret in ("cluster key", "octavo-"):  # the key's title, and its identity
        assert secret not in said.replace("octavo-server", ""), said
    return said


@pytest.mark.parametrize("text", [TERMINAL, QUIET_TERMINAL])
def test_a_terminal_is_told_no_key(tmp_path: Path, text: str) -> None:
    """By its echo, or, where it gives nothing back, by the agent in it."""
    (tmp_path / "terminal.py").write_text(text)
    said = failure(tmp_path, "failing([sys.executable, 'terminal.py'])")
    assert "terminal" in said
    assert "ssh without -t" in said


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("/bin/cat", "gives back what it is told"),
        ("/bin/yes", "says more than an agent does"),
        ("/bin/false", "ended with status 1"),
        ("/no/such/program", "ended with status 127; its last lines: env: '/no/such/program': No such file or directory"),
    ],
)
def test_another_program_is_told_no_key(tmp_path: Path, program: str, words: str) -> None:
    assert words in failure(tmp_path, f"failing(['env'], program={program!r})").replace("\u2018", "'").replace("\u2019", "'")


def test_an_agent_of_another_version_is_told_no_key(tmp_path: Path) -> None:
    said = failure(tmp_path, """failing(["sh", "-c", "echo octavo agent, invitation 1; exec cat"])""")
    assert "'octavo agent, invitation 1'" in said
    assert "Install the same Octavo" in said


def test_one_that_says_nothing_is_given_up_and_ended(tmp_path: Path) -> None:
    for patience, text in ((0.2, "200 ms"), (3, "3 s"), (20, "20 s")):
        said = failure(tmp_path, f"""failing(["sh", "-c", "echo Permission denied >&2; exec sleep 1000"], patience={patience})""")
        assert f"ran no agent within {text}" in said
        assert "patience" in said
        if "; its last lines: Permission denied" in said:
            return
    pytest.fail(f"a shell had not begun within {text}: {said}")


def test_an_agent_that_does_not_reach_the_program_says_so(tmp_path: Path) -> None:
    """The agent is in a network of its own, where nobody listens; patience is what bounds both sides."""
    shell = """["unshare", "--net", "--map-root-user"]"""
    for patience in (3, 20):
        said = failure(tmp_path, f"failing({shell}, patience={patience})")
        if f"ran no agent within {patience} s" not in said:  # it had begun by then
            break
    assert "tls://127.0.0.1:" in said
    assert "firewall" in said


def test_a_login_may_say_something_and_objects_print(tmp_path: Path) -> None:
    """Before the agent's line it is shown as it can be on standard error, after it as it is on standard output."""
    with program(
        tmp_path,
        r"""
        shell = ["sh", "-c", r'printf "Welcome\033[2J\nno end of line"; exec "$@"', "x"]
        with octavo.Runtime(engine=octavo.ssh(["m"], address="127.0.0.1", shell=shell)) as cluster:
            p = cluster.machine("m").make(Counter, 5)
            assert p.add(1) == 6
            octavo.start(cluster.machine("m"), os.write, 1, b"printed\n" * 1000).result()
        """,
    ) as running:
        out, errors = running.process.communicate(timeout=60)
    assert running.process.returncode == 0, errors
    assert out == "printed\n" * 1000
    assert "Welcome\\x1b[2J\nno end of line\n" in errors


# A call that has begun when this returns: one that has not goes to the machine's next agent.
SLEEPING = """
        def sleep():
            open("sleeps", "w").close()
            time.sleep(1000)

        def begin_to_sleep(machine):
            future = octavo.start(machine, sleep)
            while not os.path.exists("sleeps"):
                time.sleep(0.01)
            return future
"""
LAUNCHER = 'echo $$ > launcher; exec 3<&0; setsid "$@" <&3 & wait'


@pytest.mark.parametrize("end", ["kill -9 $(cat launcher)", "kill $(cat launcher)"])
def test_a_launcher_that_ends_alone_ends_the_machine(tmp_path: Path, end: str) -> None:
    """SSH-2, SSH-3: its connection is well, and its agent no child of the launcher's group."""
    run_program(
        tmp_path,
        SLEEPING
        + f"""
        engine = octavo.ssh(["m"], address="127.0.0.1", shell=["sh", "-c", {LAUNCHER!r}, "x"])
        with octavo.Runtime(engine=engine) as cluster:
            p = cluster.machine("m").make(Counter, 5)
            pid = p.pid()
            future = begin_to_sleep(cluster.machine("m"))
            os.system({end!r})
            try:
                future.result()
            except octavo.ProcessDied as error:
                assert "that ran its agent was ended by signal" in str(error), error
            else:
                raise AssertionError
            while os.path.exists(f"/proc/{{pid}}"):
                time.sleep(0.01)
            assert cluster.machine("m").make(Counter, 5).add(1) == 6  # by another agent
        """,
        seconds=60,
    )


def test_an_agent_whose_input_ends_ends(tmp_path: Path) -> None:
    """SSH-3: its launcher and its connection go on."""
    run_program(
        tmp_path,
        SLEEPING
        + """
        relayed = 'mkfifo input; exec 3<&0; cat <&3 > input & echo $! > relay; "$@" < input; exec sleep 1000'
        shell = ["sh", "-c", relayed, "x"]
        engine = octavo.ssh(["m"], address="127.0.0.1", shell=shell)
        with octavo.Runtime(engine=engine) as cluster:
            p = cluster.machine("m").make(Counter, 5)
            future = begin_to_sleep(cluster.machine("m"))
            os.kill(int(open("relay").read()), signal.SIGKILL)
            try:
                future.result()
            except octavo.ProcessDied:
                pass
            else:
                raise AssertionError
        """,
        seconds=60,
    )


@pytest.mark.parametrize("engine", ["octavo.played(['m'])", "octavo.ssh(['m'], address='127.0.0.1', shell=['env'])"])
def test_the_memory_of_a_runtime_is_that_of_all_its_machines(tmp_path: Path, engine: str) -> None:
    run_program(
        tmp_path,
        f"""
        def pool():
            lines = [line.split() for line in open("/proc/self/maps") if "memfd:octavo-pool" in line]
            begin, end = (int(each, 16) for each in lines[0][0].split("-"))
            return end - begin

        with octavo.Runtime(engine={engine}, memory="64MiB") as cluster:
            here, there = (octavo.start(place, pool).result() for place in (octavo.process, cluster.machine("m")))
            assert here == there, (here, there)
            assert 64 << 20 <= there < 128 << 20
            try:
                octavo.start(cluster.machine("m"), octavo.empty, 128 << 20, "u1").result()
            except octavo.Refused as error:
                assert "64 MiB" in str(error), error
        """,
    )


def test_neither_pool_nor_rings_are_in_a_core(tmp_path: Path) -> None:
    run_program(
        tmp_path,
        """
        def dumped():
            found = {}
            for line in open("/proc/self/smaps"):
                words = line.split()
                if "-" in words[0] and not words[0].endswith(":"):
                    name = words[-1] if len(words) > 5 else ""
                    name = " ".join(words[5:])
                elif words[0] == "VmFlags:" and "memfd:octavo-" in name:
                    found.setdefault(name.split()[0], []).append("dd" not in words)
            return found

        p = octavo.process.make(Counter)
        p.add(1)
        for found in (dumped(), octavo.start(octavo.process, dumped).result()):
            kinds = {name: flags for name, flags in found.items() if "pool" in name or "ring" in name}
            assert len(kinds) == 2, found
            assert not any(sum(kinds.values(), [])), found
        """,
    )


def killed(tmp_path: Path, running: Program) -> None:
    temporary = tmp_path / "temporary"
    running.came("ready")
    assert [path.name[:14] for path in temporary.iterdir()] == ["octavo-played-"]
    running.process.kill()
    running.process.wait()  # what it has forked holds its output
    wait_for(lambda: not list(temporary.iterdir()), 20, "the directory of the played machines is gone")


PLAYED = """
        with octavo.Runtime(engine=octavo.played(["box", "attic"]), home="home") as cluster:
            objects = [cluster.machine(name).make(Counter) for name in ("box", "attic")]
            octavo.start(cluster.machine("box"), os.mkdir, "made").result()
            {before}
            open("ready", "w").close()
            time.sleep(1000)
"""


# A child that was forked off has the links' other ends, too.
@pytest.mark.parametrize("before", ["pass", "child = os.fork() or [time.sleep(1000), os._exit(0)]"])
def test_a_killed_program_leaves_no_directory_of_played_machines(tmp_path: Path, before: str) -> None:
    with program(tmp_path, PLAYED.format(before=before)) as running:
        killed(tmp_path, running)
        for pid in marked(running.mark):  # what it has forked is its own affair
            if pid != running.process.pid and "octavo" not in title_of(pid):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)


def test_nor_does_one_whose_agents_are_stopped(tmp_path: Path) -> None:
    with program(tmp_path, PLAYED.format(before="pass")) as running:
        running.came("ready")
        agents = [pid for pid in marked(running.mark) if "agent of" in title_of(pid)]
        assert len(agents) == 2
        for pid in agents:
            os.kill(pid, signal.SIGSTOP)
        killed(tmp_path, running)
        wait_for(lambda: not any(map(is_alive, agents)), 20, "the agents have ended")


def test_nor_a_home_in_it(tmp_path: Path) -> None:
    """The lasting agent of a played machine has its home there; it ends by itself."""
    before = "octavo.named('a').make_array((8, 8), (4, 4), 'f4', [('pages', 'box')])"
    text = "        os.environ['OCTAVO_LASTING_SECONDS'] = '0'\n" + PLAYED.format(before=before)
    with program(tmp_path, text) as running:
        killed(tmp_path, running)
        wait_for(lambda: not marked(running.mark), 60, "the lasting agent has ended")


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGKILL])
def test_a_signal_to_the_program_and_its_agents_leaves_nothing(tmp_path: Path, sign: signal.Signals) -> None:
    """As a closed terminal, Ctrl-\\ and ``timeout`` send: the folder of played machines is removed by their agents. SIGKILL goes to the program alone."""
    text = """
    machines = ["m", "n"]
    runtime = octavo.Runtime(engine=octavo.played(machines))
    objects = [runtime.machine(each).make(Counter) for each in machines]
    assert [each.add(1) for each in objects] == [1, 1]
    open("ready", "w").close()
    while True:
        signal.pause()
    """
    with program(tmp_path, text) as running:
        running.came("ready")
        assert list((tmp_path / "temporary").iterdir())
        if sign == signal.SIGKILL:
            running.process.kill()
        else:
            os.killpg(running.process.pid, sign)
        running.end(-sign)
