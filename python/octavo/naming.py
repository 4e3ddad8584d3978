# SPDX-License-Identifier: Apache-2.0
"""What has a name outlives the program, and any program of this user opens it by that: objects, and arrays, whose devices are such objects.

>>> counter = octavo.named("ov://home/counter").make(Counter, 5)  # of a class that other programs can import, too
>>> same = octavo.open("ov://home/counter", Counter)              # in another program, or after a crash
>>> octavo.naming.save(same)                                      # its state is on the disk when this returns
>>> octavo.destroy(same)                                          # its name is free again
>>> a = octavo.named("ov://home/turbulence").make_array((512, 512, 512), (64, 64, 64), "complex64", ["/d0/t", ("/d1/t", "box")])
>>> octavo.named("ov://home/rows").make_array((64, 64), (8, 64), "float64", ["a", "b"], map="block_cyclic:4")  # the first half on a, the second on b
>>> octavo.named("ov://home/density").make_array("density.zarr")  # processes over an array that is stored
>>> same = octavo.open_array("ov://home/turbulence", mode="r+")   # in another program, at the same time or a year later
>>> [each.name for each in octavo.naming.names("ov://home")]
>>> octavo.naming.destroy_array("ov://home/turbulence")           # its names and processes end; the pages stay where they are

The same as octavo/process/named.hpp and octavo/data/named_array.hpp in C++, whose programs open arrays that these make (objects of Python classes are
Python's). All of it needs a Runtime, and the first use begins one; but for saved_objects() and restore_saved(), which look into the home's files.

The state of an object is what ``pickle`` keeps of it: ``__getstate__`` and ``__setstate__``, if it has them. It is saved when it is made, by save(), when it
rests, when its agent ends in order, and with ``saving_every_call()`` before each reply; what came later is lost in a crash. A class may say
``state_version = 2``, and ``def upgrade_state(self, version)`` then changes what an earlier version wrote.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any, NamedTuple, ParamSpec, SupportsIndex, TypeAlias, TypeVar, cast, overload

import numpy as np

from octavo import _core
from octavo._src.paths import AnyPath, absolute, name_of
from octavo._src.saved_objects import SavedObject, restore_saved, saved_objects
from octavo._src.validation import element_type, integers, memory_bytes
from octavo.errors import UsageError
from octavo.objects import current
from octavo.objects.named.making import begin_named, restore_previous, save
from octavo.objects.places import Maker

if TYPE_CHECKING:
    import numpy.typing as npt

    from octavo.array import Array
    from octavo.objects.futures import Future

__all__ = [
    "NamedFacts",
    "NamedPlace",
    "SavedObject",
    "destroy_array",
    "end_lasting_agent",
    "names",
    "restore_previous",
    "restore_saved",
    "save",
    "saved_objects",
]
P = ParamSpec("P")
T = TypeVar("T")
Extents: TypeAlias = SupportsIndex | Sequence[SupportsIndex]
File: TypeAlias = AnyPath | tuple[AnyPath, str]
Time: TypeAlias = float | timedelta


class NamedFacts(NamedTuple):
    """Of what has a name: an object, an array, one of its devices."""

    name: str
    class_name: str
    pid: int  # 0: it rests
    generation: int  # how often its state was saved
    made: float  # seconds since 1970


class NamedPlace(Maker):
    """A place for one object or array, with its name: from octavo.named. Each option gives another place."""

    def __init__(self, place: _core.NamedPlace, name: str, machine: str = "") -> None:
        self._place, self._name, self._machine = place, name, machine

    def _with(self, place: _core.NamedPlace) -> NamedPlace:
        return NamedPlace(place, self._name, self._machine)

    def make(self, function: Callable[P, T], /, *arguments: P.args, **keywords: P.kwargs) -> T:
        """An object of a class, or what a function returns, which outlives the program; a remote pointer to it.

        Its class is imported by later programs, so it stands in a module: one of ``__main__`` is a UsageError. Refused: the name is taken. What the
        constructor raised is raised, and the name stays free.
        """
        return cast(T, self._begin(function, arguments, keywords).result())

    def _begin(self, function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Future[Any]:
        return begin_named(self._place, self._machine, function, arguments, keywords)

    def on(self, machine: str) -> NamedPlace:
        """The name belongs to this machine of the Runtime, and the object is there."""
        return NamedPlace(self._place.on(machine), self._name, machine)

    def saving_every_call(self) -> NamedPlace:
        """A reply goes when the state that it leaves is on the disk. Of no array, whose calls change none."""
        return self._with(self._place.saving_every_call())

    def __repr__(self) -> str:
        return f"<octavo place: named '{self._name}'>"

    def resting_after(self, idle: Time) -> NamedPlace:
        """What nobody calls for so long (seconds, or a timedelta) is saved and ends, and the next call brings it back."""
        return self._with(self._place.resting_after(_seconds(idle)))

    def restart_when_called(self, restarts: int = 3, within: Time = 60.0) -> NamedPlace:
        """What died by accident comes back with the next call, at most so often in so long; then calls are refused until somebody opens it. This is
        what happens if none of these is asked for."""
        return self._with(self._place.restart_when_called(_count(restarts), _seconds(within)))

    def restart_always(self, restarts: int = 3, within: Time = 60.0) -> NamedPlace:
        """The same, but at once, without a call."""
        return self._with(self._place.restart_always(_count(restarts), _seconds(within)))

    def restart_never(self) -> NamedPlace:
        """Calls fail with ProcessDied until somebody opens it."""
        return self._with(self._place.restart_never())

    @overload
    def make_array(
        self,
        shape: Extents,
        page: Extents,
        dtype: npt.DTypeLike,
        files: Sequence[File],
        *,
        map: str | npt.ArrayLike = ...,
        staging: int | str = ...,
        cache: int | str = ...,
    ) -> Array: ...
    @overload
    def make_array(self, path: AnyPath, /, *, staging: int | str = ..., cache: int | str = ...) -> Array: ...
    def make_array(
        self,
        shape: Extents | AnyPath,
        page: Extents | None = None,
        dtype: npt.DTypeLike | None = None,
        files: Sequence[File] | None = None,
        *,
        map: str | npt.ArrayLike | None = None,
        staging: int | str = "8MiB",
        cache: int | str = 0,
    ) -> Array:
        """An array whose devices are processes with names, open for reading and writing.

        ``shape``, ``page``, ``dtype``, ``files``: its pages go in turn to page files, each made if it is not there: a path, or a path and the name of
        another machine of this program's Runtime. Or ``path``: over what is stored there (an .octavo array, an uncompressed .zarr, an .npy file).
        map: which page goes to which file: circulant (if none is given), block_cyclic, or block_cyclic:N for blocks of N pages; or an array of integers,
        ``map[i, j] == (file, number)``: page (i, j) of the grid of pages is this one of that file. It is saved with the array.
        staging, cache: bytes of each device for buffers at the disk, and of pages read ahead or written behind.
        Refused: the name is taken. NotSupported: another library decodes what is stored. Then nothing is made but page files, which stay.
        """
        memory = memory_bytes(staging, 0), memory_bytes(cache, 0)
        if page is None and dtype is None and files is None:
            path = absolute(shape)  # type: ignore[arg-type]
            current.begin()
            if map is not None:
                raise UsageError(f"a map for '{path}', whose pages have their places. Give none, or shape, page, dtype and files of a new array")
            self._place.make_array_over(path, *memory)
        elif page is None or dtype is None or files is None:
            raise UsageError("make_array() takes shape, page, dtype and files, or the path of what is stored. Give all four, or the path alone")
        else:
            extents, pages = integers(shape, "shape", 0, self._name), integers(page, "page", 1, self._name)  # type: ignore[arg-type]
            if len(pages) != len(extents):
                raise UsageError(f"page {pages} of '{self._name}' of shape {extents}. Give one extent for each of the {len(extents)} axes")
            kind, where = element_type(dtype).name, _files(files)
            grid = tuple(-(-extent // page) for extent, page in zip(extents, pages, strict=True))
            dealt = _map(map, grid)
            current.begin()
            self._place.make_array(list(extents), list(pages), kind, where, *dealt, *memory)
        from octavo.array import open_array

        return open_array(self._name, mode="r+")


def named(name: str) -> NamedPlace:
    """The place of an object or array with this name ("ov://home/turbulence", or without the "ov://"), which outlives the program."""
    if not isinstance(name, str) or not name.removeprefix("ov://"):
        raise UsageError(f"octavo.named({name!r}) has no name. Write octavo.named('ov://home/counter').make(Class); octavo.process.make(Class) for one without")
    return NamedPlace(_core.NamedPlace(name), _address(name))


def destroy_array(name: str) -> None:
    """Ends all of its names and processes, past those that are gone. The pages stay in their files. UsageError: no array has the name."""
    current.begin()
    _core.destroy_array(name)


def names(prefix: str = "", *, machine: str = "local") -> list[NamedFacts]:
    """What has a name at ``prefix`` and below on a machine, sorted; all if it is empty."""
    current.begin()
    return [NamedFacts(*each) for each in _core.names(prefix, machine)]


def end_lasting_agent(machine: str = "local") -> None:
    """Ends the processes of all that has a name on a machine, of all programs, once their state is saved. Whoever calls them next brings them back."""
    current.begin()
    _core.end_lasting_agent(machine)


def _address(name: str) -> str:
    return name if name.startswith("ov://") else f"ov://{name}"


def _files(files: Sequence[File]) -> list[tuple[str, str]]:
    """Path and machine of each; no machine: this one, where a path is to stay right whatever the directory of the device's process."""
    if isinstance(files, str | bytes) or not isinstance(files, Sequence):
        raise UsageError(f"files {files!r}. Give a list of paths, or of paths with the name of a machine")
    found = []
    for each in files:
        if isinstance(each, tuple):
            if len(each) != 2 or not isinstance(each[1], str):
                raise UsageError(f"the page file {each!r}. Give its path, or the two of its path and the name of a machine")
            found.append((name_of(each[0], "the path of a page file"), each[1]))
        else:
            found.append((absolute(each, "the path of a page file"), ""))
    return found


def _map(map: str | npt.ArrayLike | None, grid: tuple[int, ...]) -> tuple[str, list[tuple[int, int]] | None]:
    """The name of a map that is computed; or the places of the pages, in C order."""
    if map is None or isinstance(map, str):
        return map or "circulant", None
    table = np.asarray(map)
    if table.dtype.kind not in "iu":
        raise UsageError(f"a map of {table.dtype}. Give a name such as 'block_cyclic:4', or integers: the file and the number there of each page")
    if table.shape != (*grid, 2):
        raise UsageError(f"a map of shape {table.shape} for a grid of {grid} pages. Give one of shape {(*grid, 2)}: the file and the number there of each page")
    return "", [(file, number) for file, number in table.reshape(-1, 2).tolist()]


def _seconds(time: Time) -> float:
    return time.total_seconds() if isinstance(time, timedelta) else float(time)


def _count(restarts: int) -> int:
    if not 0 <= restarts < 2**32:
        raise UsageError(f"{restarts} restarts. Give 0 or more")
    return restarts
