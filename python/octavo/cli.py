# SPDX-License-Identifier: Apache-2.0
"""The command line: octavo fft | ifft | copy | info of _src/commands/jobs.py, ps | kill | ls | restore | machines of watching.py there,
check of checking.py and debug of debugging.py there."""

from __future__ import annotations

import io
import os
import sys
import warnings
from pathlib import Path
from typing import Annotated, Any

import typer

from octavo import __version__, _core
from octavo._src.commands import checking, debugging, jobs, watching
from octavo._src.commands.saying import name_output
from octavo._src.commands.stopping import Stopped, end_by_signals
from octavo._src.paths import shown
from octavo.errors import Error, ProcessDied, RemoteError, UsageError

TRACEBACK = "OCTAVO_TRACEBACK"
WRONG_USE: type[Exception] = next(each for each in typer.BadParameter.__mro__ if each.__name__ == "ClickException")  # typer has it from click, or its own

# Plain help: to draw boxes takes longer than all else together.
app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False, rich_markup_mode=None, help="Arrays larger than memory.")


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


@app.callback()
def octavo(version: Version = False, cmake_dir: CmakeDir = False) -> None:
    """Arrays larger than memory."""


jobs.add_commands(app)
watching.add_commands(app)
checking.add_commands(app)
debugging.add_commands(app)


def main() -> int:
    """Runs the command line; an error is one paragraph on standard error and a status that is not 0."""
    warnings.showwarning = say_warning
    try:
        end_by_signals()
        name_output()
        status = app(standalone_mode=False)  # else typer itself says what is wrong with the arguments, as they are
    except Error as error:
        complain(str(error), keep="\n" if isinstance(error, ProcessDied | RemoteError) else "")  # the last lines of a process
        return 1
    except MemoryError as error:
        complain(str(error) or "there is not enough memory. Raise the limit (ulimit -v), or free some")
        return 1
    except WRONG_USE as wrong:
        return explain(wrong)
    except Exception as defect:
        if os.environ.get(TRACEBACK):
            raise
        complain(f"{type(defect).__name__}: {defect}. This is a defect of Octavo: please report what {TRACEBACK}=1 makes it print")
        return 1
    except Stopped as stop:
        print("octavo: stopped", file=sys.stderr)
        return stop.status
    return status if isinstance(status, int) else 0


def explain(wrong: Any) -> int:
    """What typer says of arguments, which others may have named: shown, not obeyed."""
    said = io.StringIO()
    wrong.show(said)
    print(shown(said.getvalue(), keep="\n"), end="", file=sys.stderr)
    status: int = wrong.exit_code
    return status


def say_warning(message: Warning | str, *_: object, **__: object) -> None:
    """One line, and not the line of code that gave it."""
    complain(str(message))


def complain(message: str, keep: str = "") -> None:
    """On standard error, as one paragraph whatever files and processes put into it."""
    print(f"octavo: {shown(in_options(message), keep)}", file=sys.stderr)


def in_options(message: str) -> str:
    """An error as the command line says it: what Python's callers write as overwrite=True is --overwrite here."""
    for python, option in (("overwrite=True", "--overwrite"), ("unpack=True", "--unpack"), ("unpack=False", "--no-unpack")):
        message = message.replace(python, option)
    return message
