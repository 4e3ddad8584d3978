# SPDX-License-Identifier: Apache-2.0
"""A turbulence-like field several times larger than the memory budget: made, transformed, its power spectrum plotted. ./dev demo [OPTIONS]

Checks, and ends with a status that is not 0 if one fails: each element of the transform against what was drawn, Parseval's
theorem, the slope of the spectrum, the memory budget. Then transforms a measured MRI volume and compares it with scipy.fft.
Removes what it wrote, except the picture.
"""

import argparse
import contextlib
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import field
import mri
import octavo as ov
import plot
import spectrum
from blocks import ACCESS
from transform import memory_kept, memory_line, size, summary, transform

ROOT = Path(__file__).resolve().parents[2]
WITHIN_SLOPE = 0.03  # of -5/3
WITHIN_PARSEVAL = 1e-6  # relative: float32 has 6e-8
WITHIN_ELEMENT = 1e-6  # of the largest element
WITHIN_SCIPY = 1e-12  # of the largest element: the volume's transform is complex128

failures: list[str] = []


def check(good: bool, what: str) -> str:
    """Notes what is wrong; the word for the line that says it."""
    if not good:
        failures.append(what)
    return "ok" if good else "WRONG"


def chunk_of(n: int) -> tuple[int, int, int]:
    """64^3 for large fields: 1 MiB of float32, whole blocks of the disk. Small ones have up to 8 chunks along an axis, none below 16^3."""
    return (64 if n >= 256 else max(16, -(-n // 8)),) * 3


def make_field(folder: Path, drawn: field.Drawn, memory: str) -> tuple[Path, float]:
    """The field's path, and the sum of its squares. The drawn spectrum and the complex field are gone at the end."""
    drawn_path, complex_path, path = (folder / f"{name}.zarr" for name in ("drawn", "complex", "field"))
    chunk = chunk_of(drawn.n)
    begin = time.perf_counter()
    field.write_drawn(drawn_path, drawn, chunk)
    drew = time.perf_counter()
    back = transform(ov.Job(drawn_path, complex_path, "ifft", memory=memory, chunks=chunk))
    shutil.rmtree(drawn_path)
    kept = time.perf_counter()
    squares = field.write_real_part(complex_path, path, chunk)
    end = time.perf_counter()
    shutil.rmtree(complex_path)
    found = ov.info(path)
    times, budget = found.nbytes / back.memory_budget, size(back.memory_budget)
    print(f"field     {' x '.join(map(str, found.shape))} {found.dtype}, {size(found.nbytes)}: {times:.2g} times the budget of {budget}; {path}")
    print(f"          a spectrum with random phases, written block by block ({drew - begin:.1f} s), ifft by Octavo ({back.seconds:.1f} s),")
    print(f"          real part kept, block by block ({end - kept:.1f} s); each open array may use {size(ACCESS)}")
    check(memory_kept(back), f"the inverse transform's memory: {memory_line(back)}")
    return path, squares


def transform_field(source: Path, target: Path, memory: str) -> ov.job.Report:
    """The job this is about."""
    chunk = ov.info(source).chunk
    job = ov.Job(source, target, memory=memory, chunks=chunk)
    print(f'\ntransform octavo.Job("{source.name}", "{target.name}", memory="{memory}", chunks={chunk})')
    for line in summary(job.plan):
        print(f"          {line}")
    report = transform(job)
    print(f"          {report.seconds:.1f} s, {size(report.bytes_moved)} read and written, {report.gb_per_second:.2f} GB/s")
    print(f"          {memory_line(report)}: {check(memory_kept(report), 'the memory of the transform')}")
    return report


def measure(target: Path, drawn: field.Drawn, squares: float, report: ov.job.Report, picture: Path) -> None:
    """The power spectrum, what is known of it, and its picture."""
    begin = time.perf_counter()
    sums = spectrum.measure(target, drawn)
    energy = spectrum.energy(sums, drawn.shape)
    inertial = (3 * field.ENERGETIC, int(0.45 * drawn.n))
    slope, _ = spectrum.fit(energy, *inertial)
    elements = drawn.n**3
    parseval = abs(float(sums.power.sum()) / elements / squares - 1)
    error = sums.error / sums.largest
    print(f"\nspectrum  octavo.open_array(...)[block], block by block within {size(ACCESS)}: {time.perf_counter() - begin:.1f} s")
    good = check(abs(slope - field.SLOPE) <= WITHIN_SLOPE, f"the slope is {slope}")
    print(f"          slope over k = {inertial[0]} to {inertial[1]}: {slope:.4f}, -5/3 is {field.SLOPE:.4f} (allowed: {WITHIN_SLOPE}): {good}")
    good = check(parseval <= WITHIN_PARSEVAL, f"Parseval's theorem is off by {parseval}")
    print(f"          Parseval, sum |f|^2 = sum |F|^2 / N: relative difference {parseval:.1e}: {good}")
    good = check(error <= WITHIN_ELEMENT, f"an element differs by {error} of the largest")
    print(f"          all {elements:,} elements against what was drawn: largest error {error:.1e} of the largest element: {good}")

    title = f"Power spectrum of a turbulence-like field, {drawn.n} × {drawn.n} × {drawn.n} float32"
    of_budget = f"{size(4 * elements)}, {4 * elements / report.memory_budget:.2g} times the budget of {size(report.memory_budget)}"
    peak = size(report.memory_peak - report.program_peak)
    facts = f"{of_budget}; transformed in {report.seconds:.1f} s, {report.gb_per_second:.2f} GB/s, peak {peak}"
    drew = plot.draw(picture, energy, inertial, slope, title, facts)
    print(f"\nplot      {picture if drew else 'none: matplotlib is not installed. Get it with: pip install matplotlib'}")


def measured_volume(folder: Path) -> None:
    """The MRI volume."""
    try:
        done = mri.compare(folder)
    except mri.Missing as missing:
        print(f"\nMRI       left out: {missing} is not installed. Get it with: pip install {missing}")
        return
    scan, shape = done.volume, " x ".join(map(str, done.volume.shape))
    print(f"\nMRI       a measured one, if small: fMRI scan of nibabel, {shape} {scan.dtype}, {scan.shape[0]} volumes of {size(scan.elements[0].nbytes)}")
    as_it_is = f"raw, offset {scan.offset}, {'big' if scan.big_endian else 'little'}-endian"
    print(f"          its .nii file as it is ({as_it_is}) within {size(ACCESS)}, and as .npy within {size(done.memory)}, to {done.result.dtype}")
    good = check(max(done.error, done.raw_error) <= WITHIN_SCIPY, f"the MRI volume's transform differs from SciPy's by {done.raw_error} and {done.error}")
    print(f"          against scipy.fft.fftn: largest error {done.raw_error:.1e} and {done.error:.1e} of the largest element: {good}")
    check(memory_kept(done.report), f"the MRI transform's memory: {memory_line(done.report)}")


@contextlib.contextmanager
def working_folder(parent: Path, keep: bool) -> Iterator[Path]:
    """A new folder in the parent, removed at the end, also after Ctrl-C, unless it is to be kept."""
    parent.mkdir(parents=True, exist_ok=True)
    path = Path(tempfile.mkdtemp(prefix="octavo-demo-", dir=parent))
    try:
        yield path
    finally:
        if not keep:
            shutil.rmtree(path)


def need_disk(folder: Path, n: int) -> None:
    """The drawn spectrum and what it becomes lie side by side for a moment: 16 bytes an element."""
    need, free = 17 * n**3, shutil.disk_usage(folder).free
    if free < need:
        raise SystemExit(f"demo: needs {size(need)} of disk in {folder} for a moment, and {size(free)} are free. Give another --folder, or a smaller --size")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./dev demo", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=448, metavar="N", help="the field is N x N x N, N from 48 to 1600 (default: %(default)s)")
    parser.add_argument("--memory", default="80MiB", help="the budget (default: %(default)s)")
    parser.add_argument("--folder", type=Path, default=ROOT / "build", help="where to write, also demo-spectrum.png (default: build/)")
    parser.add_argument("--keep", action="store_true", help="keep the field, its transform, and the MRI volume and its transforms")
    options = parser.parse_args()
    if not 48 <= options.size <= 1600:
        parser.error(f"--size {options.size} is not from 48 to 1600")
    return options


def main() -> None:
    options = arguments()
    drawn = field.Drawn(options.size)
    try:
        with working_folder(options.folder, options.keep) as folder:
            need_disk(folder.parent, options.size)
            path, squares = make_field(folder, drawn, options.memory)
            target = folder / "transform.zarr"
            report = transform_field(path, target, options.memory)
            measure(target, drawn, squares, report, options.folder / "demo-spectrum.png")
            measured_volume(folder)
            print(f"\n{'kept      ' + str(folder) if options.keep else 'removed all but the plot'}")
    except (ov.Error, OSError) as error:
        raise SystemExit(f"demo: {error}") from None
    except KeyboardInterrupt:
        print("demo: stopped", file=sys.stderr)
        raise SystemExit(130) from None
    if failures:
        raise SystemExit("demo: wrong: " + "; ".join(failures))


if __name__ == "__main__":
    main()
