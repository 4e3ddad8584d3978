# SPDX-License-Identifier: Apache-2.0
"""python tests/soak [--seconds N]: the main job, the examples and random programs, again and again, on a machine busier than its cores.

Each run has its known result, and stands beside cores + 1 or cores + 3 processes that spin, while single processes of it are stopped for a moment
at a time. Fails where a run crashes, hangs, gives something else or leaves anything behind; a hang is shown with the stacks and the `octavo ps` of
all its processes. What a seed decides (arguments, priorities, who is stopped) it decides again; when, the machine does.
"""

import argparse
import os
import random
import secrets
import shlex
import signal
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from kinds import ROOT, Kind, environment, examples, programs
from main_job import OCTAVO, Arrays, jobs
from processes import become_reaper
from watched import Outcome, run

SHARES = {"job": 0.5, "program": 0.35, "example": 0.15}  # of the time
CORES = len(os.sched_getaffinity(0))


@dataclass
class Count:
    runs: int = 0
    wrong: int = 0
    seconds: float = 0
    stops: int = 0


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python tests/soak", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60, help="no run begins later (60); each kind runs once at least")
    parser.add_argument("--runs", type=int, default=0, help="so many runs, whatever the time")
    parser.add_argument("--seed", type=int, help="a random one, if not given")
    parser.add_argument("--busy", type=int, help="processes that spin; if not given, cores + 1 and cores + 3 in turn")
    parser.add_argument("--no-stops", action="store_true", help="no process is stopped")
    parser.add_argument("--only", default="", metavar="NAME", help="runs whose name begins so: job, example/01, program (--list names all)")
    parser.add_argument("--repeat", action="store_true", help="each run with the seed itself, instead of one that follows from it")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "release", help="whose examples and programs (build/release)")
    parser.add_argument("--list", action="store_true", help="names what can be run")
    return parser.parse_args()


def all_kinds(build: Path, arrays: Arrays, only: str) -> list[Kind]:
    found = [*programs(build), *examples(build), *(jobs(arrays) if OCTAVO.exists() else [])]
    return [kind for kind in found if kind.name.startswith(only)]


def family(kind: Kind) -> str:
    return kind.name.split("/")[0]


class Soak:
    def __init__(self, options: argparse.Namespace, folder: Path) -> None:
        self.options = options
        self.folder = folder
        self.seed = options.seed if options.seed is not None else secrets.randbelow(1_000_000_000)
        self.counts: dict[str, Count] = {}
        self._order = random.Random(self.seed)

    def next_kind(self, kinds: list[Kind]) -> Kind:
        """Each family has its share of the time; in it, who had the fewest runs is next."""

        def spent(name: str) -> float:
            return sum(count.seconds for kind, count in self.counts.items() if kind.split("/")[0] == name) / SHARES[name]

        least = min({family(kind) for kind in kinds}, key=lambda name: (spent(name), name))
        of_family = [kind for kind in kinds if family(kind) == least]
        fewest = min(self.counts[kind.name].runs for kind in of_family)
        return self._order.choice([kind for kind in of_family if self.counts[kind.name].runs == fewest])

    def go(self, kinds: list[Kind]) -> None:
        self.counts = {kind.name: Count() for kind in kinds}
        begun = time.monotonic()
        number = 0

        def more() -> bool:
            if self.options.runs:
                return number < self.options.runs
            families = {family(kind) for kind in kinds}
            had = {name.split("/")[0] for name, count in self.counts.items() if count.runs}
            return time.monotonic() - begun < self.options.seconds or had != families

        while more():
            kind = self.next_kind(kinds)
            seed = self.seed if self.options.repeat else random.Random(f"{self.seed} {number}").randrange(1_000_000_000)
            busy = self.options.busy if self.options.busy is not None else CORES + (1, 3)[number % 2]
            self._count(kind, self.once(kind, seed, busy), seed, busy, number)
            number += 1

    def once(self, kind: Kind, seed: int, busy: int) -> Outcome:
        with tempfile.TemporaryDirectory(dir=self.folder, ignore_cleanup_errors=True) as name:
            folder = Path(name)
            prepared = kind.prepare(folder, seed)
            around = environment(folder, {"OCTAVO_DELAY_SEED": str(seed + 1), **prepared.environment})  # of builds with delays
            outcome = run(prepared.command, folder, around, random.Random(seed), busy, stopping=not self.options.no_stops)
            if not outcome.wrong:
                outcome.wrong = prepared.check()
            if not outcome.wrong and (left := [str(path) for path in (folder / "tmp").rglob("*")]):
                outcome.wrong = f"left behind: {' '.join(left)}"
            if outcome.wrong:
                outcome.wrong += f"\n--- {shlex.join(prepared.command)} printed\n{outcome.output}"
            return outcome

    def _count(self, kind: Kind, outcome: Outcome, seed: int, busy: int, number: int) -> None:
        count = self.counts[kind.name]
        count.runs += 1
        count.seconds += outcome.seconds
        count.stops += outcome.stops
        print(f"soak: run {number + 1}: {kind.name}, seed {seed}, {busy} busy: {outcome.seconds:.1f} s", flush=True)
        if outcome.wrong:
            count.wrong += 1
            again = f"python tests/soak --only {kind.name} --seed {seed} --busy {busy} --repeat --seconds 600"
            print(f"soak: FAILED: {kind.name}, seed {seed}, {busy} busy: {outcome.wrong}\nsoak: to repeat it: {again}", flush=True)

    def report(self) -> int:
        print(f"{'':36}{'runs':>6}{'wrong':>7}{'seconds':>9}{'stops':>7}")
        for name, count in self.counts.items():
            if count.runs:
                print(f"{name:36}{count.runs:6}{count.wrong:7}{count.seconds:9.1f}{count.stops:7}")
        runs, wrong = (sum(getattr(count, what) for count in self.counts.values()) for what in ("runs", "wrong"))
        print(f"soak: seed {self.seed}: {runs} runs, {wrong} wrong", flush=True)
        return 1 if wrong or not runs else 0


def end(*_: object) -> None:
    sys.exit("soak: ended by SIGTERM")


def main() -> int:
    options = parse()
    signal.signal(signal.SIGTERM, end)
    become_reaper()
    with tempfile.TemporaryDirectory(prefix="octavo-soak.", ignore_cleanup_errors=True) as name:
        kinds = all_kinds(options.build.resolve(), Arrays(Path(name)), options.only)
        if options.list or not kinds:
            print("\n".join(kind.name for kind in kinds) or f"soak: nothing under {options.build} is named {options.only}...")
            return 0 if kinds else 2
        soak = Soak(options, Path(name))
        print(f"soak: seed {soak.seed}, {CORES} cores", flush=True)
        soak.go(kinds)
        return soak.report()


if __name__ == "__main__":
    sys.exit(main())
