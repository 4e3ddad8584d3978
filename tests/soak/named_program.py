# SPDX-License-Identifier: Apache-2.0
"""python named_program.py SEED STEPS: a random program of arrays with names, which two programs use at once, each held against NumPy.

Each program reads and writes planes of its own of one array, transforms an array of its own, and kills devices. What a death met is done again.
The last line says whether all was as expected.
"""

import contextlib
import functools
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np
import octavo as ov
from numpy.typing import NDArray

T = TypeVar("T")
SHARED, SHAPE, PAGE = "ov://soak/shared", (24, 20, 18), (5, 6, 7)
PLANES = 12  # of each program; its first page is shared with the other one's last
LONGEST = 25.0  # seconds for a device to come back
OFTEN = 1_000_000


def again(call: Callable[[], T]) -> T:
    end = time.monotonic() + LONGEST
    while True:
        try:
            return call()
        except ov.GoneError:
            if time.monotonic() > end:
                raise


def make(name: str, files: list[str], cache: int) -> ov.Array:
    return ov.named(name).restart_when_called(OFTEN).make_array(SHAPE, PAGE, "complex128", files, cache=cache)


class Part:
    """What one program does."""

    def __init__(self, seed: str, number: int, folder: Path) -> None:
        self.random, self.numbers = random.Random(f"{seed} {number}"), np.random.default_rng([int(seed), number])
        self.first, self.folder = number * PLANES, folder
        self.array = ov.open_array(SHARED, mode="r+")
        self.values = np.zeros((PLANES, *SHAPE[1:]), np.complex128)
        names = [f"ov://soak/own{number}", f"ov://soak/spectrum{number}"]
        files = {each: [str(folder / f"{each[10:]}.{i}") for i in range(2)] for each in names}
        caches = {each: self.random.choice([0, 1 << 20]) for each in names}  # the other program kills devices as they are made, too
        self.own, self.spectrum = (again(functools.partial(make, each, files[each], caches[each])) for each in names)

    def some(self, shape: tuple[int, ...]) -> NDArray[np.complex128]:
        return self.numbers.standard_normal(shape) + 1j * self.numbers.standard_normal(shape)

    def box(self) -> tuple[slice, ...]:
        """Of its own planes, at times with steps along the last axis."""
        ends = [sorted(self.random.sample(range(extent + 1), 2)) for extent in (PLANES, *SHAPE[1:])]
        return (*(slice(*each) for each in ends[:2]), slice(*ends[2], self.random.choice([1, 1, 3])))

    def there(self, box: tuple[slice, ...]) -> tuple[slice, ...]:
        return (slice(box[0].start + self.first, box[0].stop + self.first), *box[1:])

    def write(self) -> None:
        box = self.box()
        self.values[box] = self.some(self.values[box].shape)
        again(lambda: self.array.__setitem__(self.there(box), self.values[box]))

    def read(self) -> None:
        box = self.box()
        assert np.array_equal(again(lambda: self.array[self.there(box)]), self.values[box])

    def flush(self) -> None:
        again(self.array.flush)

    def transform(self) -> None:
        """The source stays as it is, whatever happens."""
        values = self.some(SHAPE)
        again(lambda: self.own.__setitem__(..., values))
        again(lambda: ov.fft.fftn(self.own, out=self.spectrum, memory="8MiB"))
        assert np.allclose(again(lambda: self.spectrum[...]), np.fft.fftn(values))
        assert np.array_equal(again(lambda: self.own[...]), values)

    def copy(self) -> None:
        path = self.folder / f"copy{self.first}.npy"
        again(lambda: ov.copy(self.array, path, overwrite=True, memory="8MiB"))
        assert np.array_equal(np.load(path)[self.first : self.first + PLANES], self.values)

    def kill(self) -> None:
        devices = [each for each in ov.naming.names("soak") if each.class_name == "octavo::PageFile" and each.pid != 0]
        if devices:
            with contextlib.suppress(ProcessLookupError):  # the other program killed it meanwhile
                os.kill(self.random.choice(devices).pid, signal.SIGKILL)

    def open_again(self) -> None:
        self.array = again(lambda: ov.open_array(SHARED, mode="r+"))

    def run(self, steps: int) -> None:
        again(lambda: self.array.__setitem__(slice(self.first, self.first + PLANES), self.values))
        kinds = [self.write] * 4 + [self.read] * 4 + [self.flush, self.transform, self.copy, self.kill, self.open_again]
        for _ in range(steps):
            self.random.choice(kinds)()
        assert np.array_equal(again(lambda: self.array[self.first : self.first + PLANES]), self.values)


def main() -> None:
    seed, steps = sys.argv[1], int(sys.argv[2])
    if len(sys.argv) > 3:
        Part(seed, 1, Path(sys.argv[3])).run(steps)
        return
    with tempfile.TemporaryDirectory() as folder:
        make(SHARED, [f"{folder}/shared.{i}" for i in range(3)], 0)
        other = subprocess.Popen([sys.executable, __file__, seed, str(steps), folder])
        try:
            Part(seed, 0, Path(folder)).run(steps)
        finally:
            ended = other.wait()
        assert ended == 0, f"the other program ended with {ended}"
        for each in {each.name.partition("/device/")[0] for each in ov.naming.names("soak")}:
            ov.naming.destroy_array(each)
        ov.naming.end_lasting_agent()
    print(f"seed {seed}: all as expected")


if __name__ == "__main__":
    main()
