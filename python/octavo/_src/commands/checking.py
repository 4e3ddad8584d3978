# SPDX-License-Identifier: Apache-2.0
"""The command octavo check."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from octavo import _core
from octavo._src.commands.saying import say
from octavo._src.commands.stopping import stop_once
from octavo._src.commands.watching import Json, say_all
from octavo._src.paths import shown
from octavo.errors import UsageError

if TYPE_CHECKING:
    from octavo._src.checking.finding import Finding, Value

Directory = Annotated[str, typer.Option(help="Whose disk is tried; nothing is left in it.")]


Engine = Annotated[str, typer.Option(help="Tries other machines instead: slurm (in a job), ssh:NODE,NODE or played:NODE,NODE.")]
Link = Annotated[str, typer.Option(help="What the bytes go over to them: ssh, tls, files or files:DIRECTORY.")]
Address = Annotated[str, typer.Option(help="Of this machine, for --link tls: numeric, or a network interface's name.")]


def check(directory: Directory = ".", engine: Engine = "", link: Link = "", address: Address = "", json: Json = False) -> None:
    """Whether this machine, or those of an engine, are ready and how fast: what to attach to a bug report. Status 1 if something does not work."""
    from octavo._src.checking.machines import engine_from
    from octavo._src.checking.sections import run, run_on

    if (link or address) and not engine:
        raise UsageError("--link and --address are of the machines of an engine. Give --engine ssh:NODE,NODE or --engine slurm, too")
    stop_once()
    found: list[Finding] = []
    for section in run_on(engine_from(engine, link, address)) if engine else run(directory):
        found += section
        if not json:
            show(section)
    broken = [f"{each.section}: {each.name}" for each in found if not each.works]
    if json:
        say_all(found)
    else:
        say(f"does not work: {', '.join(broken)}" if broken else "all works")
    if broken:
        raise typer.Exit(1)


def show(section: Sequence[Finding]) -> None:
    """The lines of a section below its name. A terminal breaks what is too long for it, so that a command can still be copied from it."""
    from rich.console import Console
    from rich.text import Text

    def part(text: str, style: str = "") -> Text:  # in which rich looks for no markup
        return Text(shown(text), style)

    console = Console(highlight=False, soft_wrap=True)
    console.print(part(section[0].section, "bold"))
    cells = [(each.name, said(each.value, each.unit), f"of {said(each.limit, each.unit)}" if each.limit is not None else "") for each in section]
    first, second, third = (max((len(line[i]) for line in cells if len(line[i]) <= 60 or i == 0), default=0) for i in range(3))
    for each, (name, value, limit) in zip(section, cells, strict=True):
        line = part(f"  {name.ljust(first)}  ")
        line.append(part(value.ljust(second), "" if each.works else "bold red"))
        line.append(part(f"  {limit.ljust(third)}", "dim"))
        line.append(part(f"  {each.cure}", "yellow"))
        line.rstrip()
        console.print(line)


def said(value: Value, unit: str) -> str:
    """For people: three digits, and bytes as everywhere."""
    if isinstance(value, bool | str) or value is None:
        return shown(str(value))
    if unit == "bytes":
        return _core.format_bytes(int(value))
    number = f"{value:,.0f}" if abs(value) >= 1000 and unit else f"{value:.3g}" if isinstance(value, float) else str(value)
    return f"{number} {unit}".rstrip()


def add_commands(app: typer.Typer) -> None:
    """Puts it on the command line."""
    app.command("check")(check)
