# SPDX-License-Identifier: Apache-2.0
"""A Runtime with other machines, or with options: begun before the first object, by ``with octavo.Runtime(...)``."""

from types import TracebackType

from octavo import _core
from octavo.errors import UsageError
from octavo.objects import current
from octavo.objects.places import Place
from octavo.objects.slurm import end_of_job

MOST_PATIENCE = 10**6  # seconds: eleven days


class Runtime:
    """``with octavo.Runtime(engine=octavo.played(["box"])) as cluster: cluster.machine("box").make(Counter, 5)``.

    engine: of the other machines, as played(), ssh() and slurm() give it, or the name of one: ``"slurm"``. None: that of OCTAVO_ENGINE, if it is set.
    memory: bytes of the pool that arrays between processes lie in, on each machine (0: a quarter of what there is). home: where named objects are kept.
    pickle: False leaves built-in values, NumPy arrays and pointers, in all its processes: what is made is named, and nothing that arrives is unpickled.
    keep_children: processes that objects start (subprocess, multiprocessing) outlive them; else they end with the object, and the program.
    Raises UsageError where there is one already.
    """

    def __init__(
        self,
        *,
        engine: "_core.Engine | str | None" = None,
        memory: int | str = 0,
        home: str = "",
        pickle: bool = True,
        keep_children: bool = False,
    ) -> None:
        if isinstance(engine, str):
            engine = _core.engine_named(engine)
        if engine is not None and not isinstance(engine, _core.Engine):
            cure = "Write octavo.Runtime(engine=octavo.ssh([machine, ...])), octavo.slurm() or octavo.played([...])"
            raise UsageError(f"the engine of a Runtime is what octavo.ssh(), octavo.slurm() or octavo.played() gives, not {engine!r}. {cure}")
        with current.lock:
            if _core.is_in_force():
                raise UsageError("this program has a Runtime already: the first object begins one. Make the Runtime before the first object, or end the other")
            self._runtime = _core.RuntimeBase(_core.parse_bytes(memory) if isinstance(memory, str) else memory, home, engine, keep_children)
            current.keep(self._runtime, pickle=pickle, by_user=True)
        self._hears_end = len(self.machines()) > 1 and end_of_job.begin()

    def __enter__(self) -> "Runtime":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Ends all its objects."""
        current.end(self._runtime)
        if self._hears_end:
            end_of_job.end()

    def machine(self, name: str = "local") -> Place:
        """A machine of this Runtime, as a place: ``cluster.machine("box").make(Class, ...)``. Without a name this one. UsageError where there is none of it."""
        if name not in ("local", "localhost") and name not in self.machines():
            raise UsageError(f"there is no machine '{name}'; there are: {', '.join(self.machines())}")
        return Place(f"machine {name}", machine=name)

    def machines(self) -> list[str]:
        """The names of all machines, this one first."""
        return list(self._runtime.machines())


def ssh(
    machines: list[str],
    *,
    address: str = "",
    addresses: dict[str, str] | None = None,
    port: int = 0,
    shell: list[str] | None = None,
    program: str = "",
    patience: float = 20,
    link: str = "",
) -> "_core.Engine":
    """Machines that a command reaches: for SSH, or any other that runs one there (``shell=["srun", "-w", "{}"]``).

    link: what the bytes go over. ``"ssh"``: the command's own standard input and output, no port on either side; so it is without an address. ``"tls"``: TCP,
    with one. ``"files:/shared/x"``: messages as files in a directory that all mount. ``"sftp"``: in the other's own directory, where each logs in at the other.
    address: of this machine, by which the others reach it: numeric, or a network interface's name (``"ib0"``); port 0: the kernel chooses. addresses: by
    machine, of those that reach it by another network. program:
    octavo-server there, where it is not under the path it has here. The interpreter and the package are to be there under the paths they have here.
    patience: seconds from the command until its agent speaks; more where a login waits for a queue. UsageError for no patience, and for what is no address
    or no name.
    """
    check_patience(patience)
    return _core.ssh(machines, address, port, shell or [], program, addresses or {}, patience, link)


def slurm(args: list[str] | None = None, *, address: str = "", port: int = 0, program: str = "", patience: float = 60, link: str = "tls") -> "_core.Engine":
    """The nodes of the job of Slurm that this program runs in, begun by sbatch or salloc: ``Runtime(engine=octavo.slurm())``, or ``engine="slurm"``.

    args: srun's own, besides what it is given. address: of this machine, by which the nodes reach it, numeric or a network interface's name; without one
    that of the way to the first node. patience: seconds from srun until the agents of all nodes speak. The rest is as for ssh().
    UsageError outside a job, and in a program that runs as several tasks of a step.
    """
    check_patience(patience)
    return _core.slurm(args or [], address, port, program, patience, link)


def check_patience(seconds: float) -> None:
    if not 0 < seconds <= MOST_PATIENCE:
        raise UsageError(f"a patience of {seconds} s. Give seconds from the command until its agent speaks: more than 0, and at most {MOST_PATIENCE}")


def played(machines: list[str], directory: str = "") -> "_core.Engine":
    """Machines played on this host, for tests: each an agent in a process of its own. No directory: a temporary one."""
    return _core.played(machines, directory)
