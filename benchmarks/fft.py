# SPDX-License-Identifier: Apache-2.0
"""./dev bench fft [--quick]: how near to the disk the transform of an array four times its memory comes.

raw, job, raw, job, ..., raw: a job is `octavo fft` on uncompressed Zarr, held to its budget and what the design allows beside it (64 MiB for the
interpreter, 2 MiB a process), timed from start to exit, fsync and planning included. The limit is the time in which the disk, at the mean of the
raws around the job, moves what the fewest passes must move. A job is void where those raws differ by more than 1.5 x, and is repeated.
Files lie in OCTAVO_BENCH_DIR, or build/bench; the array is kept there.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import statistics
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import octavo
import zarr
from kit import disk
from kit.field import Field, evict, shape_of
from kit.held import ROOT, Holder, Run, TooLong
from kit.report import Limit, Result, table, write_lines

MIB = 1 << 20
CLI = Path(sys.prefix) / "bin" / "octavo"
PEERS = ROOT / "benchmarks" / "peers"
MOST_ERROR = 1e-12


@dataclass(frozen=True)
class Job:
    """One run beside its limit: seconds of the disk at the mean of the raws around it."""

    run: Run
    limit: float
    error: float
    void: bool


class Bench:
    """The files, the plan and the measurements of one size."""

    def __init__(self, work: Path, size: int, memory: int) -> None:
        self.work = work
        self.memory = memory
        self.field = Field(shape_of(size))
        self.source, self.target, self.raw = work / f"field-{size >> 20}.zarr", work / "spectrum.zarr", work / "raw"
        self.check_room()
        self.remove_results()
        print(f"bench: {size >> 20} MiB of complex128, {' x '.join(map(str, self.field.shape))}, in {work}", flush=True)
        self.field.make_zarr(self.source)
        plan = octavo.Job(self.source, self.target, memory=memory)
        self.passes = plan.passes
        self.processes = plan.transforms + 2 + plan.uses_scratch
        self.allowed = memory + 64 * MIB + 2 * MIB * self.processes
        self.holder = Holder()

    def check_room(self) -> None:
        """The array, and beside it a result and raw's file, or the peer's two."""
        need = self.field.bytes * (2 if self.source.exists() else 3) * 21 // 20
        free = shutil.disk_usage(self.work).free
        if free < need:
            raise SystemExit(f"bench: {need / 1e9:.1f} GB are needed in {self.work}, {free / 1e9:.1f} are free: free some, or set OCTAVO_BENCH_DIR")

    def remove_results(self) -> None:
        for path in (self.target, *self.work.glob("spectrum.zarr.unfinished*")):
            shutil.rmtree(path, ignore_errors=True)
        for name in ("field.npy", "spectrum.npy"):
            (self.work / name).unlink(missing_ok=True)

    def measure_raw(self) -> disk.Raw:
        os.sync()
        return disk.measure(self.raw, self.field.bytes)

    def run_job(self) -> tuple[Run, float]:
        """The run, and how far its result is from the exact answer."""
        self.remove_results()
        evict(self.source)
        os.sync()
        run = self.holder.run([str(CLI), "fft", str(self.source), str(self.target), "--memory", str(self.memory)], self.allowed)
        error = self.field.worst_error(zarr.open_array(self.target, mode="r"))
        if not error <= MOST_ERROR:
            raise SystemExit(f"bench: the result is wrong: error {error:.2g} of the largest, {MOST_ERROR} allowed; it is left in {self.target}")
        self.remove_results()
        return run, error

    def run_jobs(self, rounds: int) -> list[Job]:
        """Jobs with a raw before and after each; the void ones too."""
        jobs: list[Job] = []
        before = self.measure_raw()
        while sum(not job.void for job in jobs) < rounds and len(jobs) < 2 * rounds + 2:
            run, error = self.run_job()
            after = self.measure_raw()
            jobs.append(Job(run, disk.mean(before, after).seconds(self.field.bytes, self.passes), error, not disk.agree(before, after)))
            void = "void" if jobs[-1].void else "    "
            raws = f"{before.read:.2f}/{before.write:.2f} and {after.read:.2f}/{after.write:.2f} GB/s"
            print(f"  {run.seconds:6.2f} s, {jobs[-1].limit / run.seconds:.2f} of the limit {void} between raws (read/write) of {raws}", flush=True)
            before = after
        self.raw.with_name("raw.0").unlink(missing_ok=True)
        return jobs

    def run_peer(self, longest: float) -> tuple[float, bool]:
        """Seconds of NumPy's memmap by slabs on the same array in the same memory, and whether it ended by itself."""
        source, target = self.work / "field.npy", self.work / "spectrum.npy"
        self.field.make_npy(source)
        evict(source)
        try:
            # In the interpreter that the benchmark runs in; the CLI's allowance beside the budget is the peer's too.
            run = self.holder.run([sys.executable, str(PEERS / "memmap_fft.py"), str(source), str(target), str(self.memory)], self.allowed, longest)
            return run.seconds, True
        except TooLong:
            return longest, False
        finally:
            self.remove_results()

    def run_in_memory(self) -> float | None:
        """Seconds, or None where memory would not do: the array, its copy and some room."""
        facts = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
        if int(facts["MemAvailable"].split()[0]) * 1024 < 3 * self.field.bytes:
            return None
        command = [sys.executable, str(PEERS / "in_memory_fft.py"), *map(str, self.field.shape)]
        return float(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)


def results(bench: Bench, jobs: list[Job], peer: tuple[float, bool] | None, in_memory: float | None) -> list[Result]:
    """The rate against the disk and the peer, and where memory was held the peak against the budget."""
    moved = 2 * bench.passes * bench.field.bytes / 1e9
    good = [job for job in jobs if not job.void]
    conditions: dict[str, object] = {
        "shape": bench.field.shape,
        "dtype": "complex128",
        "format": "zarr, uncompressed, chunks 128^3",
        "memory": bench.memory,
        "allowed": bench.allowed if bench.holder.holds else "not held",
        "passes": bench.passes,
        "jobs": len(good),
        "void": len(jobs) - len(good),
        "seconds": [job.run.seconds for job in good],
        "ratios": [round(job.limit / job.run.seconds, 3) for job in good],
        "worst_error": max(job.error for job in jobs),
        "in_memory_scipy_seconds": in_memory,
        "cores": os.cpu_count(),
        "read_ahead_kb": disk.read_ahead_kb(bench.work),
    }
    peers = {}
    if peer:
        conditions["peer_ended"] = peer[1]
        peers["NumPy memmap by slabs" if peer[1] else "NumPy memmap by slabs (stopped: less than this)"] = moved / peer[0]
    ratio = statistics.median(job.limit / job.run.seconds for job in good)
    limit = Limit("disk: O_DIRECT io_uring, 4 MiB x 8, read and write in turn", statistics.median(moved / job.limit for job in good))
    found = [Result("fft", [moved / job.run.seconds for job in good], "GB/s", limit, peers, conditions, ratio_to_limit=ratio)]
    if peaks := [job.run.peak_own / MIB for job in good if job.run.peak_own is not None]:
        allowed = Limit("the budget and what is allowed beside it", bench.allowed / MIB)
        found.append(Result("fft peak memory", peaks, "MiB", allowed, conditions={"memory": bench.memory, "processes": bench.processes}, lower_is_better=True))
    return found


def spread(values: Sequence[float]) -> str:
    return f"{statistics.median(values):.2f} [{min(values):.2f}, {max(values):.2f}]"


def show(bench: Bench, found: list[Result], peer: tuple[float, bool] | None, in_memory: float | None) -> None:
    rate = found[0]
    ratios = rate.conditions["ratios"]
    seconds = rate.conditions["seconds"]
    rows = [
        ("passes", str(bench.passes)),
        ("job", f"{spread(seconds)} s, {spread(rate.values)} GB/s"),
        ("limit", f"{rate.limit.value:.2f} GB/s ({rate.limit.name})"),
        ("to the limit", f"{spread(ratios)}, {len(ratios)} jobs, {rate.conditions['void']} void"),
        ("error", f"{rate.conditions['worst_error']:.1e} of the largest, at 400 points"),
    ]
    if len(found) > 1:
        rows.append(("peak memory", f"{found[1].value:.0f} MiB; the budget is {bench.memory / MIB:.0f}, allowed in all are {found[1].limit.value:.0f}"))
    else:
        rows.append(("peak memory", "not held: no within-memory, or no cgroup v1 memory controller here"))
    if peer:
        at_least = "" if peer[1] else "more than "
        rows.append(("NumPy memmap", f"{at_least}{peer[0]:.1f} s in the same memory: {at_least}{rate.to_best_peer:.1f} x ours"))
    rows.append(("SciPy in memory", f"{in_memory:.2f} s, fftn alone, 2 workers" if in_memory else "not run: it would need three times the array"))
    print(table(rows))


def bytes_of(text: str) -> int:
    for unit, shift in (("KiB", 10), ("MiB", 20), ("GiB", 30)):
        if text.endswith(unit):
            return int(text.removesuffix(unit)) << shift
    return int(text)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="./dev bench fft", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="512 MiB, three jobs: a look, no measurement")
    parser.add_argument("--size", type=bytes_of, help="of the array, a power of two, such as 1GiB (default 4GiB)")
    parser.add_argument("--memory", type=bytes_of, help="the job's budget (default a quarter of the array)")
    parser.add_argument("--rounds", type=int, help="jobs (default 5)")
    parser.add_argument("--peer-limit", type=float, help="seconds after which the peer is stopped (default 600, quick 60); 0 leaves it out")
    parser.add_argument("--json", type=Path, help="write one JSON object a line there")
    given = parser.parse_args(arguments)
    size = given.size or (512 * MIB if given.quick else 4096 * MIB)
    work = Path(os.environ.get("OCTAVO_BENCH_DIR", ROOT / "build" / "bench"))
    work.mkdir(parents=True, exist_ok=True)

    bench = Bench(work, size, given.memory or size // 4)
    with contextlib.ExitStack() as stack:
        stack.callback(bench.remove_results)
        jobs = bench.run_jobs(given.rounds or (3 if given.quick else 5))
        if all(job.void for job in jobs):
            raise SystemExit(f"bench: the disk's own rate changed by more than {disk.APART} x around each of {len(jobs)} jobs; try when the machine is quiet")
        longest = (60 if given.quick else 600) if given.peer_limit is None else given.peer_limit
        peer = bench.run_peer(longest) if longest > 0 else None
        in_memory = bench.run_in_memory()
    found = results(bench, jobs, peer, in_memory)
    show(bench, found, peer, in_memory)
    if given.json:
        write_lines(found, given.json)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
