# SPDX-License-Identifier: Apache-2.0
"""The command line: octavo fft | ifft | info."""

from __future__ import annotations

import signal
import sys
from typing import Annotated

import typer

from octavo import _core, fft
from octavo.errors import Error, UsageError
from octavo.source import info as open_info

app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False, help="Arrays larger than memory.")

Source = Annotated[str, typer.Argument(help="A Zarr v3 directory, an .npy file, or a raw file with --shape and --dtype.")]
Target = Annotated[str, typer.Argument(help="The result: its ending (.zarr, .npy, .raw) is its format.")]
Axes = Annotated[str | None, typer.Option(help="Axes to transform, such as 0,2. All if not given.")]
Norm = Annotated[str, typer.Option(help="backward, ortho or forward, as in SciPy.")]
Memory = Annotated[str, typer.Option(help="What all processes of the job may use together, such as 512MiB.")]
Chunks = Annotated[str | None, typer.Option(help="Chunk shape of a Zarr target, such as 128,128,128.")]
Scratch = Annotated[str, typer.Option(help="Directory for an intermediate, where the plan needs one.")]
Overwrite = Annotated[bool, typer.Option(help="Replace a target that exists, once the new one is whole.")]
Plan = Annotated[bool, typer.Option("--plan", help="Print the plan and stop.")]
Shape = Annotated[str | None, typer.Option(help="Shape of a raw source, such as 512,512,1024.")]
Dtype = Annotated[str | None, typer.Option(help="Element type of a raw source, such as complex64.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress, no report.")]


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


@app.command("fft")
def forward(
    source: Source,
    target: Target,
    axes: Axes = None,
    norm: Norm = "backward",
    memory: Memory = "1GiB",
    chunks: Chunks = None,
    scratch: Scratch = "",
    overwrite: Overwrite = False,
    plan: Plan = False,
    shape: Shape = None,
    dtype: Dtype = None,
    quiet: Quiet = False,
) -> None:
    """The N-D Fourier transform of an array on disk."""
    transform(False, source, target, axes, norm, memory, chunks, scratch, overwrite, plan, shape, dtype, quiet)


@app.command("ifft")
def inverse(
    source: Source,
    target: Target,
    axes: Axes = None,
    norm: Norm = "backward",
    memory: Memory = "1GiB",
    chunks: Chunks = None,
    scratch: Scratch = "",
    overwrite: Overwrite = False,
    plan: Plan = False,
    shape: Shape = None,
    dtype: Dtype = None,
    quiet: Quiet = False,
) -> None:
    """The inverse N-D Fourier transform of an array on disk."""
    transform(True, source, target, axes, norm, memory, chunks, scratch, overwrite, plan, shape, dtype, quiet)


@app.command("info")
def show(source: Source, shape: Shape = None, dtype: Dtype = None) -> None:
    """What an array on disk is: format, shape, chunks, dtype, bytes."""
    found = open_info(source, shape=integers(shape, "--shape"), dtype=dtype)
    typer.echo(f"{found.path}: {found.format}, {' x '.join(map(str, found.shape))} {found.dtype}, {_core.format_bytes(found.nbytes)}")
    if found.chunk != found.shape:
        typer.echo(f"chunks of {' x '.join(map(str, found.chunk))}")
    if found.big_endian:
        typer.echo("big-endian")


def transform(
    is_inverse: bool,
    source: str,
    target: str,
    axes: str | None,
    norm: str,
    memory: str,
    chunks: str | None,
    scratch: str,
    overwrite: bool,
    plan_only: bool,
    shape: str | None,
    dtype: str | None,
    quiet: bool,
) -> None:
    """Plans, and unless only the plan is wanted, runs with a progress bar and reports."""
    job = fft.Job(
        source,
        target,
        axes=integers(axes, "--axes"),
        inverse=is_inverse,
        norm=norm,
        memory=memory,
        chunks=integers(chunks, "--chunks"),
        scratch=scratch,
        overwrite=overwrite,
        shape=integers(shape, "--shape"),
        dtype=dtype,
    )
    if plan_only:
        typer.echo(job.plan)
        return
    report = run(job, target, quiet)
    if quiet:
        return
    size = _core.format_bytes
    passes = "1 pass" if job.passes == 1 else f"{job.passes} passes"
    typer.echo(f"{target}: {report.seconds:.2f} s, {size(report.bytes_moved)} read and written in {passes}, {report.gb_per_second:.2f} GB/s")
    typer.echo(
        f"memory: peak {size(report.memory_peak - report.program_peak)} of {size(report.memory_budget)} and 2 MiB for each of {report.processes} processes; "
        f"{size(report.program_peak)} in this program"
    )


def run(job: fft.Job, target: str, quiet: bool) -> fft.Report:
    """Runs with a progress bar unless quiet; Ctrl-C is status 130 and a line that says what is left."""
    from octavo.progress import Bar

    try:
        if quiet:
            return job.run()
        with Bar() as bar:
            return job.run(bar.show)
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # it ends already: a second one would only tear the words apart
        print(f"octavo: stopped; what was written so far is '{target}.unfinished'", file=sys.stderr)
        raise typer.Exit(130) from None


def main() -> int:
    """Runs the command line; an error is one paragraph on standard error and a status that is not 0."""
    try:
        app()
    except Error as error:
        print(f"octavo: {error}", file=sys.stderr)
        return 1
    return 0
