# SPDX-License-Identifier: Apache-2.0
"""octavo.distributed.DistributedArray: see octavo.distributed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, SupportsIndex, TypeAlias

import numpy as np
import numpy.typing as npt

from octavo import _core
from octavo._src.paths import AnyPath
from octavo._src.validation import element_type
from octavo.distributed import disk, fft, reductions
from octavo.distributed.elementwise import Elementwise
from octavo.distributed.split import Halo, Split, chosen, known
from octavo.distributed.values import element_bytes
from octavo.errors import UsageError
from octavo.objects.groups import group as groups
from octavo.objects.groups.group import Group
from octavo.objects.pointers import Pointer
from octavo.options import Target

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from octavo.options import TargetKeywords

Boundary: TypeAlias = Literal["nearest", "reflect", "periodic", "none"] | complex


class DistributedArray(Elementwise):
    """An array of which each member of a group has a part, from octavo.distributed.zeros and the like. A small value: as an argument it finds the member's own
    part. DA-1 to DA-9 of docs/contract.md.

    ``local``, ``with_halo``, ``local_indices`` and what is known of all of it cost no message. All else is collective: in a method all members call it, with
    the same arguments; outside of them one call does it for all.
    """

    def __init__(self, body: _core.Distributed) -> None:
        """For octavo.distributed."""
        self._body = body
        _, shape, dtype, self._split_facts, self._group_facts, hosts = body.facts(False)
        self.shape: tuple[int, ...] = tuple(shape)
        self.dtype = np.dtype(dtype)
        self._split: Split | None = None
        self._hosts = tuple(hosts)
        self._with_halo: npt.NDArray[Any] | None = None
        self._local: npt.NDArray[Any] | None = None

    def __repr__(self) -> str:
        halo = f", halo {self.split.widths}" if any(self.split.widths) else ""
        dist = "" if self.split.in_blocks else f", {self.split.dists}"
        hosts = ", ".join(f"{host} x {self._hosts.count(host)}" for host in dict.fromkeys(self._hosts))
        return f"<octavo.distributed array of {self.shape} {self.dtype}, split {self.split.grid}{dist}{halo}, on {hosts}>"

    def __reduce__(self) -> tuple[Any, ...]:
        id, shape, dtype, _, facts, hosts = self._body.facts(True)
        return _known, (id, shape, dtype, self.split, facts.facts(), hosts)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError(f"len() of {self!r}, which has no axis")
        return self.shape[0]

    @property
    def global_shape(self) -> tuple[int, ...]:
        """The same as ``shape``: of all of it."""
        return self.shape

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return int(np.prod(self.shape, dtype=object))

    @property
    def split(self) -> Split:
        """How it lies over the members."""
        if self._split is None:
            self._split = known(self._split_facts)
        return self._split

    @property
    def hosts(self) -> tuple[str, ...]:
        """The machine of each member, by index."""
        return self._hosts

    @property
    def group(self) -> Group[Any]:
        id, class_name, addresses, lives = self._group_facts.facts()
        return groups.known(id, class_name, addresses, lives, tuple(Pointer(*address, class_name, None) for address in addresses))

    @property
    def with_halo(self) -> npt.NDArray[Any]:
        """This member's elements with the border around them; where ``local`` lies, too."""
        if self._with_halo is None:
            wide, memory = tuple(self._body.wide), self._body.memory()
            self._with_halo = np.frombuffer(memory, self.dtype).reshape(wide) if 0 not in wide else np.empty(wide, self.dtype)
        return self._with_halo

    @property
    def local(self) -> npt.NDArray[Any]:
        """This member's own elements. No copy: what is written to it is written to the array. UsageError outside of the members."""
        if self._local is None:
            wide = self.with_halo
            self._local = wide[tuple(slice(width, extent - width) for width, extent in zip(self.split.widths, wide.shape, strict=True))]
        return self._local

    @local.setter
    def local(self, value: npt.ArrayLike) -> None:
        """For ``a.local += 1``."""
        if value is not self.local:
            self.local[...] = value

    def local_indices(self, axis: SupportsIndex) -> npt.NDArray[np.int64]:
        """Where this member's elements are in the array, along the axis."""
        number = axis.__index__()
        return np.array(self._body.indices(number + self.ndim if number < 0 else number), np.int64)

    @property
    def local_slices(self) -> tuple[slice, ...]:
        """The same of all axes, where the elements are a box in the array. UsageError where they are dealt out in turns."""
        if not self.split.in_blocks:
            raise UsageError(f"the elements of {self!r} are no box: they are dealt out in turns. Ask for local_indices(axis)")
        firsts = [self._body.indices(axis)[:1] or [0] for axis in range(self.ndim)]
        return tuple(slice(first, first + extent) for (first,), extent in zip(firsts, self._body.extents, strict=True))

    def exchange_halo(self, boundary: Boundary = "nearest") -> None:
        """Fills the border of each member with what its neighbours have there, and beyond the edge of the array with: the element at the edge ("nearest"),
        the array mirrored ("reflect"), its other side ("periodic"), a value; "none" leaves that part as it is."""
        if isinstance(boundary, str):
            self._body.exchange_halo(boundary, b"")
        else:
            self._body.exchange_halo("", element_bytes(boundary, self.dtype, "boundary"))

    def resplit(self, split: Split | None = None, *, axis: SupportsIndex | None = None, halo: Halo | None = None) -> DistributedArray:
        """A new array of the same elements, split otherwise."""
        return DistributedArray(self._body.resplit(chosen(split, axis, halo, self.ndim, len(self._hosts)).made()))

    def gather(self, root: int = 0, *, out: npt.NDArray[Any] | None = None) -> npt.NDArray[Any] | None:
        """All of it, at this member and outside of the members; None elsewhere. ``out``: an array to put it into, of this shape and dtype, in C order."""
        if not isinstance(root, SupportsIndex) or not 0 <= root.__index__() < len(self._hosts):
            raise UsageError(f"root {root!r} of {self!r}. Name a member by its index, from 0 to {len(self._hosts) - 1}")
        if not self._body.is_gathered_here(root):
            self._body.gather(root, None)
            return None
        if out is not None and (out.shape != self.shape or out.dtype != self.dtype or not out.flags.c_contiguous or not out.flags.writeable):
            raise UsageError(f"out of {out.shape} {out.dtype} for all of {self!r}. Give one of its shape and dtype, in C order, that can be written to")
        result = np.empty(self.shape, self.dtype) if out is None else out
        self._body.gather(root, result)
        return result

    def _like(self, dtype: np.dtype[Any]) -> DistributedArray:
        """In a member: a new one of the same split, whose elements are not set."""
        return DistributedArray(self._body.like(element_type(dtype).name))

    def _transformed(self, operation: str, s: None = None, axes: int | Sequence[int] | None = None, norm: str | None = None) -> DistributedArray:
        """For octavo.fft."""
        return fft.transform(self, operation, s, axes, norm)

    def sum(self, axis: reductions.Axis = None, dtype: None = None, out: None = None, keepdims: bool = False, **others: Any) -> Any:
        """Of all elements; the same at all members. Integers are added up in 64 bits, numbers of single precision in double.

        ``axis``: along this one, or these: an array of the others, split as this one is there. Where the axis is split, it lies at the first of the members
        along it. ``keepdims``: with those axes, of one element.
        """
        return reductions.reduced(self, "sum", axis, keepdims, {"dtype": dtype, "out": out, **others})

    def prod(self, axis: reductions.Axis = None, dtype: None = None, out: None = None, keepdims: bool = False, **others: Any) -> Any:
        return reductions.reduced(self, "prod", axis, keepdims, {"dtype": dtype, "out": out, **others})

    def min(self, axis: reductions.Axis = None, out: None = None, keepdims: bool = False, **others: Any) -> Any:
        """NaN where an element is. UsageError without elements."""
        return reductions.reduced(self, "min", axis, keepdims, {"out": out, **others})

    def max(self, axis: reductions.Axis = None, out: None = None, keepdims: bool = False, **others: Any) -> Any:
        return reductions.reduced(self, "max", axis, keepdims, {"out": out, **others})

    def mean(self, axis: reductions.Axis = None, dtype: None = None, out: None = None, keepdims: bool = False, **others: Any) -> Any:
        return reductions.reduced(self, "mean", axis, keepdims, {"dtype": dtype, "out": out, **others})

    def any(self, axis: reductions.Axis = None, out: None = None, keepdims: bool = False, **others: Any) -> Any:
        """Whether an element is not zero; along an axis 1 or 0 of type uint8."""
        return reductions.reduced(self, "any", axis, keepdims, {"out": out, **others})

    def all(self, axis: reductions.Axis = None, out: None = None, keepdims: bool = False, **others: Any) -> Any:
        return reductions.reduced(self, "all", axis, keepdims, {"out": out, **others})

    def var(self, axis: reductions.Axis = None, dtype: None = None, out: None = None, ddof: int = 0, keepdims: bool = False, **others: Any) -> Any:
        """Around the mean, over the number of elements less ``ddof``; of integers in double. Along an axis NumPy makes arrays beside, as large as a member's
        part. UsageError without elements."""
        return reductions.variance(self, axis, ddof, keepdims, {"dtype": dtype, "out": out, **others}, root=False)

    def std(self, axis: reductions.Axis = None, dtype: None = None, out: None = None, ddof: int = 0, keepdims: bool = False, **others: Any) -> Any:
        return reductions.variance(self, axis, ddof, keepdims, {"dtype": dtype, "out": out, **others}, root=True)

    def to_disk(
        self, path: AnyPath, *, target: Target | None = None, overwrite: bool = False, memory: int | str = "256MiB", **options: Unpack[TargetKeywords]
    ) -> None:
        """Makes an array on disk of it, as octavo.create_array does, which is on the disk when this returns. Each member writes its own elements within
        ``memory``, so its machine must see the path; all at once, but one after the other where a compressed chunk may be of several. What fails, at whichever
        member, leaves nothing at the path, and an old array there as it was."""
        disk.write(self, path, target, overwrite, memory, options)

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]:
        raise UsageError(f"{self!r} was to become a NumPy array, and nothing is gathered without a word. Use a.local in a member, or a.gather()")


def _known(id: int, shape: list[int], dtype: str, split: Split, group: tuple[Any, ...], hosts: list[str]) -> DistributedArray:
    return DistributedArray(_core.known_distributed(id, shape, dtype, split.made(), _core.known_group(*group), hosts))
