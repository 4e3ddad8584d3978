# SPDX-License-Identifier: Apache-2.0
"""Groups: an ordered set of objects that know their own index and each other, made and called together."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Generic, ParamSpec, TypeVar

from octavo import _core
from octavo.errors import UsageError
from octavo.objects.futures import Future
from octavo.objects.places import Place, process
from octavo.objects.pointers import Pointer, destroy, kill, pointer_of

P = ParamSpec("P")
T = TypeVar("T")
R = TypeVar("R")


class each(Generic[T]):
    """An argument that differs from member to member: the i-th gets ``values[i]``.

    ``octavo.make_group(Part, 4, octavo.each(files))``, ``g.all.read(octavo.each(rows), flags)``.
    """

    def __init__(self, values: Iterable[T]) -> None:
        self.values = list(values)

    def __repr__(self) -> str:
        return f"octavo.each({self.values!r})"


def of_member(index: int, size: int, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """What member ``index`` of ``size`` gets of them."""

    def chosen(argument: Any) -> Any:
        if not isinstance(argument, each):
            return argument
        if len(argument.values) != size:
            raise UsageError(f"octavo.each has {len(argument.values)} values for {size} members. Give one value for each member")
        return argument.values[index]

    return tuple(chosen(one) for one in arguments), {name: chosen(one) for name, one in keywords.items()}


class MethodOfAll:
    """A method of all members of a group: ``g.all.f(x)`` calls it on each, at the same time, and gives the results in the order of the members."""

    __slots__ = ("_group", "_name")

    def __init__(self, group: Group[Any], name: str) -> None:
        self._group, self._name = group, name

    def __repr__(self) -> str:
        return f"<method {self._name} of all of {self._group!r}>"

    def __call__(self, *arguments: Any, **keywords: Any) -> list[Any]:
        return self._begin(arguments, keywords).result()

    def _begin(self, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Future[list[Any]]:
        members = self._group.members
        methods = [getattr(member, self._name) for member in members]
        for method in methods:
            if type(method) is not _core.Method:
                raise UsageError(f"'{self._name}' of {members[methods.index(method)]!r} is no method. Read it of each: [p.{self._name} for p in g]")
        calls = [(method, *of_member(i, len(members), arguments, keywords)) for i, method in enumerate(methods)]
        begun: Future[list[Any]] = self._group._facts.start_methods(calls)
        return begun


class All:
    """All members of a group, as one: ``g.all.f(x)``."""

    __slots__ = ("_group",)

    def __init__(self, group: Group[Any]) -> None:
        self._group = group

    def __getattr__(self, name: str) -> MethodOfAll:
        if name.startswith("__"):
            raise AttributeError(name)
        return MethodOfAll(self._group, name)


class Group(Generic[T]):
    """``octavo.group([p, q, r])``, ``octavo.make_group(Class, 4, ...)``: an ordered set of remote objects. ``len(g)``, ``g[2]``, ``for p in g``.

    A group is a small value: it can be sent to other objects, and compared (equal: of one making). Its members know it as long as they live, by
    ``octavo.self(g)``. It does not own them: ``octavo.destroy(g)`` ends all. One that dies is not replaced; :meth:`again` makes the group anew.
    """

    __slots__ = ("_facts", "members")

    def __init__(self, facts: _core.GroupFacts, members: tuple[T, ...]) -> None:
        self._facts = facts
        self.members = members

    def __len__(self) -> int:
        return len(self.members)

    def __getitem__(self, index: int) -> T:
        return self.members[index]

    def __iter__(self) -> Iterator[T]:
        return iter(self.members)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Group) and self._facts.id == other._facts.id

    def __hash__(self) -> int:
        return hash(self._facts.id)

    def __repr__(self) -> str:
        return f"<octavo group of {len(self.members)} {self._facts.facts()[1]}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return known, (*self._facts.facts(), self.members)

    @property
    def all(self) -> Any:
        """``g.all.f(x)``: a call to all members at the same time. Waits for all, and gives the list of their results.

        Of several errors the one of the lowest index is raised, after all have answered. ``octavo.start(g.all.f, x)`` gives one Future of the list.
        """
        return All(self)

    def barrier(self) -> None:
        """Returns when the calls that this caller has made before have returned on every member. Raises what dropped futures of them would have raised."""
        self._facts.barrier()

    def hosts(self) -> list[str]:
        """The machine of each member, by index."""
        return self._apply(machine_of, (), {}).result()

    def again(self) -> Group[T]:
        """A new group of the same pointers: of objects with names that have died and come back, as they are now."""
        return group(self.members)

    def _apply(self, function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Future[list[Any]]:
        of_each = [(function, *of_member(i, len(self.members), arguments, keywords)) for i in range(len(self.members))]
        begun: Future[list[Any]] = self._facts.start_perform("apply", of_each)
        return begun


def known(id: int, class_name: str, addresses: Sequence[Any], lives: Sequence[int], members: tuple[Any, ...]) -> Group[Any]:
    return Group(_core.known_group(id, class_name, addresses, lives), members)


def machine_of(_object: object) -> str:
    return _core.machine_of_object()


def title_of(pointer: Pointer) -> str:
    title: str = _core.pointer_facts(pointer)[3]
    return title


def group(members: Iterable[T]) -> Group[T]:
    """A group of objects that are there already. Returns when each knows its index, and the others.

    Raises UsageError: nobody, one of them twice, or no pointer. ProcessDied.
    """
    pointers = tuple(members)
    if not pointers:
        raise UsageError("a group of nobody was made. Give it a member")
    for each_of in pointers:
        pointer_of(each_of, "octavo.group()")
    first: Any = pointers[0]
    return Group(_core.found_group(pointers, title_of(first)), pointers)


def make_group(function: Callable[..., T], count: int, /, *arguments: Any, place: Place | Sequence[Place] = process, **keywords: Any) -> Group[T]:
    """``count`` objects of a class, or of what a function gives, made at the same time; a group of them.

    Arguments are the constructor's; ``octavo.each(values)`` gives each its own. ``place``: where, or several: member i on ``place[i % len(place)]``. Where a
    constructor raises, those that were made are destroyed, and the first error by index is raised.
    """
    places = [place] if isinstance(place, Place) else list(place)
    if not places or not all(isinstance(each_of, Place) for each_of in places):
        raise UsageError("make_group() takes a place, or a list of places. Write place=octavo.process, or place=[a, b]")
    if count < 1:
        raise UsageError(f"a group of {count} members. Give how many are to be made, at least 1")
    of_each = [of_member(i, count, arguments, keywords) for i in range(count)]
    making: list[Future[T]] = []
    made: list[T] = []
    failed: BaseException | None = None
    try:
        for i, (positional, by_name) in enumerate(of_each):
            making.append(places[i % len(places)]._begin(function, positional, by_name))
    except Exception as error:
        failed = error
    for future in making:
        try:
            made.append(future.result())
        except Exception as error:
            failed = failed or error
    if failed is None:
        return group(made)
    for one in made:
        destroy(one)
    raise failed


@destroy.register
def _(g: Group, *, timeout: float | None = None) -> None:  # type: ignore[type-arg]
    failed: BaseException | None = None
    end = None if timeout is None else time.monotonic() + timeout
    for member in g:
        try:
            destroy(member, timeout=None if end is None else max(0.0, end - time.monotonic()))
        except Exception as error:
            failed = failed or error
    if failed is not None:
        raise failed


@kill.register
def _(g: Group) -> None:  # type: ignore[type-arg]
    for member in g:
        kill(member)
