# SPDX-License-Identifier: Apache-2.0
"""The commands octavo fft | ifft | copy | info."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from octavo import _core
from octavo._src.commands.options import BudgetOptions, RawOptions, TargetOptions, integers, with_options
from octavo._src.commands.saying import say, say_json, saying_that_it_is_done
from octavo._src.commands.stopping import saying_what_is_left
from octavo._src.commands.tables import table
from octavo._src.paths import shown
from octavo.errors import NotSupported, UsageError

if TYPE_CHECKING:  # these import NumPy, which octavo --help need not wait for
    from octavo._src.groups.nodes import GroupNode
    from octavo.job import Job, Report
    from octavo.phases import Phase

Source = Annotated[str, typer.Argument(help="Zarr, HDF5 (file.h5/dataset), .npy, an .octavo array, ov://name, or a raw file with --shape and --dtype.")]
Target = Annotated[str, typer.Argument(help="The result: its ending (.zarr, .h5, .npy, .raw, .octavo) is its format; or ov://name, which is written in place.")]
Axes = Annotated[str | None, typer.Option(help='Axes to transform, such as 0,2. All if not given, none if it is "".')]
Norm = Annotated[str, typer.Option(help="backward, ortho or forward, as in SciPy.")]
Overwrite = Annotated[bool, typer.Option(help="Replace a target that exists, once the new one is whole.")]
Plan = Annotated[bool, typer.Option("--plan", help="Print the plan and stop.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress, no report.")]
Json = Annotated[bool, typer.Option("--json", help="All that is known, exact, for programs: JSON, where NaN, Infinity and -Infinity are text.")]
Phases = Annotated[bool, typer.Option("--report", help="Also say where each process spent its time.")]
Timeline = Annotated[str | None, typer.Option(help="A .json file, for Perfetto, of which process was in which phase when. --overwrite replaces one, too.")]
Unpacked = Annotated[bool | None, typer.Option("--unpack/--no-unpack", help="Of a packed source (scale_factor, _FillValue): its values, or what is stored.")]
JsonReport = Annotated[bool, typer.Option("--json", help="The report as JSON, for programs; no progress.")]


def transform(
    context: typer.Context,
    source: Source,
    target: Target,
    *,
    axes: Axes = None,
    norm: Norm = "backward",
    budget: BudgetOptions,
    target_as: TargetOptions,
    overwrite: Overwrite = False,
    plan: Plan = False,
    raw: RawOptions,
    unpack: Unpacked = None,
    quiet: Quiet = False,
    report: Phases = False,
    timeline: Timeline = None,
    json: JsonReport = False,
) -> None:
    """The N-D Fourier transform, or its inverse, of an array on disk."""
    from octavo.job import Job

    chosen = [] if axes == "" else integers(axes, "--axes")  # of a script's list, which may be empty
    operation = context.info_name or "fft"
    how: dict[str, Any] = {"overwrite": overwrite, "timeline": timeline, "target_as": target_as, "budget": budget, "raw": raw, "unpack": unpack}
    carry_out(Job(source, target, operation, axes=chosen, norm=norm, **how), plan, Told(quiet, report, json))


def copy(
    source: Source,
    target: Target,
    *,
    budget: BudgetOptions,
    target_as: TargetOptions,
    overwrite: Overwrite = False,
    plan: Plan = False,
    raw: RawOptions,
    unpack: Unpacked = None,
    quiet: Quiet = False,
    report: Phases = False,
    timeline: Timeline = None,
    json: JsonReport = False,
) -> None:
    """Another format, other chunks, other disks: the same array."""
    from octavo.job import Job

    job = Job(source, target, "copy", overwrite=overwrite, timeline=timeline, target_as=target_as, budget=budget, raw=raw, unpack=unpack)
    carry_out(job, plan, Told(quiet, report, json))


def show(source: Source, *, raw: RawOptions, json: Json = False) -> None:
    """What an array on disk is: format, shape, chunks, dtype, bytes; of a group, the tree of what it holds."""
    from octavo._src.commands.group_tree import group_or_none
    from octavo._src.packed import said
    from octavo.source import info

    try:
        found = info(source, raw=raw)
    except (UsageError, NotSupported):
        if raw is not None or (group := group_or_none(source)) is None:
            raise
        show_group(group, json)
        return
    if json:
        from octavo._src.stores.elements import strict_json

        say_json(strict_json(asdict(found)), allow_nan=False)
        return
    shaped = " x ".join(map(str, found.shape)) or "one"
    say(f"{shown(found.path)}: {found.format}, {shaped} {found.dtype}, {_core.format_bytes(found.nbytes)}")
    if found.chunk != found.shape:
        say(f"{'pages' if found.format == 'octavo' else 'chunks'} of {' x '.join(map(str, found.chunk))}")
    if found.shards:
        say(f"shards of {' x '.join(map(str, found.shards))}")
    if found.codecs:
        smaller = f", {found.ratio:.2f} times smaller" if found.ratio else ""
        say(f"encoded by {', '.join(map(shown, found.codecs))}{smaller}{', natively' if found.native else ''}")
    if found.big_endian:
        say("big-endian")
    if found.dims:
        say(f"dimensions {', '.join(shown(name or '-') for name in found.dims)}")
    if found.packed:
        say(f"packed: {shown(said(found.packed))}. octavo copy --unpack, and fft --unpack, take the values")
    if not found.native:
        library = "h5py" if found.format == "hdf5" else "zarr-python"
        say(f"read through {library}: encoded in a way that Octavo does not have itself, or otherwise not as it is in memory")
    for file in found.devices:
        say(f"on {shown(file)}")


def show_group(group: GroupNode, json: bool) -> None:
    from octavo._src.commands.group_tree import json_of, lines_of

    if json:
        say_json(json_of(group), allow_nan=False)
        return
    for line in lines_of(group):
        say(line)


class Told(NamedTuple):
    """What is said of a job that ran: nothing of how it goes, where its time went, all of it as JSON."""

    quiet: bool
    phases: bool
    json: bool


def carry_out(job: Job, plan: bool, told: Told) -> None:
    """Says the plan, if only that is wanted; else runs with a progress bar and reports, unless quiet."""
    if plan:
        say(job.plan)
        return
    report = run(job, told.quiet or told.json)
    with saying_that_it_is_done(job.target):
        say_outcome(report, job, told)


def say_outcome(report: Report, job: Job, told: Told) -> None:
    if told.json:
        say_json(asdict(report))
        return
    if not told.quiet:
        say_report(report, job)
    if told.phases:
        say(phases_table(report))


def phases_table(report: Report) -> str:
    """A line for each process: seconds of each phase, and MB/s where something is moved."""
    from octavo.phases import NAMES

    rows = [
        [each.name, *(phase_text(getattr(each.phases, name)) for name in NAMES), f"{each.phases.idle:.2f}", f"{each.phases.wall:.2f}"] for each in report.phases
    ]
    head = ["PROCESS", *(name.upper() for name in NAMES), "IDLE", "WALL"]
    return table(head, rows, right=head[1:]) + "\nin seconds; behind @, MB/s in the time in which something of the kind was under way"


def phase_text(phase: Phase) -> str:
    """ "1.25 @ 812"; "-" where there was nothing of it."""
    if phase.under_way == 0 and phase.bytes == 0:
        return "-"
    return f"{phase.seconds:.2f}" + (f" @ {phase.mb_per_second:.0f}" if phase.bytes else "")


def run(job: Job, quiet: bool) -> Report:
    """With a progress bar unless quiet."""
    with saying_what_is_left(job.made_path):
        if quiet:
            return job.run()
        from octavo.progress import Bar

        with Bar() as bar:
            return job.run(bar.show)


def say_report(report: Report, job: Job) -> None:
    """What a job took."""
    from octavo._src.stores.contract import PROCESS_BYTES

    size = _core.format_bytes
    passes = "1 pass" if job.passes == 1 else f"{job.passes} passes"
    say(f"{shown(job.target)}: {report.seconds:.2f} s, {size(report.bytes_moved)} read and written in {passes}, {report.gb_per_second:.2f} GB/s")
    if not report.memory_peak:  # it ran beside arrays with names, where others use memory as well
        own = "1 process" if report.processes == 1 else f"{report.processes} processes"
        say(f"memory: {size(report.memory_budget)} for {own} and what they hold; devices that were there are not counted")
        return
    others = "" if not report.interpreters else f", {report.interpreters} of which also hold an interpreter (up to {size(PROCESS_BYTES)})"
    say(
        f"memory: peak {size(report.memory_peak - report.program_peak)} of {size(report.memory_budget)} and 2 MiB for each of {report.processes} processes"
        f"{others}; {size(report.program_peak)} in this program"
    )


def add_commands(app: typer.Typer) -> None:
    """Puts them on the command line."""
    app.command("fft", help="The N-D Fourier transform of an array on disk.")(with_options(transform))
    app.command("ifft", help="The inverse N-D Fourier transform of an array on disk.")(with_options(transform))
    app.command("copy")(with_options(copy))
    app.command("info")(with_options(show))
