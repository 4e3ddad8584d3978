# SPDX-License-Identifier: Apache-2.0
"""What the tests of the main job share: arrays on disk, the command line in a process of its own, and what a job leaves behind."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import octavo
import pytest

MARK = "OCTAVO_TEST_MARK"  # in the environment of a command and so of all processes that it starts, whoever their parent is by now
MIB = 1 << 20
PACKAGE = Path(octavo.__file__).parent

Array = npt.NDArray[Any]


def command() -> list[str]:
    """The command line as ./dev build leaves it."""
    return [str(Path(sys.prefix) / "bin" / "octavo")]


def wait_for(condition: Callable[[], bool], seconds: float, what: str) -> float:
    """Polls until it holds; how long that took. Fails with ``what`` when it does not in time."""
    begin = time.monotonic()
    while not condition():
        assert time.monotonic() - begin < seconds, f"not within {seconds} s: {what}"
        time.sleep(0.005)
    return time.monotonic() - begin


@contextlib.contextmanager
def ended_by_control_c() -> Iterator[None]:
    """The block waits within Octavo, in the main thread: once it stands there, Ctrl-C comes and ends it."""
    main, over = threading.get_ident(), threading.Event()

    def place() -> object:
        frame = sys._current_frames().get(main)
        while frame is not None and PACKAGE not in Path(frame.f_code.co_filename).parents:
            frame = frame.f_back
        return None if frame is None else (frame, frame.f_lasti)

    def interrupt() -> None:
        before = None
        while (now := place()) is None or now != before:
            before = now
            if over.wait(0.05):  # it has not waited; who expects Ctrl-C says so
                return
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    with pytest.raises(KeyboardInterrupt):
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()


def is_alive(pid: int) -> bool:
    """Whether the process runs (a zombie does not)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def marked(mark: str) -> list[int]:
    """All running processes that carry the mark, orphans too."""
    wanted = f"{MARK}={mark}".encode()
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                if wanted in (entry / "environ").read_bytes().split(b"\0") and is_alive(int(entry.name)):
                    found.append(int(entry.name))
    return found


def title_of(pid: int) -> str:
    """A server says in its arguments whom it serves. Of one that has ended: nothing."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_text(errors="replace").replace("\0", " ")
    return ""


def children_of(pid: int) -> list[int]:
    """Running children of all its threads, without the tracker that Python's multiprocessing keeps in a program that spawns."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(OSError):
            found += [int(child) for child in (task / "children").read_text().split()]
    return [child for child in found if is_alive(child) and "multiprocessing.resource_tracker" not in title_of(child)]


def shared_memory() -> set[str]:
    """Names in /dev/shm, without those of Open MPI, Python's multiprocessing and the disks' oracle, which may run meanwhile."""
    return {entry.name for entry in Path("/dev/shm").iterdir() if not entry.name.startswith(("sm_segment.", "psm_", "sem.mp-", "octavo-data-"))}


def no_more_shared_memory(before: set[str]) -> None:
    """Waits until nothing else is in /dev/shm: what programs of the tests beside these have there comes and goes."""
    wait_for(lambda: shared_memory() <= before, 20, f"nothing new is in /dev/shm, but {shared_memory() - before}")


@contextlib.contextmanager
def nothing_left(target: Path) -> Iterator[None]:
    """What must hold after a job that failed: no target, no child, nothing in /dev/shm, no scratch, no lock."""
    before = shared_memory()
    yield
    assert not target.exists(), f"{target} is there"
    left = [entry.name for entry in target.parent.iterdir() if entry.name.startswith((f"{target.name}.", f".{target.name}."))]
    assert not left, f"beside the target: {left}"
    wait_for(lambda: not children_of(os.getpid()), 20, f"children: {[title_of(pid) for pid in children_of(os.getpid())]}")
    no_more_shared_memory(before)


def unfinished_of(target: Path) -> list[Path]:
    """The directories in which runs make it, or made it when they were killed."""
    return sorted(target.parent.glob(f"{target.name}.unfinished-????????"))


def made_in(target: Path) -> Path | None:
    """The place of the array while the one run makes it."""
    return next((each / target.name for each in unfinished_of(target)), None)


def has_written(target: Path, least: int = MIB) -> bool:
    """Whether a run has begun to write its target: a chunk of a Zarr array, this many bytes of a file."""
    place = made_in(target)
    return place is not None and (any((place / "c").glob("*")) or (place.is_file() and place.stat().st_size > least))


@dataclass
class Ended:
    """A command that has ended."""

    status: int
    out: str
    err: str
    mark: str
    seconds: float

    def paragraph(self) -> str:
        """The error, checked to be one: 'octavo: ' and no traceback, a status that is not 0, no process left."""
        assert self.status > 0, f"status {self.status}\n{self.err}"
        assert self.err.startswith("octavo: "), self.err
        assert "Traceback" not in self.err
        assert "\n\n" not in self.err.strip(), self.err
        assert self.err.count("octavo: ") == 1, self.err
        assert marked(self.mark) == []
        return self.err


def stands_still(pid: int) -> bool:
    """Each thread is stopped, or has ended."""
    try:
        states = [stat.read_text().rpartition(") ")[2][0] for stat in Path(f"/proc/{pid}/task").glob("*/stat")]
    except OSError:  # it ended while it was looked at
        return False
    return all(state in "TtZX" for state in states)


def group_of(pid: int) -> int:
    """0: it has ended."""
    try:
        return os.getpgid(pid)
    except ProcessLookupError:
        return 0


@dataclass
class Command:
    """`octavo ...` running in a session of its own: signals to its group reach it and its processes, not the tests."""

    arguments: list[str]
    prefix: list[str] = field(default_factory=list)
    cwd: Path | None = None
    errors: int = subprocess.PIPE

    def __post_init__(self) -> None:
        self.mark = uuid.uuid4().hex
        self.begin = time.monotonic()
        environment = {**os.environ, MARK: self.mark}
        whole = [*self.prefix, *command(), *self.arguments]
        self.process = subprocess.Popen(whole, stdout=subprocess.PIPE, stderr=self.errors, text=True, env=environment, start_new_session=True, cwd=self.cwd)

    def servers(self) -> list[int]:
        """Its octavo-server processes."""
        return [pid for pid in marked(self.mark) if "octavo-server" in title_of(pid)]

    def signal_group(self, number: signal.Signals) -> None:
        """As the terminal does for Ctrl-C."""
        os.killpg(self.process.pid, number)

    def stop(self) -> None:
        """Stops all its processes, and returns when none of their threads is in the midst of anything."""
        self.signal_group(signal.SIGSTOP)
        # Not the sweeper: it has a session of its own, and waits.
        wait_for(lambda: all(stands_still(pid) for pid in marked(self.mark) if group_of(pid) == self.process.pid), 30, "its processes stand still")

    def end(self, seconds: float = 60) -> Ended:
        """Waits for it; kills what is left if that lasts too long, and fails."""
        try:
            out, err = self.process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            self.signal_group(signal.SIGKILL)
            out, err = self.process.communicate(timeout=10)
            raise AssertionError(f"octavo {' '.join(self.arguments)} did not end within {seconds} s\n{out}\n{err}") from None
        except BaseException:  # the test's own time is over
            self.signal_group(signal.SIGKILL)
            raise
        return Ended(self.process.returncode, out, err or "", self.mark, time.monotonic() - self.begin)


def run_command(*arguments: object, prefix: list[str] | None = None, cwd: Path | None = None, seconds: float = 60) -> Ended:
    """Runs the command line to its end."""
    return Command([str(each) for each in arguments], prefix or [], cwd).end(seconds)


def worked(*arguments: object, seconds: float = 60) -> Ended:
    """The same for one that must succeed."""
    ended = run_command(*arguments, seconds=seconds)
    assert ended.status == 0, ended.err
    assert marked(ended.mark) == []
    return ended


def noise(shape: tuple[int, ...], dtype: str = "complex128", seed: int = 0) -> Array:
    """Random elements of any type that Octavo reads; integers over their whole range."""
    random = np.random.default_rng(seed)
    kind = np.dtype(dtype)
    if kind.kind in "iu":
        limits = np.iinfo(kind)
        return random.integers(limits.min, limits.max, shape, dtype=kind.newbyteorder("="), endpoint=True)
    if kind.kind == "c":
        return (random.standard_normal(shape) + 1j * random.standard_normal(shape)).astype(kind)
    return random.standard_normal(shape).astype(kind)


def write_zarr(
    path: Path, array: Array, chunks: tuple[int, ...], *, big: bool = False, fill: complex = 0, missing: float = 0.0, seed: int = 0, **more: object
) -> Array:
    """An uncompressed Zarr v3 array by zarr-python; about ``missing`` of its chunks are left out. What zarr-python reads from it."""
    zarr = pytest.importorskip("zarr")
    codec = zarr.codecs.BytesCodec(endian=None if array.dtype.itemsize == 1 else "big" if big else "little")
    options = {"compressors": None, "filters": None, "fill_value": array.dtype.type(fill), "serializer": codec, **more}
    stored = zarr.create_array(str(path), shape=array.shape, chunks=chunks, dtype=array.dtype, **options)
    random = np.random.default_rng(seed)
    for index in np.ndindex(*(-(-extent // chunk) for extent, chunk in zip(array.shape, chunks, strict=True))):
        block = tuple(slice(i * chunk, (i + 1) * chunk) for i, chunk in zip(index, chunks, strict=True))
        if random.random() >= missing:
            stored[block] = array[block]
    return read(path)


def read(path: Path, shape: tuple[int, ...] = (), dtype: str = "complex128") -> Array:
    """A whole array, by zarr-python or NumPy."""
    if path.suffix == ".zarr":
        zarr = pytest.importorskip("zarr")
        return np.asarray(zarr.open_array(str(path), mode="r")[...])
    if path.suffix == ".npy":
        return np.asarray(np.load(path))
    return np.fromfile(path, dtype=dtype).reshape(shape)


def least_memory(message: str) -> int:
    """The bytes that a budget's refusal says would do."""
    found = re.search(r"the least that would do is (\d+) bytes", message)
    assert found, message
    return int(found[1])


def relative_error(got: Array, want: Array) -> float:
    """max|got - want| / max|want|."""
    assert got.shape == want.shape
    largest = float(np.abs(want).max())
    worst = float(np.abs(got - want).max())
    return worst / largest if largest > 0 else worst


def assert_equal(got: Array, want: Array) -> None:
    """Within 1e-12 (complex128) or 1e-5 (complex64)."""
    bound = {"complex128": 1e-12, "complex64": 1e-5}[got.dtype.name]
    assert relative_error(got, want) <= bound


def run(job: octavo.Job, seconds: float = 60) -> octavo.job.Report:
    """Runs a job that must not hang: it is stopped, and the test fails, when it takes longer."""

    def watch(now: octavo.job.Progress) -> bool:
        assert now.seconds < seconds, f"the job hangs in pass {now.step} of {now.steps} at {now.bytes_done} of {now.bytes_total} bytes\n{job.plan}"
        return True

    return job.run(watch)
