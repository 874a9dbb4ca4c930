"""One call of a function of yours, in a thread of its own, under a limit of time and of print.

A thread that takes too long gets an exception, which ends it at its next line of Python. One
that catches even that, or waits in C code, cannot be ended: it is left behind and said to be.
This guards against mistakes and not against malice: the function runs in this very process, so
what ends the process (memory used up, `os._exit`) ends the notebook's kernel.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from patch_agent.own.place import Place, in_frame, in_traceback
from patch_agent.own.printed import MOST, Printed, Stop, leave, listen

LIMIT = 2.0
"""Seconds that a call may take unless told otherwise."""
GRACE = 0.5
"""Seconds after the limit in which the call may still be ended."""
TRIES = 10
"""How often it is told to end in that time: once would not do where it catches the exception."""
LEFT = 3
"""Calls that may be left behind before no further one is begun: each takes its share of time."""
SHOWN = 300
"""Characters of an error's message that are kept."""

Ending = Literal["done", "raised", "stopped", "abandoned", "flooded", "busy"]

_one_at_a_time = threading.Lock()
_left: list[threading.Thread] = []


@dataclass(frozen=True, slots=True)
class Ran:
    """What became of a call.

    `value` is what it returned where it ended `done`; `error` and `message` are the type and the
    text of what it raised; `place` is your line. `changed` names what it left changed in the
    process, such as the environment; `busy` calls were not begun.
    """

    ending: Ending
    value: object = None
    error: str = ""
    message: str = ""
    place: Place | None = None
    printed: str = ""
    changed: tuple[str, ...] = ()


class _Build(threading.Thread):
    """A thread in which a function of yours runs."""


@dataclass(slots=True)
class _Box:
    """What the thread leaves for its caller."""

    value: object = None
    error: str = ""
    message: str = ""
    place: Place | None = None
    ended: bool = False
    ready: threading.Event = field(default_factory=threading.Event)


def run(
    function: Callable[[], object],
    limit: float = LIMIT,
    grace: float = GRACE,
    most: int = MOST,
) -> Ran:
    """Calls the function; one call at a time, others wait. Takes `limit` + `grace` at most.

    `limit` and `grace` are seconds, `most` characters. A call within a call is a plain one, under
    the limits of the outer.
    """
    check_limit(limit)
    if isinstance(threading.current_thread(), _Build):
        return Ran("done", function())
    with _one_at_a_time:
        _end_those_left()
        if len(_left) >= LEFT:
            return Ran("busy")
        return _run(function, limit, grace, Printed(most))


def check_limit(limit: object) -> None:
    """Raises ValueError for what is no number of seconds that a call can be given."""
    if not isinstance(limit, (int, float)) or not 0 < limit <= threading.TIMEOUT_MAX:
        raise ValueError(f"limit: expected seconds above 0, got {limit!r}")


def _run(function: Callable[[], object], limit: float, grace: float, printed: Printed) -> Ran:
    box, before = _Box(), _Surroundings.now()
    thread = _Build(target=_call, args=(function, box), name="your build", daemon=True)
    thread.start()
    listen(thread, printed)
    box.ready.set()
    thread.join(limit)
    late = thread.is_alive()
    place = in_frame(sys._current_frames().get(thread.ident or 0)) if late else box.place
    if late:
        _end(thread, grace)
    printed.closed = True
    if thread.is_alive():
        _left.append(thread)
    else:
        leave(thread)
    ending = _ending(thread, late, printed, box)
    error = (box.error, box.message) if ending == "raised" else ("", "")
    value = box.value if ending == "done" else None
    return Ran(ending, value, *error, place, printed.text, before.changed(thread))


def _call(function: Callable[[], object], box: _Box) -> None:
    box.ready.wait()
    try:
        box.value = function()
        box.ended = True
    except BaseException as error:
        # the learner's own exit, interrupt or stop ends this thread only, and is told
        box.place = in_traceback(error.__traceback__)
        box.error = type(error).__name__
        box.message = _text(error)


def _text(error: BaseException) -> str:
    """The message on one line. Its own `__str__` may be wrong too."""
    try:
        text = str(error)
    except Exception as other:
        text = f"its text cannot be made: {type(other).__name__}"
    words = " ".join(text[: 2 * SHOWN].split())
    return words if len(words) <= SHOWN else f"{words[: SHOWN - 1]}…"


def _ending(thread: threading.Thread, late: bool, printed: Printed, box: _Box) -> Ending:
    if thread.is_alive():
        return "abandoned"
    if printed.flooded:
        return "flooded"
    if late:
        return "stopped"
    return "done" if box.ended else "raised"


def _end(thread: threading.Thread, grace: float) -> None:
    """Tells the thread to end, several times within the grace."""
    for _ in range(TRIES):
        _raise_in(thread)
        thread.join(grace / TRIES)
        if not thread.is_alive():
            return


def _raise_in(thread: threading.Thread) -> None:
    if thread.ident is not None:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(thread.ident), ctypes.py_object(Stop)
        )


def _end_those_left() -> None:
    """Tells calls that were left behind once more to end, and forgets those that did."""
    for thread in list(_left):
        if thread.is_alive():
            _raise_in(thread)
            thread.join(0.01)
        if not thread.is_alive():
            _left.remove(thread)
            leave(thread)


@dataclass(frozen=True, slots=True)
class _Surroundings:
    """What a call shares with the whole process and should leave as it is."""

    environment: dict[str, str]
    folder: str
    depth: int
    path: tuple[str, ...]
    threads: frozenset[threading.Thread]

    @classmethod
    def now(cls) -> _Surroundings:
        return cls(
            dict(os.environ),
            os.getcwd(),
            sys.getrecursionlimit(),
            tuple(sys.path),
            frozenset(threading.enumerate()),
        )

    def changed(self, own: threading.Thread) -> tuple[str, ...]:
        """What is not as it was, in words; the recursion limit is put back, since all share it."""
        now = _Surroundings.now()
        names = sorted(
            name
            for name in self.environment.keys() | now.environment.keys()
            if self.environment.get(name) != now.environment.get(name)
        )
        found = [f"os.environ[{name!r}]" for name in names]
        if now.folder != self.folder:
            found.append("the working directory")
        if now.path != self.path:
            found.append("sys.path")
        if now.depth != self.depth:
            sys.setrecursionlimit(self.depth)
            found.append("the recursion limit")
        new = sorted(t.name for t in now.threads - self.threads if t is not own)
        return (*found, *(f"a thread that still runs, {name}" for name in new))
