"""What Patch's code knows of a task, the reader's choices, and the task block made of them.

The task block is rebuilt by code for every call and sent last: goal and rules in the user's own
words, files changed, last test result. No compaction can drop it. Rules are never cut; lists
and results are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from patch_agent.policies import PolicyState

FORMS = ("drop", "clear", "careful", "careless")
TOOLS = ("6", "40", "none")
SWITCHABLE = frozenset({"agents_md", "memory", "skills", "report", "files", "task"})
_MOST_FILES = 12
_MOST_RESULT = 300


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule in the user's own words, and the step in which it was spoken."""

    text: str
    step: int


@dataclass(frozen=True, slots=True)
class Choices:
    """What a reader chose: `recent` steps word for word, and what becomes of the `older` ones.

    `frozen` is the number of steps when the choices were made; later steps are sent as they
    are. None means now. Raises ValueError.
    """

    recent: int = 6
    older: str = "clear"
    tools: str = "6"
    off: frozenset[str] = frozenset()
    frozen: int | None = None

    def __post_init__(self) -> None:
        for name, value, known in (("older", self.older, FORMS), ("tools", self.tools, TOOLS)):
            if value not in known:
                raise ValueError(f"{name}: expected one of {', '.join(known)}, got {value!r}")
        for name, steps in (("recent", self.recent), ("frozen", self.frozen)):
            if (steps is not None or name == "recent") and (type(steps) is not int or steps < 0):
                raise ValueError(f"{name}: expected a whole number of steps, got {steps!r}")
        unknown = sorted(set(self.off) - SWITCHABLE)
        if unknown:
            can = ", ".join(sorted(SWITCHABLE))
            raise ValueError(f"off: {unknown[0]!r} cannot be switched off, only {can}")


@dataclass(frozen=True, slots=True)
class PatchState:
    """What Patch's code holds and sends from: texts, tools, files, the task, the policy's state."""

    system: str = ""
    tools: tuple[Mapping[str, Any], ...] = ()
    team_tools: tuple[Mapping[str, Any], ...] = ()
    agents_md: str = ""
    memory: str = ""
    skills: str = ""
    report: str = ""
    files: tuple[tuple[str, str], ...] = ()
    goal: str = ""
    rules: tuple[Rule, ...] = ()
    files_changed: tuple[str, ...] = ()
    last_test: str = ""
    policy: PolicyState = field(default=PolicyState())
    choices: Choices | None = None


def task_text(state: PatchState) -> str:
    """The text of the task block."""
    rules = [f'- step {rule.step}: "{rule.text}"' for rule in state.rules]
    heading = "Rules, in the user's own words:" if rules else "Rules: none so far"
    return "\n".join(
        [
            "Task, kept by the harness and sent with every call",
            f"Goal: {state.goal or 'none given'}",
            heading,
            *rules,
            f"Files changed: {_files(state.files_changed)}",
            f"Last test result: {_cut(state.last_test) or 'no test was run'}",
        ]
    )


def files_text(files: tuple[tuple[str, str], ...]) -> str:
    """The text of the part with the files that matter for this call, each as it is now."""
    return "\n\n".join(f"{path}, as it is now:\n{text}" for path, text in files)


def _files(paths: tuple[str, ...]) -> str:
    named = ", ".join(paths[-_MOST_FILES:])
    more = len(paths) - _MOST_FILES
    return (f"{named} and {more} more" if more > 0 else named) or "none"


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_RESULT else f"{text[: _MOST_RESULT - 1]}…"
