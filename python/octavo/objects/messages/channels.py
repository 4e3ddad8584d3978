# SPDX-License-Identifier: Apache-2.0
"""Channels: a way for values from one object or thread to another, with one writer and one reader, bounded, and without a name."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from types import TracebackType
from typing import Any, Generic, TypeVar

from octavo import _core
from octavo.errors import TimedOut, UsageError
from octavo.objects import current
from octavo.objects.messages.numbers import room, seconds

T = TypeVar("T")


class _End:
    __slots__ = ("_end",)

    _end: _core.ChannelEnd

    def __repr__(self) -> str:
        return f"<octavo.{type(self).__name__}{'' if self._end.is_here else ' that has gone elsewhere, or ended'}>"

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        if protocol < 5:
            raise UsageError(f"{self!r} was to be copied or pickled, and it can only be sent. A channel has one writer and one reader")
        end: Any = self._end
        return _arrived, (type(self), pickle.PickleBuffer(end))


class ChannelWriter(_End, Generic[T]):
    """Where values enter a channel: see :func:`octavo.channel`. It ends with its last reference, which closes the channel."""

    __slots__ = ()

    def post(self, value: T, timeout: float | None = None) -> None:
        """Waits while the channel is full; at most ``timeout`` seconds.

        The value is taken as it is now, as an argument of a call is. Raises ChannelCancelled (the reader wants no more), ProcessDied and then GoneError (its
        process has ended), TimedOut, UsageError (after ``close()``, or the writer has gone elsewhere).
        """
        if not self._end.post(value, seconds(timeout)):
            raise TimedOut(f"the channel was full for {timeout} s. Have its reader retrieve, or give it more room")

    def try_post(self, value: T) -> bool:
        """False, and nothing is posted, where ``post`` would wait."""
        return self._end.post(value, 0)

    def close(self) -> None:
        """The reader takes what is left, and then comes to its end. The second time it does nothing."""
        self._end.close(False)

    def __enter__(self) -> ChannelWriter[T]:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Closes it; where an exception passes, the reader is told at its end that what came is not all."""
        self._end.close(kind is not None)


class ChannelReader(_End, Generic[T]):
    """Where values leave a channel, in their order: see :func:`octavo.channel`. It ends with its last reference, which cancels the channel."""

    __slots__ = ()

    def retrieve(self, timeout: float | None = None) -> T:
        """The next value; waits for it, at most ``timeout`` seconds.

        Raises EOFError at the end of the channel, TimedOut, ProcessDied (once, when what had come was taken: the writer's process has ended before it closed),
        GoneError (the writer gave it up, or was lost), UsageError (the reader has gone elsewhere).
        """
        came = self._end.retrieve(seconds(timeout))
        if came is not None:
            value: T = came[0]
            return value
        if self._end.at_end:
            raise EOFError("the channel is at its end: its writer has closed it")
        raise TimedOut(f"nothing came in {timeout} s")

    def try_retrieve(self, default: Any = None) -> Any:
        """The next value, or ``default``: nothing lies there, or ever will."""
        came = self._end.retrieve(0)
        return default if came is None else came[0]

    @property
    def at_end(self) -> bool:
        """All was taken, and nothing will come any more."""
        return self._end.at_end

    def cancel(self) -> None:
        """No more is wanted: what is unread is dropped, and each post of the writer raises ChannelCancelled."""
        self._end.cancel()

    def __iter__(self) -> Iterator[T]:
        return self

    def __next__(self) -> T:
        came = self._end.retrieve(None)
        if came is None:
            raise StopIteration
        value: T = came[0]
        return value

    def __enter__(self) -> ChannelReader[T]:
        return self

    def __exit__(self, *error: object) -> None:
        self.cancel()


def channel(messages: int = 256, bytes: int | str = "64MiB") -> tuple[ChannelWriter[Any], ChannelReader[Any]]:
    """``out, values = octavo.channel()``: a new channel, its writer and its reader.

    Each end is an argument like any other, and then belongs to whom it was passed to: it is gone here, and never copied. What was posted before follows.
    ``post`` waits while ``messages`` values, or ``bytes`` of them, lie unread. Where the process of one end dies, the other is told once. When both ends are
    gone, nothing is left. See clauses CH-1 to CH-7 in docs/contract.md::

        class Blur:
            def run(self, images, out):
                with out:
                    for image in images:
                        out.post(blurred(image))

    Raises UsageError for a bound that is no positive number.
    """
    bound = room(messages, bytes, "a channel")
    current.begin()
    out, values = _core.channel(*bound)
    return _made(ChannelWriter, out), _made(ChannelReader, values)


def _made(kind: type[Any], end: _core.ChannelEnd) -> Any:
    made: Any = object.__new__(kind)
    made._end = end
    return made


def _arrived(kind: type[Any], end: object) -> Any:
    if not isinstance(end, _core.ChannelEnd):
        raise UsageError("an end of a channel was pickled by the program itself, and it can only be sent")
    return _made(kind, end)
