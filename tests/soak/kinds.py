# SPDX-License-Identifier: Apache-2.0
"""What is run: examples, random programs in C++ and Python, the main job (main_job.py). Each run has its known result."""

import os
import random
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
EXAMPLES = ROOT / "examples" / "cpp"


@dataclass
class Run:
    """One command, and what tells whether its result is right: "" or what is wrong with it."""

    command: list[str]
    check: Callable[[], str] = lambda: ""
    environment: dict[str, str] = field(default_factory=dict)


@dataclass
class Kind:
    """`prepare` makes a run in a folder of its own, by a seed."""

    name: str
    prepare: Callable[[Path, int], Run]


def environment(folder: Path, more: dict[str, str]) -> dict[str, str]:
    """Whatever a run writes, it writes into its folder."""
    (folder / "tmp").mkdir(exist_ok=True)
    own = {"TMPDIR": str(folder / "tmp"), "OCTAVO_HOME": str(folder / "home"), "OCTAVO_LASTING_SECONDS": "1"}
    return {**os.environ, "OCTAVO_PATIENCE": "10", **own, **more}  # a lost answer is an error before the run counts as hung


def examples(build: Path) -> list[Kind]:
    return [_example(program, build) for program in sorted(EXAMPLES.glob("[0-9]*")) if (build / "tests" / "examples" / f"example_{program.name}").exists()]


def _example(folder: Path, build: Path) -> Kind:
    program = build / "tests" / "examples" / f"example_{folder.name}"
    command = [str(ROOT / "tests" / "examples" / "run.sh"), str(program), str(folder / "expected_output")]
    return Kind(f"example/{folder.name}", lambda _folder, _seed: Run(command))


def programs(build: Path) -> list[Kind]:
    program = build / "tests" / "soak" / "random_program"
    here = Path(__file__)
    found = [Kind("program/random", _random_program([str(program)], (60, 200, 600)))] if program.exists() else []
    others = [("python", "objects_program.py", (20, 60, 150)), ("named", "named_program.py", (20, 60)), ("buffered", "buffered_program.py", (100, 300, 1000))]
    for name, program, lengths in others:
        found.append(Kind(f"program/{name}", _random_program([sys.executable, str(here.with_name(program))], lengths)))
    return found


def _random_program(command: list[str], lengths: tuple[int, ...]) -> Callable[[Path, int], Run]:
    def prepare(folder: Path, seed: int) -> Run:
        def check() -> str:
            last = (folder / "output").read_text(errors="replace").splitlines()[-1:]
            return "" if last == [f"seed {seed}: all as expected"] else f"its last line is {last}"

        return Run([*command, str(seed), str(random.Random(seed).choice(lengths))], check)

    return prepare
