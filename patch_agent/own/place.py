"""Where in your code something happened: the deepest line that is yours.

Yours is what belongs neither to this package, nor to the standard library, nor to an installed
package; in a notebook that is the text of your cells.
"""

from __future__ import annotations

import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import FrameType, TracebackType

NOWHERE = ("<frozen ", "<string>", "<__array_function__")
"""Names of files that no cell has: built-in modules, and code that dataclasses write."""


@dataclass(frozen=True, slots=True)
class Place:
    """A line, counted from 1 within its cell or file, and the function that it stands in."""

    line: int
    function: str


def in_traceback(trace: TracebackType | None) -> Place | None:
    """Your deepest line in a traceback; None where no line is yours."""
    found = None
    while trace is not None:
        if is_yours(trace.tb_frame.f_code.co_filename):
            found = Place(trace.tb_lineno, trace.tb_frame.f_code.co_name)
        trace = trace.tb_next
    return found


def in_frame(frame: FrameType | None) -> Place | None:
    """Your deepest line in what a thread is doing; None where no line is yours."""
    while frame is not None:
        if is_yours(frame.f_code.co_filename):
            return Place(frame.f_lineno, frame.f_code.co_name)
        frame = frame.f_back
    return None


@lru_cache(maxsize=1024)
def is_yours(file: str) -> bool:
    """True for a file that is neither ours nor installed."""
    if file.startswith(NOWHERE):
        return False
    path = Path(file)
    return not any(path.is_relative_to(folder) for folder in _others())


@lru_cache(maxsize=1)
def _others() -> tuple[Path, ...]:
    return tuple(_folders())


def _folders() -> Iterator[Path]:
    package = Path(__file__).resolve().parents[1]
    yield package
    yield package.parent / "widgets"
    for name in ("stdlib", "platstdlib", "purelib", "platlib"):
        folder = Path(sysconfig.get_path(name))
        yield folder
        yield folder.resolve()
