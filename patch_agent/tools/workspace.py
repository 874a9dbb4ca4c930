"""The workspace: one folder, six tools, and what each of them may do.

A tool never raises into the loop: what goes wrong is the result of the call, marked as an
error, so that the model can read it. Permissions are code: a protected folder is refused
whatever the model was told. They bind the tools; a test that the model runs is a program
of its own, and this module does not watch it.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from patch_agent.data import data_path, read_json
from patch_agent.tools.errors import ToolError
from patch_agent.tools.files import edit_file, list_files, read_file, search_text, write_file
from patch_agent.tools.paths import HIDDEN, inside, shown
from patch_agent.tools.pytest_run import run_tests

Effect = Literal["read-only", "reversible write", "external"]
"""read-only can be repeated at will; a reversible write can be undone by another one;
external reaches beyond the workspace. Patch has no external tool."""


@dataclass(frozen=True, slots=True)
class Tool:
    """What a tool does to the world, which arguments it takes, and its function."""

    effect: Effect
    required: Mapping[str, type]
    optional: Mapping[str, type]
    function: Callable[..., str]


TOOLS: dict[str, Tool] = {
    "list_files": Tool("read-only", {}, {"path": str}, list_files),
    "read_file": Tool("read-only", {"path": str}, {"start": int, "end": int}, read_file),
    "search_text": Tool("read-only", {"pattern": str}, {"path": str}, search_text),
    "edit_file": Tool("reversible write", {"path": str, "old": str, "new": str}, {}, edit_file),
    "write_file": Tool("reversible write", {"path": str, "text": str}, {}, write_file),
    "run_tests": Tool("read-only", {}, {"target": str, "verbose": bool}, run_tests),
}
_KINDS = {str: "a string", int: "a whole number", bool: "true or false"}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a call came to; `changed` is the path of the file that it wrote."""

    text: str
    error: bool = False
    changed: str | None = None


@dataclass(frozen=True, slots=True)
class Workspace:
    """A folder in which the tools work; nothing may be written below a `protected` one."""

    root: Path
    protected: tuple[str, ...] = ()

    def call(self, name: str, arguments: str) -> Outcome:
        """Runs one call, its arguments being the JSON text that the model wrote."""
        try:
            tool = _tool(name)
            return self._run(tool, _arguments(tool, arguments))
        except ToolError as error:
            return Outcome(str(error), error=True)

    def _run(self, tool: Tool, values: dict[str, Any]) -> Outcome:
        changed = self._allowed(values["path"]) if tool.effect != "read-only" else None
        try:
            return Outcome(tool.function(self.root, **values), changed=changed)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise ToolError(f"path {values.get('path', '.')!r:.200}: {reason}") from None

    def _allowed(self, path: str) -> str:
        """The path as it is shown, when it may be written. Raises ToolError."""
        name = shown(self.root, inside(self.root, path))
        for folder in (".patch/", *self.protected):
            real = shown(self.root, inside(self.root, folder))
            # Compared without case: some file systems know one file by several spellings.
            if f"{name}/".casefold().startswith(f"{real}/".casefold()):
                raise ToolError(f"path {path!r:.200}: writing in {folder} is not permitted")
        return name


def effect(name: str) -> Effect:
    """The effect class of a tool; one that we do not know counts as external."""
    return TOOLS[name].effect if name in TOOLS else "external"


def _tool(name: str) -> Tool:
    if name not in TOOLS:
        raise ToolError(f"tool {name!r:.80}: there is none; there are {', '.join(TOOLS)}")
    return TOOLS[name]


def _arguments(tool: Tool, text: str) -> dict[str, Any]:
    """The arguments of a call by name. Raises ToolError, naming the one that is wrong."""
    try:
        values = json.loads(text or "{}")
    except (ValueError, RecursionError) as error:
        raise ToolError(f"arguments: expected a JSON object, got {text!r:.120} ({error})") from None
    if not isinstance(values, dict):
        raise ToolError(f"arguments: expected a JSON object, got {text!r:.120}")
    kinds = {**tool.required, **tool.optional}
    for name in tool.required:
        if name not in values:
            raise ToolError(f"{name}: expected {_KINDS[kinds[name]]}, got nothing")
    values = {n: v for n, v in values.items() if v is not None or n not in tool.optional}
    for name, value in values.items():
        if name not in kinds:
            raise ToolError(f"{name!r:.80}: no such argument; there are {', '.join(kinds)}")
        if type(value) is not kinds[name]:
            raise ToolError(f"{name}: expected {_KINDS[kinds[name]]}, got {value!r:.80}")
    return values


def definitions() -> tuple[dict[str, Any], ...]:
    """The definitions of the six tools as they are sent to the model."""
    loaded = read_json(data_path("tools", "patch.json"))
    return tuple(loaded)


def fresh_copy(source: Path, target: Path) -> Path:
    """A copy of a repository to work in, without caches and saved outputs."""
    shutil.copytree(source, target, ignore=shutil.ignore_patterns(*HIDDEN, ".pytest_cache"))
    return target
