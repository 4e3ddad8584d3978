# SPDX-License-Identifier: Apache-2.0
"""Stages and farms as they are described: what they do, where, with how many workers, and how much may lie before them."""

from __future__ import annotations

import copy
import math
import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, Literal, NamedTuple, TypeVar, cast

from octavo.errors import UsageError
from octavo.objects.places import Place, process
from octavo.streams.boxes import StreamBox
from octavo.streams.fitting import call_in
from octavo.streams.together import Together, is_pipeline

In = TypeVar("In", contravariant=True)
Out = TypeVar("Out", covariant=True)

BOUND_ITEMS, BOUND_BYTES = 256, 64 << 20


def at_least_one(number: int, what: str) -> int:
    if not isinstance(number, int) or number < 1:
        raise UsageError(f"{what} of {number!r}. Give an int of 1 or more")
    return number


class Dealing(NamedTuple):
    """Which worker of a farm an item goes to: who is free, who has its turn, whose key it has; or all of them."""

    kind: str = "free"
    function: Callable[..., Any] | None = None
    gathers: bool = False

    @property
    def to_all(self) -> bool:
        return self.kind in ("all", "parts")


class Stage(Generic[In, Out]):
    """What turns items into items: a function, a generator, an ``async def``, or a class with ``svc(self, item)``, and ``svc_init``, ``svc_end`` if it likes.

    Its one worker is a process of its own, where ``on`` says nothing on this machine. Settings are calls, each of which gives a new description.
    """

    several = False

    def __init__(self, what: Any, arguments: tuple[Any, ...] = (), keywords: dict[str, Any] | None = None) -> None:
        _refuse_stage(what)
        if is_pipeline(what):
            what = Together(what.stages())
        if isinstance(what, type) and call_in(what) is None:
            raise UsageError(f"a stage of {what.__qualname__}, which has no svc. Give it a method svc(self, item)")
        if isinstance(what, StreamBox):
            raise UsageError(f"a stage of {what!r}, where a stream begins or ends. Make it the source, or end in it: s.run(items, into=box)")
        if not callable(what) and not hasattr(what, "svc"):
            raise UsageError(f"a stage of {what!r}. Give a function, or a class with svc(self, item)")
        if not isinstance(what, type) and (arguments or keywords):
            raise UsageError(f"a stage of {what!r} with arguments: these are for a class's constructor. Give functools.partial(function, ...) instead")
        self.what, self.arguments, self.keywords = what, arguments, keywords or {}
        self.name = getattr(what, "__name__", type(what).__name__)
        self.places: Sequence[Place] = (process,)
        self.count = 1
        self.in_order = True
        self.dealing = Dealing()
        self.most_items: float = BOUND_ITEMS
        self.most_bytes = BOUND_BYTES
        self.redoes, self.is_stateless = False, False

    def _joins(self, item: In, /) -> Out:
        """For type checkers: what it takes and gives."""
        raise NotImplementedError

    def _with(self, **settings: Any) -> Any:
        other = copy.copy(self)
        other.__dict__.update(settings)
        return other

    def named(self, name: str) -> Stage[In, Out]:
        """As the report and errors call it."""
        return cast("Stage[In, Out]", self._with(name=name))

    def on(self, places: Place | Iterable[Place]) -> Stage[In, Out]:
        """The workers are dealt to the places in turn."""
        all_of_them = tuple(places) if isinstance(places, Iterable) and not isinstance(places, str) else (places,)
        if not all_of_them:
            raise UsageError("on() of no place. Give one, or leave it out: then it is a process of this machine")
        for place in all_of_them:
            if not isinstance(place, Place):
                raise UsageError(f"on({place!r}). Give a place, or a list of them: octavo.process, octavo.thread, runtime.machine(name)")
        return cast("Stage[In, Out]", self._with(places=all_of_them))

    def bound(self, items: int = BOUND_ITEMS, bytes: int = BOUND_BYTES) -> Stage[In, Out]:
        """How much may lie before it."""
        return cast("Stage[In, Out]", self._with(most_items=at_least_one(items, "a bound"), most_bytes=at_least_one(bytes, "a bound")))

    def unbounded(self, bytes: int = 0) -> Stage[In, Out]:
        """As many items as come, up to so many bytes (0: a quarter of the machine's memory): then an error that names this stage."""
        most = at_least_one(bytes, "a bound") if bytes else os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 4
        return cast("Stage[In, Out]", self._with(most_items=math.inf, most_bytes=most))

    def on_death(self, what: Literal["redo", "error"]) -> Stage[In, Out]:
        """ "redo": what a worker had when its process died is done by another one. "error", if nothing is said: the stream ends."""
        if what not in ("redo", "error"):
            raise UsageError(f"a stage's on_death({what!r}). Say 'redo', or 'error', which it is if nothing is said")
        return cast("Stage[In, Out]", self._with(redoes=what == "redo"))

    def stateless(self) -> Stage[In, Out]:
        """What it gives depends on the item alone, so that another worker may do it once more."""
        return cast("Stage[In, Out]", self._with(is_stateless=True))

    def check(self) -> None:
        """When the stream is built."""
        if self.redoes and not self.is_stateless and (isinstance(self.what, type) or hasattr(self.what, "svc")):
            raise UsageError(
                f"stage '{self.name}' is to be redone, and is of a class, which may have state. Add .stateless(), if what its svc gives depends "
                "on the item alone; or leave on_death() out"
            )

    def worker_count(self) -> int:
        return self.count


def _refuse_stage(what: object) -> None:
    if isinstance(what, Stage):
        raise UsageError(f"a stage of stage '{what.name}'. Give its function or class itself, without stage() or farm() around it")


class Farm(Stage[In, Out]):
    """A stage with several workers, as many as there are cores; results are in the order of the items."""

    several = True

    def __init__(self, what: Any, arguments: tuple[Any, ...] = (), keywords: dict[str, Any] | None = None) -> None:
        super().__init__(what, arguments, keywords)
        self.count = 0

    def workers(self, workers: int) -> Farm[In, Out]:
        """In all, on however many places."""
        return cast("Farm[In, Out]", self._with(count=at_least_one(workers, "a farm")))

    def unordered(self) -> Farm[In, Out]:
        """Results as they come."""
        return cast("Farm[In, Out]", self._with(in_order=False))

    def ordered(self) -> Farm[In, Out]:
        return cast("Farm[In, Out]", self._with(in_order=True))

    def _dealt(self, kind: str, function: Callable[..., Any] | None = None) -> Farm[In, Out]:
        return cast("Farm[In, Out]", self._with(dealing=Dealing(kind, function)))

    def round_robin(self) -> Farm[In, Out]:
        """Items go to the workers in turn, and not to who is free."""
        return self._dealt("turn")

    def by(self, key: Callable[[Any], Any]) -> Farm[In, Out]:
        """Items of one key go to one worker; key is called here."""
        return self._dealt("key", key)

    def broadcast(self) -> Farm[In, Out]:
        """Each item goes to all workers: results of the first, then of the second, and so on."""
        return self._dealt("all")

    def scatter(self, parts: Callable[[Any, int], Sequence[Any]]) -> Farm[In, Out]:
        """``parts(item, workers)`` gives each worker its part; it is called here."""
        return self._dealt("parts", parts)

    def gather(self) -> Farm[In, list[Out]]:
        """After broadcast() or scatter(): the results to an item come as one list, with one of each worker."""
        if not self.dealing.to_all:
            raise UsageError("gather() of a farm whose workers do not all have each item. Write .broadcast().gather(), or .scatter(parts).gather()")
        return cast("Farm[In, list[Out]]", self._with(dealing=self.dealing._replace(gathers=True)))

    def on(self, places: Place | Iterable[Place]) -> Farm[In, Out]:
        return cast("Farm[In, Out]", super().on(places))

    def bound(self, items: int = BOUND_ITEMS, bytes: int = BOUND_BYTES) -> Farm[In, Out]:
        return cast("Farm[In, Out]", super().bound(items, bytes))

    def unbounded(self, bytes: int = 0) -> Farm[In, Out]:
        return cast("Farm[In, Out]", super().unbounded(bytes))

    def on_death(self, what: Literal["redo", "error"]) -> Farm[In, Out]:
        return cast("Farm[In, Out]", super().on_death(what))

    def stateless(self) -> Farm[In, Out]:
        return cast("Farm[In, Out]", super().stateless())

    def named(self, name: str) -> Farm[In, Out]:
        return cast("Farm[In, Out]", super().named(name))

    def worker_count(self) -> int:
        return self.count or os.cpu_count() or 1
