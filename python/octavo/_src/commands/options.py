# SPDX-License-Identifier: Apache-2.0
"""The fields of octavo.Target, Budget and RawLayout as options of commands."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any, cast, get_args

import typer

from octavo._src.keywords import raw_of
from octavo.errors import UsageError
from octavo.options import Budget, RawLayout, Target

Chunks = Annotated[str | None, typer.Option(help="Chunk shape of the target, such as 128,128,128; of an .octavo target its pages.")]
Compressor = Annotated[str | None, typer.Option("--compress", help="zstd, gzip or blosc, for a .zarr or .h5 target. None if not given.")]
Level = Annotated[int | None, typer.Option(help="Level of the compressor. Its usual one if not given.")]
Shards = Annotated[str | None, typer.Option(help="Shard shape of a .zarr target, a multiple of its chunks.")]
ZarrFormat = Annotated[int | None, typer.Option(help="Version of a .zarr target: 3 or 2. That of its group, or 3, if not given.")]
Devices = Annotated[str | None, typer.Option(help="Directories on several disks for an .octavo target, such as /d0,/d1.")]
Map = Annotated[str, typer.Option(help="How an .octavo target's pages go to its devices: circulant or block_cyclic.")]
Memory = Annotated[
    str, typer.Option(help="What all processes of the job may use together, such as 512MiB. 1 GiB if not given, or half of what there is, if that is less.")
]
Cores = Annotated[int | None, typer.Option(help="Cores to plan for. Those this program may use if not given.")]
Scratch = Annotated[str, typer.Option(help="Directory for an intermediate, where the plan needs one.")]
Shape = Annotated[str | None, typer.Option(help="Shape of a raw source, such as 512,512,1024.")]
Dtype = Annotated[str | None, typer.Option(help="Element type of a raw source, such as complex64.")]
Offset = Annotated[int, typer.Option(help="Bytes before the first element of a raw source.")]
BigEndian = Annotated[bool, typer.Option("--big-endian", help="A raw source's byte order.")]
Part = Annotated[bool, typer.Option("--part", help="More may follow the array in a raw source.")]


def target_of(
    chunks: Chunks = None,
    compressor: Compressor = None,
    level: Level = None,
    shards: Shards = None,
    zarr_format: ZarrFormat = None,
    devices: Devices = None,
    map: Map = "circulant",
) -> Target:
    """What the target is to be."""
    return Target(
        chunks=integers(chunks, "--chunks"),
        compressor=compressor,
        level=level,
        shards=integers(shards, "--shards"),
        zarr_format=cast("Any", zarr_format),  # 2 and 3 are told from others where it is used
        devices=devices.split(",") if devices else None,
        map=map,
    )


def budget_of(memory: Memory = "", cores: Cores = None, scratch: Scratch = "") -> Budget:
    """What the job may use."""
    return Budget(memory or None, cores, scratch or None)


def layout_of(shape: Shape = None, dtype: Dtype = None, offset: Offset = 0, big_endian: BigEndian = False, part: Part = False) -> RawLayout | None:
    """What is in a raw source; None if nothing is said of it."""
    return raw_of(None, {"shape": integers(shape, "--shape"), "dtype": dtype, "offset": offset, "big_endian": big_endian, "part": part})


# In the signature of a command: the parameters of the function are options, and what it makes of them is the argument.
TargetOptions = Annotated[Target, target_of]
BudgetOptions = Annotated[Budget, budget_of]
RawOptions = Annotated[RawLayout | None, layout_of]


def integers(text: str | None, option: str) -> list[int] | None:
    """ "0,2" as a list."""
    if text is None:
        return None
    try:
        values = [int(part) for part in text.split(",")]
    except ValueError:
        cure = ". octavo info lists the dimensions by name; the first is axis 0" if option == "--axes" else ""
        raise UsageError(f"{option} takes integers with commas between, such as 0,2; not '{text}'{cure}") from None
    if any(abs(value) >= 2**62 for value in values):
        raise UsageError(f"{option} {text} is out of range. Give integers that an array can have")
    return values


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """The command as typer is to see it: with the options of its groups in the place of those."""
    shown: list[inspect.Parameter] = []
    groups: dict[str, Callable[..., object]] = {}
    for each in inspect.signature(command, eval_str=True).parameters.values():
        if (makes := next((made for made in get_args(each.annotation)[1:] if inspect.isfunction(made)), None)) is None:
            shown.append(each)
            continue
        groups[each.name] = makes
        options = inspect.signature(makes, eval_str=True).parameters.values()
        shown += [option.replace(kind=inspect.Parameter.KEYWORD_ONLY) for option in options]

    @functools.wraps(command)
    def run(**given: Any) -> None:
        made = {name: makes(**{option: given.pop(option) for option in inspect.signature(makes).parameters}) for name, makes in groups.items()}
        command(**given, **made)

    run.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in shown}
    return run
