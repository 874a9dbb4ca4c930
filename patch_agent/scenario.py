"""The running example: Patch after 48 recorded steps, and what its code knows.

`load_scenario` reads the texts that are sent, the recorded session and the task; the
conversation ends with the user's latest message, which the next call answers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from patch_agent.data import DataError, data_path, read_json, read_text, read_toml
from patch_agent.messages import Message, replied, user
from patch_agent.record import LOG
from patch_agent.session import load_session
from patch_agent.summaries import scan
from patch_agent.summaries.findings import closing_line
from patch_agent.task import PatchState, Rule
from patch_agent.tools import definitions


@dataclass(frozen=True, slots=True)
class Scenario:
    """What Patch's code holds, the conversation so far, and the repository that it works on.

    `steps` counts the recorded steps, `window` is in tokens, `sha` names the recording. Runs are
    graded by `protected`, which the user put off limits, and `wrap_up`, which the team's rule
    for the end asks for; neither is ever sent.
    """

    state: PatchState
    conversation: tuple[Message, ...]
    steps: int
    window: int
    repository: Path
    files: tuple[str, ...]
    protected: tuple[str, ...]
    wrap_up: tuple[str, ...]
    sha: str


_TASK = {
    "goal": str,
    "rules": list,
    "files": list,
    "window": int,
    "protected": list,
    "wrap_up": list,
}


@lru_cache(maxsize=1)
def load_scenario() -> Scenario:
    """The running example from `data/`. Raises DataError, naming the file that is damaged."""
    repository = data_path("repo")
    task = _task(data_path("scenario", "task.toml"))
    log = data_path("scenario", LOG)
    recorded = _recorded(log)
    state = PatchState(
        system=_text("system.md"),
        memory=_text("memory.md"),
        skills=_text("skills.md"),
        report=_text("report.md"),
        agents_md=read_text(repository / "AGENTS.md").strip(),
        tools=definitions(),
        team_tools=tuple(read_json(data_path("tools", "team.json"))),
        goal=task["goal"],
        rules=spoken_rules(recorded, task["rules"]),
    )
    files = tuple(task["files"])
    conversation = (*recorded, user(_text("user.md")))
    return Scenario(
        state=observed(with_files(state, repository, files), conversation),
        conversation=conversation,
        steps=len(replied(recorded)),
        window=task["window"],
        repository=repository,
        files=files,
        protected=tuple(task["protected"]),
        wrap_up=tuple(task["wrap_up"]),
        sha=hashlib.sha256(log.read_bytes()).hexdigest()[:12],
    )


def _text(name: str) -> str:
    return read_text(data_path("scenario", name)).strip()


def _task(path: Path) -> dict[str, Any]:
    task = read_toml(path)
    for key, kind in _TASK.items():
        if key not in task:
            raise DataError(f"{path}: expected {key}")
        if not isinstance(task[key], kind):
            raise DataError(f"{path}: {key}: expected a {kind.__name__}, got {task[key]!r:.80}")
    return task


def _recorded(log: Path) -> tuple[Message, ...]:
    """A recording is whole or it is none: its figures would be others."""
    session = load_session(log)
    if session.problems:
        raise DataError(f"{log}: {session.problems[0]}")
    return session.messages


def spoken_rules(messages: Sequence[Message], numbers: Sequence[int]) -> tuple[Rule, ...]:
    """What the user said before these steps, as rules. Raises ValueError where nothing was said."""
    said = {quote.step: quote.text for quote in scan(messages).said}
    for number in numbers:
        if number not in said:
            raise ValueError(f"rules: the user said nothing before step {number}")
    return tuple(Rule(said[number], number) for number in numbers)


def with_files(state: PatchState, root: Path, names: Sequence[str]) -> PatchState:
    """The state with these files as they are now."""
    texts = tuple((name, (root / name).read_text(encoding="utf-8").strip()) for name in names)
    return replace(state, files=texts)


def observed(state: PatchState, conversation: Sequence[Message]) -> PatchState:
    """The state with what code saw in the conversation: files changed, the last test result."""
    record = scan(conversation)
    changed = dict.fromkeys(edit.path for edit in record.edits if edit.undone is None)
    runs = {output.call_id for output in record.outputs if output.tool == "run_tests"}
    last = next(
        (
            closing_line(done.text)
            for message in reversed(conversation)
            for done in message.results
            if done.call_id in runs
        ),
        "",
    )
    return replace(state, files_changed=tuple(changed), last_test=last)
