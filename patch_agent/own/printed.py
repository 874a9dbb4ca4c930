"""What one thread prints, kept apart from what all others print, and not without end.

While a thread is listened to, `sys.stdout` and `sys.stderr` are replaced by streams that ask
who writes. A thread that prints too much is stopped by an exception out of its own `print`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from threading import Lock, Thread, current_thread
from typing import Any

MOST = 10_000
"""Characters that are kept; the one after them stops the thread."""
STREAMS = ("stdout", "stderr")

_listening: dict[Thread, Printed] = {}
_streams: list[_Stream] = []
"""All that were ever made. CPython's `print` only borrows `sys.stdout`: were a stream freed while
another thread prints to it, the process would crash."""
_lock = Lock()


class Stop(SystemExit):
    """Raised inside your code to end it. It is no Exception, so that few handlers catch it."""


class Printed:
    """What a thread printed so far; `flooded` once it was too much."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._pieces: list[str] = []
        self._size = 0
        self.flooded = False
        self.closed = False

    @property
    def text(self) -> str:
        """The text, as far as it was kept."""
        return "".join(self._pieces)

    def write(self, text: str) -> int:
        """Keeps the text. Raises Stop where it is too much or nobody listens any more."""
        if self.closed:
            raise Stop
        room = self._most - self._size
        kept = text[:room]
        self._pieces.append(kept)
        self._size += len(kept)
        if len(text) > room:
            self.flooded = True
            raise Stop
        return len(text)


class _Stream:
    """A stream that gives each thread's text to whoever listens to that thread."""

    def __init__(self, beyond: Any) -> None:
        self.beyond = beyond

    def write(self, text: str) -> int:
        printed = _listening.get(current_thread())
        return printed.write(text) if printed is not None else int(self.beyond.write(text) or 0)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.beyond, name)


def _stream(beyond: Any) -> _Stream:
    """The one stream in front of this one."""
    made = next((one for one in _streams if one.beyond is beyond), None)
    if made is None:
        made = _Stream(beyond)
        _streams.append(made)
    return made


def listen(thread: Thread, printed: Printed) -> None:
    """Gives what a thread prints to `printed`, from now on."""
    with _lock:
        for name in STREAMS:
            if not isinstance(getattr(sys, name), _Stream):
                setattr(sys, name, _stream(getattr(sys, name)))
        _listening[thread] = printed


def leave(thread: Thread) -> None:
    """Listens to a thread no more; the streams are put back after the last one."""
    with _lock:
        _listening.pop(thread, None)
        for name in STREAMS:
            stream = getattr(sys, name)
            if not _listening and isinstance(stream, _Stream):
                setattr(sys, name, stream.beyond)
