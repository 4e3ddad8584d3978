# SPDX-License-Identifier: Apache-2.0
"""A Runtime with other machines, or with options: begun before the first object, by ``with octavo.Runtime(...)``."""

from types import TracebackType

from octavo import _core
from octavo.errors import UsageError
from octavo.objects import current
from octavo.objects.places import Place

MOST_PATIENCE = 10**6  # seconds: eleven days


class Runtime:
    """``with octavo.Runtime(engine=octavo.played(["box"])) as cluster: cluster.machine("box").make(Counter, 5)``.

    memory: bytes of the pool that arrays between processes lie in, on each machine (0: a quarter of what there is). home: where named objects are kept.
    pickle: False leaves built-in values, NumPy arrays and pointers, in all its processes: what is made is named, and nothing that arrives is unpickled.
    keep_children: processes that objects start (subprocess, multiprocessing) outlive them; else they end with the object, and the program.
    Raises UsageError where there is one already.
    """

    def __init__(
        self,
        *,
        engine: "_core.Engine | None" = None,
        memory: int | str = 0,
        home: str = "",
        pickle: bool = True,
        keep_children: bool = False,
    ) -> None:
        if engine is not None and not isinstance(engine, _core.Engine):
            cure = "Write octavo.Runtime(engine=octavo.ssh([machine, ...], address=...)), or octavo.played([...])"
            raise UsageError(f"the engine of a Runtime is what octavo.ssh() or octavo.played() gives, not {engine!r}. {cure}")
        with current.lock:
            if _core.is_in_force():
                raise UsageError("this program has a Runtime already: the first object begins one. Make the Runtime before the first object, or end the other")
            self._runtime = _core.RuntimeBase(_core.parse_bytes(memory) if isinstance(memory, str) else memory, home, engine, keep_children)
            current.keep(self._runtime, pickle=pickle)

    def __enter__(self) -> "Runtime":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Ends all its objects."""
        current.end(self._runtime)

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
    address: str,
    addresses: dict[str, str] | None = None,
    port: int = 0,
    shell: list[str] | None = None,
    program: str = "",
    patience: float = 20,
) -> "_core.Engine":
    """Machines that a command reaches: for SSH, or any other that runs one there (``shell=["srun", "-w", "{}"]``).

    address: of this machine, by which the others reach it: numeric, or a network interface's name (``"ib0"``); port 0: the kernel chooses. addresses: by
    machine, of those that reach it by another network. program: octavo-server there, where it is not under
    the path it has here. The interpreter and the package are to be there under the paths they have here. patience: seconds from the command until its agent
    calls back; more where a login waits for a queue. UsageError for no patience, and for what is no address or no name.
    """
    if not 0 < patience <= MOST_PATIENCE:
        raise UsageError(f"a patience of {patience} s. Give seconds from the command until its agent calls back: more than 0, and at most {MOST_PATIENCE}")
    return _core.ssh(machines, address, port, shell or [], program, addresses or {}, patience)


def played(machines: list[str], directory: str = "") -> "_core.Engine":
    """Machines played on this host, for tests: each an agent in a process of its own. No directory: a temporary one."""
    return _core.played(machines, directory)
