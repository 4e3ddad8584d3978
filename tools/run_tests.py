# SPDX-License-Identifier: Apache-2.0
"""./dev test [--all] [--only STEP]: builds, runs all tests to the end, and ends with the line "N passed, N failed[, N skipped]".

--all adds the slow Python tests, the tests under AddressSanitizer and ThreadSanitizer, FUZZ_SECONDS (60) of fuzzing for each target,
ten minutes of soak (tests/soak) instead of one, 10^7 steps of schedules (tests/schedule), links whose other side is killed at 500 instants, and the
documents' examples. A step without a report of its own (a build, a document) is one test more only when it fails, so that nothing is lost; a fuzz target,
the soak, the schedules and the kills are always one test each.

The tests of C++ and the two halves of the Python tests run beside each other, for many of them wait: each knows its own processes, and what others could
see comes and goes. One half needs the Python package alone, and runs while the compiler makes the rest.

--only runs those of the steps of --all whose name has STEP in it, and may be given several times: --only asan is "build asan" and "ctest asan".
The table before the last line says what each step took and found, and which steps were left out.
"""

import argparse
import contextlib
import itertools
import os
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import run_fuzz
from source_files import ROOT

REPORTS = ROOT / "build" / "reports"
SANITIZER_OPTIONS = {
    # What is freed is kept from being used again, but no more than this: tests bound the memory of their processes.
    "ASAN_OPTIONS": "quarantine_size_mb=16:detect_leaks=1:detect_stack_use_after_return=1:strict_string_checks=1:check_initialization_order=1",
    "LSAN_OPTIONS": "report_objects=1",
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
    # Children are made by threads of a program that has several; that is what an agent is for.
    "TSAN_OPTIONS": f"halt_on_error=1:second_deadlock_stack=1:die_after_fork=0:suppressions={ROOT / 'tests' / 'kit' / 'tsan.supp'}",
}
LINES_SAID = 20  # of each test that failed, once more at the end
SCHEDULE_STEPS = 10_000_000
KILLS = {"OCTAVO_KILLS": "500"}  # how often the other side of a link is killed, each time at another instant
# How ctest's report words a test that asked to be skipped, in contrast to one whose program could not be run.
SKIPPED_ON_PURPOSE = ("SKIP_REGULAR_EXPRESSION_MATCHED", "SKIP_RETURN_CODE")


@dataclass
class Totals:
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    names: list[str] = field(default_factory=list)  # of what failed: tests, where a report names them, else the step

    def __iadd__(self, other: "Totals") -> "Totals":
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        self.names += other.names
        return self

    def __str__(self) -> str:
        return f"{self.passed} passed, {self.failed} failed" + (f", {self.skipped} skipped" if self.skipped else "")


@dataclass
class Step:
    name: str
    command: list[str]
    report: Path | None = None  # JUnit, written by ctest or pytest
    environment: dict[str, str] = field(default_factory=dict)
    needed: bool = False  # nothing after it makes sense if it fails
    fine: tuple[int, ...] = (0,)  # exit statuses that are no failure
    one_test: bool = False  # counted also when it passes
    skipped: str | None = None  # why it cannot be done here
    beside: str = ""  # those that follow each other and have the same word here run at once
    after: str = ""  # the step of those at once that must have succeeded first


def failure_of(case: ElementTree.Element) -> Totals:
    """Its name, and what it said at its end: all that is seen where only the end of a long output is shown."""
    name = " ".join(dict.fromkeys(filter(None, (case.get("classname"), case.get("name")))))
    found = (case.find(each) for each in ("failure", "error", "system-out"))
    said = next((each.text for each in found if each is not None and each.text), "")
    return Totals(failed=1, names=["\n    ".join([name, *said.strip().splitlines()[-LINES_SAID:]])])


def count_report(text: str) -> Totals:
    totals = Totals()
    for case in ElementTree.fromstring(text).iter("testcase"):
        skipped = case.find("skipped")
        words = skipped.get("message") or "" if skipped is not None else ""
        if case.find("failure") is not None or case.find("error") is not None or case.get("status") == "fail":
            totals += failure_of(case)
        elif case.get("status") == "notrun":
            totals += Totals(skipped=1) if words.startswith(SKIPPED_ON_PURPOSE) else failure_of(case)
        elif skipped is not None or case.get("status") == "disabled":
            totals.skipped += 1
        else:
            totals.passed += 1
    return totals


def read_report(path: Path | None) -> Totals:
    if path is None or not path.exists():
        return Totals()
    try:
        return count_report(path.read_text(errors="replace"))
    except ElementTree.ParseError as problem:  # whoever wrote it died on the way, or a test printed what XML cannot hold
        print(f"=== {path} cannot be read: {problem}")
        return Totals(failed=1)


def run(step: Step, log: IO[str] | None = None) -> Totals:
    """``log``: what it prints goes there."""
    if step.skipped is not None:
        print(f"=== {step.name}: skipped: {step.skipped}", flush=True)
        return Totals(skipped=1)
    print(f"=== {step.name}" + (f", whose output follows later, and is in {log.name}" if log else ""), flush=True)
    if step.report:
        step.report.unlink(missing_ok=True)
    begun = time.monotonic()
    output: dict[str, Any] = {"stdout": log, "stderr": subprocess.STDOUT} if log else {}
    status = subprocess.run(step.command, cwd=ROOT, env={**os.environ, **step.environment}, check=False, **output).returncode
    totals = read_report(step.report)
    if status not in step.fine and totals.failed == 0:
        print(f"=== {step.name}: ended with status {status}")
        totals.failed = 1
    elif step.one_test:
        totals.passed = 1
    if totals.failed and not totals.names:
        totals.names = [step.name]
    print(f"=== {step.name}: {'failed' if totals.failed else 'ok'}, {time.monotonic() - begun:.1f} s", flush=True)
    return totals


def timed(step: Step, log: IO[str] | None = None) -> tuple[Totals, str]:
    """What it found, and the line that says so."""
    begun = time.monotonic()
    result = run(step, log)
    return result, f"=== {time.monotonic() - begun:8.1f} s  {step.name}: {result}"


def run_beside(together: list[Step]) -> list[tuple[Totals, str]]:
    """All at once. The first one's output is seen as it comes, the others' one after the other when all have ended."""
    if len(together) == 1:
        return [timed(together[0])]
    ends: dict[str, Future[Totals]] = {step.name: Future() for step in together}

    def in_its_turn(step: Step, log: IO[str] | None) -> tuple[Totals, str]:
        found = Totals(), f"===  not run  {step.name}: {step.after} failed"
        try:
            if step.after not in ends or not ends[step.after].result().failed:
                found = timed(step, log)
        finally:
            ends[step.name].set_result(found[0])
        return found

    with contextlib.ExitStack() as opened, ThreadPoolExecutor(len(together)) as pool:
        logs = [opened.enter_context((REPORTS / f"{step.name.replace(' ', '-')}.log").open("w+", errors="replace")) for step in together[1:]]
        results = list(pool.map(in_its_turn, together, [None, *logs]))
        for step, log in zip(together[1:], logs, strict=True):
            print(f"=== the output of {step.name}")
            log.seek(0)
            shutil.copyfileobj(log, sys.stdout)
    return results


def ctest(preset: str, environment: dict[str, str] | None = None, wrapper: list[str] | None = None, **more: Any) -> Step:
    report = REPORTS / f"ctest-{preset}.xml"
    command = [*(wrapper or []), "ctest", "--test-dir", f"build/{preset}", "--output-on-failure", "--no-tests=error", "-j2"]
    return Step(f"ctest {preset}", [*command, "--output-junit", str(report)], report, environment or {}, **more)


def pytest(name: str, chosen: list[str], **more: Any) -> Step:
    report = REPORTS / f"{name}.xml"
    path = f"{Path(sys.prefix) / 'bin'}:{os.environ.get('PATH', '')}"
    command = [sys.executable, "-m", "pytest", *chosen, "-q", f"--junitxml={report}", "-o", f"cache_dir=.cache/{name}"]
    return Step(name, command, report, {"PATH": path}, **more)


def release_tests() -> list[Step]:
    """Two halves of Python. Not by chance: tests of scratch files (named) look at what all jobs of the user have open."""
    others, objects = ["tests/python"], [f"tests/python/{each}" for each in ("objects", "stores", "array", "buffered", "streams")]
    build = ["./dev", "build", "release"]
    return [
        Step("build package", [*build, "octavo_package", "programs_mailer", "programs_streamer"], needed=True),  # programs of C++ that Python's tests start
        Step("build release", build, beside="tests"),
        ctest("release", beside="tests", after="build release"),
        pytest("pytest", others + [f"--ignore={each}" for each in objects], beside="tests", after="build release"),
        pytest("pytest-objects", objects, beside="tests"),
    ]


def slow_pytest() -> Step:
    none_collected = 5
    return pytest("pytest-slow", ["tests/python", "-m", "slow"], fine=(0, none_collected))


def without_randomized_addresses() -> list[str]:
    """g++ 12's sanitizers fail at random where the kernel randomizes with more bits than they know; some containers forbid this."""
    wrapper = ["setarch", "-R"]
    try:
        return wrapper if subprocess.run([*wrapper, "true"], capture_output=True, check=False).returncode == 0 else []
    except FileNotFoundError:
        return []


def soak(seconds: int) -> Step:
    """One test: the main job, the examples and random programs on a machine busier than its cores."""
    return Step("soak", [sys.executable, "tests/soak", "--seconds", str(seconds)], one_test=True)


def schedules(steps: int) -> Step:
    """One test: endpoints without processes on very many schedules (tests/schedule); ctest takes the first hundred thousand steps."""
    program = "build/release/tests/schedule_tests"
    return Step("schedule", [program, "--gtest_brief=1"], environment={"OCTAVO_SCHEDULE_STEPS": str(steps)}, one_test=True)


def kills() -> Step:
    """One test: the other side of a link by files, and sessions of sftp, are killed at 500 instants; ctest does it a few times."""
    chosen = "--gtest_brief=1 '--gtest_filter=*_Killed*:*SessionsThatAreKilled*'"
    both = " && ".join(f"build/release/tests/{each}_tests {chosen}" for each in ("unit", "conformance"))
    return Step("kills", ["sh", "-c", both], environment=KILLS, one_test=True)


def fuzzing() -> list[Step]:
    """One test a target; one after the other, each has its own time."""
    targets = run_fuzz.targets()
    if reason := run_fuzz.why_not():
        return [Step(f"fuzz {target}", [], skipped=reason) for target in targets]
    build = Step("build fuzz", ["./dev", "build", "fuzz"])
    wrapper = without_randomized_addresses()
    return [
        build,
        *(Step(f"fuzz {name}", [*wrapper, sys.executable, "tools/run_fuzz.py", name], environment=SANITIZER_OPTIONS, one_test=True) for name in targets),
    ]


def steps(everything: bool) -> list[Step]:
    found = [*release_tests(), soak(600 if everything else 60)]
    if not everything:
        return found
    found.append(schedules(SCHEDULE_STEPS))
    found.append(kills())
    found.append(slow_pytest())
    for preset in ("asan", "tsan"):
        found.append(Step(f"build {preset}", ["./dev", "build", preset]))
        found.append(ctest(preset, SANITIZER_OPTIONS, without_randomized_addresses()))
    found += fuzzing()
    found.append(Step("documents", [sys.executable, "tools/run_docs.py"]))
    if (ROOT / "examples" / "demo").exists():
        found.append(Step("demo", [sys.executable, "examples/demo"]))
    return found


def choose(found: list[Step], only: list[str]) -> list[Step]:
    unknown = [name for name in only if not any(name in step.name for step in found)]
    if unknown:
        sys.exit(f"dev: no step has {', '.join(map(repr, unknown))} in its name; there are: {', '.join(step.name for step in found)}")
    return [step for step in found if not only or any(name in step.name for name in only)]


def main() -> int:
    parser = argparse.ArgumentParser(prog="./dev test", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="also slow tests, sanitizers, documents")
    parser.add_argument("--only", action="append", default=[], metavar="STEP", help="of all steps those with this in their names")
    options = parser.parse_args()
    REPORTS.mkdir(parents=True, exist_ok=True)
    found = steps(options.all or bool(options.only))
    chosen = choose(found, options.only)
    totals, lines = Totals(), []
    for _, together in itertools.groupby(chosen, key=lambda step: step.beside or step.name):
        several = list(together)
        for result, line in run_beside(several):
            totals += result
            lines.append(line)
        if totals.failed and several[-1].needed:
            break
    print("\n".join(lines))
    if left_out := [step.name for step in found if step not in chosen]:
        print(f"=== left out: {', '.join(left_out)}")
    for name in totals.names:  # again, as the end of a long output is what is seen of it
        print(f"=== failed: {name}")
    print(totals, flush=True)
    return 1 if totals.failed or not totals.passed else 0


if __name__ == "__main__":
    sys.exit(main())
