"""What a tool call does, read from its name and arguments: read, edit, search, run.

Tools of other agents are covered by the usual names of their arguments; a call that fits
nowhere is "used" and names no target.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from patch_agent.identifiers import identifiers
from patch_agent.messages import ToolCall

_PATH = ("path", "file_path", "filepath", "filename", "file", "target_file", "notebook_path")
_OLD = ("old", "old_string", "old_str", "old_text", "search", "find")
_NEW = ("new", "new_string", "new_str", "new_text", "replace", "replacement")
_WHOLE = ("text", "content", "contents", "file_text")
_PATTERN = ("pattern", "query", "regex", "q")
_COMMAND = ("command", "cmd", "script", "code")
_TARGET = ("target", "test", "tests", "test_path")
_RESTORE = re.compile(r"\bgit (?:checkout|restore)\b[^;&|\n]*")


@dataclass(frozen=True, slots=True)
class Action:
    """What a call does (`verb`), to which paths or tests, and the edit that it makes, if any.

    `restores` are paths whose last edits the call takes back as a whole; `pattern` is what a
    search looks for.
    """

    verb: str
    targets: tuple[str, ...] = ()
    old: str | None = None
    new: str | None = None
    restores: tuple[str, ...] = ()
    pattern: str = ""


@lru_cache(maxsize=2_000)
def action_of(call: ToolCall) -> Action:
    """The action of a call; arguments that are no JSON object make it one without targets."""
    try:
        given = json.loads(call.arguments)
    except (ValueError, RecursionError):
        return Action("used")
    if not isinstance(given, dict):
        return Action("used")
    path = _first(given, _PATH)
    old, new = _first(given, _OLD), _first(given, _NEW)
    if path and old is not None and new is not None:
        return Action("edited", (path,), old, new)
    whole = _first(given, _WHOLE)
    if path and whole is not None:
        return Action("edited", (path,), "", whole)
    command = _first(given, _COMMAND) or _first(given, _TARGET)
    if command is not None:
        return Action("run", _named(command), restores=_restored(command))
    pattern = _first(given, _PATTERN)
    if pattern is not None:
        return Action("searched", (path,) if path else (), pattern=pattern)
    return Action("read" if path else "used", (path,) if path else ())


def _first(given: dict[str, Any], names: tuple[str, ...]) -> str | None:
    return next((given[name] for name in names if isinstance(given.get(name), str)), None)


def _named(command: str) -> tuple[str, ...]:
    """The test ids of a command, or where it has none its paths."""
    hits = identifiers(command)
    tests = [hit.text for hit in hits if hit.kind == "test"]
    return tuple(dict.fromkeys(tests or [hit.text for hit in hits if hit.kind == "path"]))


def _restored(command: str) -> tuple[str, ...]:
    return tuple(
        hit.text
        for part in _RESTORE.findall(command)
        for hit in identifiers(part)
        if hit.kind == "path"
    )
