"""Listing, reading, searching and writing text files of the workspace.

Text is UTF-8. Line ends are kept as they are. A file is written beside its place and moved
there in one go, so that a reader never sees half of it.
"""

from __future__ import annotations

import difflib
import os
import shutil
from pathlib import Path

from patch_agent.tools.errors import ToolError
from patch_agent.tools.paths import files_below, inside, shown

MOST_MATCHES = 100
"""Matching lines that one search prints."""
MOST_COUNTED = 1_000
"""Places up to which an edit counts where its text occurs."""
LONGEST_LINE = 240
"""Characters of a matching line that a search prints."""


def list_files(root: Path, path: str = ".") -> str:
    """The files at or below a path, one on each line, in the order of their names."""
    names = [shown(root, file) for file in files_below(root, path)]
    return "\n".join(names) or f"No files in {path}."


def read_text(root: Path, path: str) -> str:
    """The text of one file, line ends as they are. Raises ToolError."""
    place = inside(root, path)
    if place.is_dir():
        raise ToolError(f"path {path!r:.200}: is a folder; list_files shows what it holds")
    if not place.is_file():
        raise ToolError(f"path {path!r:.200}: no such file")
    data = place.read_bytes()
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ToolError(f"path {path!r:.200}: not UTF-8 text (byte {error.start:,})") from None


def read_file(root: Path, path: str, start: int = 1, end: int | None = None) -> str:
    """Lines `start` to `end` of a file, both included, each as number, tab, text.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "a.py").write_text("x = 1\\ny = 2\\n")
    >>> print(read_file(folder, "a.py", 2).expandtabs(4))
    a.py, lines 2-2 of 2
    2   y = 2
    """
    lines = _lines(read_text(root, path))
    last = len(lines) if end is None else min(end, len(lines))
    name = shown(root, inside(root, path))
    if not lines:
        return f"{name} is empty"
    if not 1 <= start <= len(lines):
        raise ToolError(f"start: expected a line from 1 to {len(lines)} of {name}, got {start}")
    if last < start:
        raise ToolError(f"end: expected a line from {start} on, got {end}")
    numbered = (f"{number}\t{lines[number - 1]}" for number in range(start, last + 1))
    return "\n".join([f"{name}, lines {start}-{last} of {len(lines)}", *numbered])


def _lines(text: str) -> list[str]:
    """The lines of a text: they end at a line feed, with or without a carriage return."""
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    return lines[:-1] if lines[-1] == "" else lines


def search_text(root: Path, pattern: str, path: str = ".") -> str:
    """The lines that hold `pattern`, literally and in the same case, as path:number: text."""
    if not pattern or "\n" in pattern:
        raise ToolError(f"pattern: expected text of one line, got {pattern!r:.80}")
    matches = []
    for file in files_below(root, path):
        name = shown(root, file)
        try:
            text = read_text(root, file.relative_to(root.resolve()).as_posix())
        except ToolError:  # not a text: nothing to search in
            continue
        for number, line in enumerate(_lines(text), 1):
            if pattern in line:
                matches.append(f"{name}:{number}: {line.strip()[:LONGEST_LINE]}")
    if not matches:
        return f"No line holds {pattern!r} in {path}."
    more = len(matches) - MOST_MATCHES
    rest = [f"... and {more:,} more lines"] if more > 0 else []
    return "\n".join(matches[:MOST_MATCHES] + rest)


def edit_file(root: Path, path: str, old: str, new: str) -> str:
    """Replaces the only occurrence of `old`; the change as a short diff."""
    text = read_text(root, path)
    if not old:
        raise ToolError("old: expected the text to replace, got an empty one")
    count = _occurrences(text, old)
    if count != 1:
        often = f"{count} times" if count < MOST_COUNTED else f"{count} times or more"
        raise ToolError(f"old: expected to occur once in {path}, occurs {often}: {old!r:.120}")
    if old == new:
        raise ToolError(f"new: equals old, so {path} would not change")
    changed = text.replace(old, new)
    store(inside(root, path), changed)
    return _diff(shown(root, inside(root, path)), text, changed)


def _occurrences(text: str, old: str) -> int:
    """How often `old` occurs, overlaps included: "aa" occurs twice in "aaa"."""
    count = start = 0
    while count < MOST_COUNTED and (place := text.find(old, start)) >= 0:
        count, start = count + 1, place + 1
    return count


def _diff(name: str, before: str, after: str) -> str:
    lines = difflib.unified_diff(_lines(before), _lines(after), n=1, lineterm="")
    body = list(lines)[2:]
    return "\n".join([f"{name} changed:", *(body or ["(line ends only)"])])


def write_file(root: Path, path: str, text: str) -> str:
    """Writes a whole file, new or in place of the old one; says how many lines it has."""
    place = inside(root, path)
    if place.is_dir():
        raise ToolError(f"path {path!r:.200}: is a folder")
    before = (
        f", {len(_lines(read_text(root, path))):,} before" if place.is_file() else ", a new file"
    )
    store(place, text)
    return f"{shown(root, place)} written: {len(_lines(text)):,} lines{before}"


def store(place: Path, text: str) -> None:
    """Writes a text file in one go, its folders made and its permissions kept."""
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError:
        raise ToolError("text: holds a character that is not valid Unicode") from None
    place.parent.mkdir(parents=True, exist_ok=True)
    beside = place.with_name(f".{place.name[:80]}.{os.getpid()}.new")
    try:
        beside.unlink(missing_ok=True)
        with beside.open("xb") as file:  # never through a link that lies there
            file.write(data)
        if place.exists():
            shutil.copymode(place, beside)
        os.replace(beside, place)
    finally:
        beside.unlink(missing_ok=True)
