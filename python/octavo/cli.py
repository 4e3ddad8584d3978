# SPDX-License-Identifier: Apache-2.0
"""The command line: octavo fft | ifft | copy | info, and of _src/watch_commands.py ps | kill | ls | restore | machines."""

from __future__ import annotations

import os
import signal
import sys
import warnings
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from octavo import __version__, _core
from octavo._src.paths import shown
from octavo._src.watch_commands import add_commands
from octavo.errors import Error, UsageError

if TYPE_CHECKING:  # these import NumPy, which octavo --help need not wait for
    from octavo.job import Job, Report

TRACEBACK = "OCTAVO_TRACEBACK"
ENDING = (signal.SIGTERM, signal.SIGHUP)

# Plain help: to draw boxes takes longer than all else together.
app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False, rich_markup_mode=None, help="Arrays larger than memory.")

Source = Annotated[str, typer.Argument(help="Zarr, HDF5 (file.h5/dataset), .npy, an .octavo array, or a raw file with --shape and --dtype.")]
Target = Annotated[str, typer.Argument(help="The result: its ending (.zarr, .h5, .npy, .raw, .octavo) is its format.")]
Axes = Annotated[str | None, typer.Option(help="Axes to transform, such as 0,2. All if not given.")]
Norm = Annotated[str, typer.Option(help="backward, ortho or forward, as in SciPy.")]
Memory = Annotated[str, typer.Option(help="What all processes of the job may use together, such as 512MiB.")]
Cores = Annotated[int | None, typer.Option(help="Cores to plan for. Those this program may use if not given.")]
Chunks = Annotated[str | None, typer.Option(help="Chunk shape of the target, such as 128,128,128; of an .octavo target its pages.")]
Compressor = Annotated[str | None, typer.Option("--compress", help="zstd, gzip or blosc, for a .zarr or .h5 target. None if not given.")]
Shards = Annotated[str | None, typer.Option(help="Shard shape of a .zarr target, a multiple of its chunks.")]
Devices = Annotated[str | None, typer.Option(help="Directories on several disks for an .octavo target, such as /d0,/d1.")]
Map = Annotated[str, typer.Option(help="How an .octavo target's pages go to its devices: circulant or block_cyclic.")]
ZarrFormat = Annotated[int | None, typer.Option(help="Version of a .zarr target: 3 or 2. That of its group, or 3, if not given.")]
Scratch = Annotated[str, typer.Option(help="Directory for an intermediate, where the plan needs one.")]
Overwrite = Annotated[bool, typer.Option(help="Replace a target that exists, once the new one is whole.")]
Plan = Annotated[bool, typer.Option("--plan", help="Print the plan and stop.")]
Shape = Annotated[str | None, typer.Option(help="Shape of a raw source, such as 512,512,1024.")]
Dtype = Annotated[str | None, typer.Option(help="Element type of a raw source, such as complex64.")]
Offset = Annotated[int, typer.Option(help="Bytes before the first element of a raw source.")]
BigEndian = Annotated[bool, typer.Option("--big-endian", help="A raw source's byte order.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress, no report.")]


def say_version(wanted: bool) -> None:
    """Of the package, and what does the transforms in it: whoever passes it on has to know."""
    if wanted:
        kernels = _core.kernel_names()
        terms = "so this build is under the GPL where it is passed on" if "FFTW" in kernels else "nothing here is under the GPL"
        typer.echo(f"octavo {__version__}\ntransforms by {kernels[0]}: {terms}")
        raise typer.Exit


def say_cmake_dir(wanted: bool) -> None:
    """For cmake -Doctavo_DIR=..."""
    if wanted:
        folder = Path(__file__).resolve().parent / "cmake"
        if not folder.is_dir():
            raise UsageError("this Octavo is no wheel, and has no C++ headers beside it. Give find_package what cmake --install made")
        typer.echo(folder)
        raise typer.Exit


Version = Annotated[bool, typer.Option("--version", callback=say_version, is_eager=True, help="Print the version and which FFT library is in, and stop.")]
CmakeDir = Annotated[bool, typer.Option("--cmake-dir", callback=say_cmake_dir, is_eager=True, help="Print where CMake's find_package finds it, and stop.")]
Json = Annotated[bool, typer.Option("--json", help="All that is known, exact, for programs: JSON, where NaN, Infinity and -Infinity are text.")]


@app.callback()
def octavo(version: Version = False, cmake_dir: CmakeDir = False) -> None:
    """Arrays larger than memory."""


def integers(text: str | None, option: str) -> list[int] | None:
    """ "0,2" as a list."""
    if text is None:
        return None
    try:
        values = [int(part) for part in text.split(",")]
    except ValueError:
        raise UsageError(f"{option} takes integers with commas between, such as 0,2; not '{text}'") from None
    if any(abs(value) >= 2**62 for value in values):
        raise UsageError(f"{option} {text} is out of range. Give integers that an array can have")
    return values


def transform(
    context: typer.Context,
    source: Source,
    target: Target,
    axes: Axes = None,
    norm: Norm = "backward",
    memory: Memory = "1GiB",
    cores: Cores = None,
    chunks: Chunks = None,
    compress: Compressor = None,
    shards: Shards = None,
    devices: Devices = None,
    map: Map = "circulant",
    zarr_format: ZarrFormat = None,
    scratch: Scratch = "",
    overwrite: Overwrite = False,
    plan: Plan = False,
    shape: Shape = None,
    dtype: Dtype = None,
    offset: Offset = 0,
    big_endian: BigEndian = False,
    quiet: Quiet = False,
) -> None:
    """Plans, and unless only the plan is wanted, runs with a progress bar and reports."""
    from octavo.job import Job

    job = Job(
        source,
        target,
        context.info_name or "fft",
        axes=integers(axes, "--axes"),
        norm=norm,
        memory=memory,
        cores=cores,
        chunks=integers(chunks, "--chunks"),
        compressor=compress,
        shards=integers(shards, "--shards"),
        devices=devices.split(",") if devices else (),
        map=map,
        zarr_format=zarr_format,
        scratch=scratch,
        overwrite=overwrite,
        shape=integers(shape, "--shape"),
        dtype=dtype,
        offset=offset,
        big_endian=big_endian,
    )
    if plan:
        typer.echo(job.plan)
        return
    report = run(job, quiet)
    if not quiet:
        say(report, job)


app.command("fft", help="The N-D Fourier transform of an array on disk.")(transform)
app.command("ifft", help="The inverse N-D Fourier transform of an array on disk.")(transform)


@app.command("copy")
def copy(
    context: typer.Context,
    source: Source,
    target: Target,
    memory: Memory = "1GiB",
    cores: Cores = None,
    chunks: Chunks = None,
    compress: Compressor = None,
    shards: Shards = None,
    devices: Devices = None,
    map: Map = "circulant",
    zarr_format: ZarrFormat = None,
    scratch: Scratch = "",
    overwrite: Overwrite = False,
    plan: Plan = False,
    shape: Shape = None,
    dtype: Dtype = None,
    offset: Offset = 0,
    big_endian: BigEndian = False,
    quiet: Quiet = False,
) -> None:
    """Another format, other chunks, other disks: the same array."""
    transform(
        context,
        source,
        target,
        None,
        "backward",
        memory,
        cores,
        chunks,
        compress,
        shards,
        devices,
        map,
        zarr_format,
        scratch,
        overwrite,
        plan,
        shape,
        dtype,
        offset,
        big_endian,
        quiet,
    )


@app.command("info")
def show(source: Source, shape: Shape = None, dtype: Dtype = None, offset: Offset = 0, big_endian: BigEndian = False, json: Json = False) -> None:
    """What an array on disk is: format, shape, chunks, dtype, bytes."""
    from octavo.source import info

    found = info(source, shape=integers(shape, "--shape"), dtype=dtype, offset=offset, big_endian=big_endian)
    if json:
        from dataclasses import asdict
        from json import dumps

        from octavo._src.stores.elements import strict_json

        typer.echo(dumps(strict_json(asdict(found)), indent=2, allow_nan=False))
        return
    shaped = " x ".join(map(str, found.shape)) or "one"
    typer.echo(f"{shown(found.path)}: {found.format}, {shaped} {found.dtype}, {_core.format_bytes(found.nbytes)}")
    if found.chunk != found.shape:
        typer.echo(f"{'pages' if found.format == 'octavo' else 'chunks'} of {' x '.join(map(str, found.chunk))}")
    if found.big_endian:
        typer.echo("big-endian")
    if found.dims:
        typer.echo(f"dimensions {', '.join(name or '-' for name in found.dims)}")
    if not found.native:
        typer.echo(f"read through {'h5py' if found.format == 'hdf5' else 'zarr-python'}: compressed, sharded or otherwise not as it is in memory")
    for file in found.devices:
        typer.echo(f"on {shown(file)}")


add_commands(app)


def say(report: Report, job: Job) -> None:
    """What a job took."""
    from octavo._src.stores.contract import PROCESS_BYTES

    size = _core.format_bytes
    passes = "1 pass" if job.passes == 1 else f"{job.passes} passes"
    typer.echo(f"{shown(job.target)}: {report.seconds:.2f} s, {size(report.bytes_moved)} read and written in {passes}, {report.gb_per_second:.2f} GB/s")
    others = "" if not report.interpreters else f", {report.interpreters} of which also hold an interpreter (up to {size(PROCESS_BYTES)})"
    typer.echo(
        f"memory: peak {size(report.memory_peak - report.program_peak)} of {size(report.memory_budget)} and 2 MiB for each of {report.processes} processes"
        f"{others}; {size(report.program_peak)} in this program"
    )


def run(job: Job, quiet: bool) -> Report:
    """Runs with a progress bar unless quiet; Ctrl-C is status 130, SIGTERM 143, SIGHUP 129, and a line that says what is left."""
    try:
        if quiet:
            return job.run()
        from octavo.progress import Bar

        with Bar() as bar:
            return job.run(bar.show)
    except (KeyboardInterrupt, Stopped) as stop:
        for each in (signal.SIGINT, *ENDING):
            signal.signal(each, signal.SIG_IGN)  # it ends already: a second one would only tear the words apart
        print(f"octavo: stopped; what it had written to '{job.made_path}' is removed", file=sys.stderr)
        raise typer.Exit(stop.status if isinstance(stop, Stopped) else 130) from None


class Stopped(BaseException):
    """A signal has asked the command to end; ``status`` is what a shell shows for it."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.status = 128 + number


def end_by_signals() -> None:
    """SIGTERM and SIGHUP stop a job as Ctrl-C does, unless whoever began us has them ignored (nohup)."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise Stopped(number)

    for each in ENDING:
        if signal.getsignal(each) == signal.SIG_DFL:
            signal.signal(each, stop)


def main() -> int:
    """Runs the command line; an error is one paragraph on standard error and a status that is not 0."""
    warnings.showwarning = say_warning
    try:
        end_by_signals()
        app()
    except Error as error:
        print(f"octavo: {in_options(str(error))}", file=sys.stderr)
        return 1
    except MemoryError as error:
        print(f"octavo: {error or 'there is not enough memory. Raise the limit (ulimit -v), or free some'}", file=sys.stderr)
        return 1
    except Exception as defect:
        if os.environ.get(TRACEBACK):
            raise
        print(f"octavo: {type(defect).__name__}: {defect}. This is a defect of Octavo: please report what {TRACEBACK}=1 makes it print", file=sys.stderr)
        return 1
    except Stopped as stop:
        print("octavo: stopped", file=sys.stderr)
        return stop.status
    return 0


def say_warning(message: Warning | str, *_: object, **__: object) -> None:
    """One line, and not the line of code that gave it."""
    print(f"octavo: {in_options(str(message))}", file=sys.stderr)


def in_options(message: str) -> str:
    """An error as the command line says it: what Python's callers write as overwrite=True is --overwrite here."""
    return message.replace("overwrite=True", "--overwrite")
