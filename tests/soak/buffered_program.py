# SPDX-License-Identifier: Apache-2.0
"""python buffered_program.py SEED ROUNDS: two processes write to the same rows and chunks of buffered arrays, each its own elements (BA-2, BA-3).

In each round they share out all elements: every other row or column, halves of chunks, single elements. Each writes its own, writes back, and after the barrier
sees those of the other, in every format that two may write to: files, and devices with names. Of the others the second writer is refused.
The last line says whether all was as expected.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
import octavo as ov

SHAPE, CHUNKS = (96, 120), (16, 24)  # of int64: more than the buffers hold
FILES: dict[str, dict[str, Any]] = {"a.raw": {}, "a.npy": {}, "a.zarr": {"chunks": CHUNKS}, "a.octavo": {"chunks": CHUNKS}}
ALONE: dict[str, dict[str, Any]] = {"packed.zarr": {"chunks": CHUNKS, "compressor": "zstd"}, "sharded.zarr": {"chunks": CHUNKS, "shards": (32, 48)}}
NAMED = "ov://soak/buffered"
PLAIN = ("rows", "columns", "halves")  # of devices: each part is a call to one


@dataclass
class Member:
    """Of the two: its barrier is a byte each way, and fails where the other has ended."""

    number: int
    to: IO[bytes]
    by: IO[bytes]

    def barrier(self) -> None:
        self.to.write(b"x")
        self.to.flush()
        if self.by.read(1) != b"x":
            raise SystemExit("the other process has ended")


def mine(pattern: str, number: int, random: np.random.Generator) -> Any:
    """What one of the two writes: an index, or a mask."""
    if pattern == "rows":
        return np.s_[number::2]
    if pattern == "columns":
        return np.s_[:, number::2]
    if pattern == "halves":
        half = CHUNKS[1] // 2
        return np.broadcast_to(np.arange(SHAPE[1]) // half % 2 == number, SHAPE)
    return (random.random(SHAPE) < 0.5) == bool(number)


def write(u: ov.BufferedArray, pattern: str, index: Any, values: Any) -> None:
    if pattern != "halves":
        u[index] = values[index]
        return
    half = CHUNKS[1] // 2
    for lo in range(0, SHAPE[1], half):
        if index[0, lo]:
            u[:, lo : lo + half] = values[:, lo : lo + half]


@contextmanager
def opened(folder: Path, block: tuple[int, ...]) -> Iterator[dict[str, ov.BufferedArray]]:
    with ExitStack() as stack:
        arrays = {}
        for name in (*FILES, NAMED):
            raw = {"shape": SHAPE, "dtype": "int64"} if name == "a.raw" else {}
            place = name if name == NAMED else folder / name
            arrays[name] = stack.enter_context(ov.buffered(place, mode="r+", memory="64KiB", block=None if name == NAMED else block, **raw))
        yield arrays


def run(me: Member, seed: int, rounds: int, folder: Path) -> None:
    random = np.random.default_rng(seed)  # the same for both
    first = np.arange(SHAPE[0] * SHAPE[1], dtype="int64").reshape(SHAPE)
    with opened(folder, ((16, 24), (7, 11), (1, 120))[seed % 3]) as arrays:
        for number in range(1, rounds + 1):
            pattern = ("rows", "columns", "halves", "elements")[random.integers(4)]
            chosen = mine(pattern, me.number, random)
            values = first + number * first.size
            for name, u in arrays.items():
                if name == NAMED and (pattern not in PLAIN or number % 10 != 0):
                    continue
                write(u, pattern, chosen, values)
                if random.integers(3) == 0:
                    u.writeback()
                u.sync(me)
                wrong = int((u[...] != values).sum())
                if wrong:
                    raise SystemExit(f"round {number}, {pattern}: {wrong} elements of {name} are lost")
                me.barrier()
            if number % 20 == 0 and me.number == 0:
                print(f"round {number}", flush=True)


def second_is_refused(folder: Path) -> None:
    for name in ALONE:
        try:
            ov.buffered(folder / name, mode="r+")
        except ov.Refused:
            continue
        raise SystemExit(f"two have {name} for writing")


def make(folder: Path) -> None:
    for name, options in {**FILES, **ALONE}.items():
        ov.create_array(folder / name, SHAPE, "int64", **options).close()
    ov.named(NAMED).make_array(SHAPE, CHUNKS, "int64", [str(folder / f"named.{i}") for i in range(2)]).close()


def main() -> None:
    seed, rounds = int(sys.argv[1]), int(sys.argv[2])
    if len(sys.argv) > 3:
        with open(1, "wb", closefd=False) as to, open(0, "rb", closefd=False) as by:
            second_is_refused(Path(sys.argv[3]))
            run(Member(1, to, by), seed, rounds, Path(sys.argv[3]))
        return
    with tempfile.TemporaryDirectory() as name, ExitStack() as held:
        folder = Path(name)
        make(folder)
        for alone in ALONE:
            held.enter_context(ov.buffered(folder / alone, mode="r+"))
        other = subprocess.Popen([sys.executable, __file__, str(seed), str(rounds), name], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert other.stdin is not None and other.stdout is not None
        try:
            run(Member(0, other.stdin, other.stdout), seed, rounds, folder)
        finally:
            with suppress(BrokenPipeError):
                other.stdin.close()
            ended = other.wait()
        assert ended == 0, f"the other process ended with {ended}"
        held.close()
        ov.naming.destroy_array(NAMED)
        ov.naming.end_lasting_agent()
    print(f"seed {seed}: all as expected")


if __name__ == "__main__":
    main()
