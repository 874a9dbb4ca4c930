"""Which paths a tool may touch: relative ones, inside the workspace, symbolic links resolved.

Nothing here opens a file. A hard link looks like any other file and is not told apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PureWindowsPath

from patch_agent.tools.errors import ToolError

HIDDEN = frozenset({".patch", ".git", "__pycache__"})
"""Folders that listings and searches leave out, unless they are asked for by name."""

LONGEST_PATH = 1_000
"""Characters of a path: the usual systems allow four times that, the workspace's own included."""
DEEPEST_PATH = 100
"""Folders of a path: they are made one in the other."""
LONGEST_NAME = 255
"""Bytes of a file's name that the usual file systems allow."""


def inside(root: Path, path: str) -> Path:
    """The real place of a relative path inside `root`. Raises ToolError, naming the path."""
    problem = _refusal(path)
    if problem:
        raise ToolError(f"path {path!r:.200}: {problem}")
    try:
        real = (root / path).resolve()
    except (OSError, RuntimeError):
        raise ToolError(f"path {path!r:.200}: cannot be resolved") from None
    if real.is_symlink():  # a loop, which newer Pythons resolve to itself
        raise ToolError(f"path {path!r:.200}: cannot be resolved")
    if not real.is_relative_to(root.resolve()):
        raise ToolError(f"path {path!r:.200}: leads outside the workspace")
    return real


def _refusal(path: str) -> str | None:
    if not path:
        return "expected a path inside the workspace, such as '.' for all of it"
    if "\0" in path:
        return "holds a NUL character"
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return "is not valid Unicode"
    if len(path) > LONGEST_PATH:
        return f"has more than {LONGEST_PATH:,} characters"
    if path.count("/") > DEEPEST_PATH:
        return f"has more than {DEEPEST_PATH} folders"
    if any(len(name.encode("utf-8")) > LONGEST_NAME for name in path.split("/")):
        return f"has a name of more than {LONGEST_NAME} bytes"
    windows = PureWindowsPath(path)
    if path.startswith(("/", "~")) or windows.drive or windows.root:
        return "expected a relative path inside the workspace"
    if ".." in windows.parts:
        return "'..' is not allowed"
    return None


def shown(root: Path, place: Path) -> str:
    """A real place as tools print it: relative to the workspace, with forward slashes."""
    relative = place.relative_to(root.resolve()).as_posix()
    return relative.encode("utf-8", "backslashreplace").decode("utf-8")


def files_below(root: Path, path: str) -> Iterator[Path]:
    """The regular files at or below a path, in the order of their names, links out left out."""
    place = inside(root, path)
    if not place.exists():
        raise ToolError(f"path {path!r:.200}: no such file or folder")
    if place.is_file():
        yield place
        return
    found = (file for file in place.rglob("*") if _is_listed(root, place, file))
    yield from sorted(found, key=lambda file: file.as_posix())


def _is_listed(root: Path, start: Path, file: Path) -> bool:
    if HIDDEN.intersection(file.relative_to(start).parts) or not file.is_file():
        return False
    return file.resolve().is_relative_to(root.resolve())
