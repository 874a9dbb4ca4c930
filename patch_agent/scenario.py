"""The running example: Patch after 48 recorded steps, and what its code knows.

`load_scenario` reads the texts that are sent, the recorded session and the task; the
conversation ends with the user's latest message, which the next call answers.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from patch_agent.data import data_path
from patch_agent.messages import Message, steps, user
from patch_agent.record import LOG
from patch_agent.session import load_session
from patch_agent.summaries import scan
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


@lru_cache(maxsize=1)
def load_scenario() -> Scenario:
    """The running example from `data/`."""
    repository = data_path("repo")
    task = tomllib.loads(_text("task.toml"))
    log = data_path("scenario", LOG)
    recorded = load_session(log).messages
    state = PatchState(
        system=_text("system.md"),
        memory=_text("memory.md"),
        skills=_text("skills.md"),
        report=_text("report.md"),
        agents_md=(repository / "AGENTS.md").read_text(encoding="utf-8").strip(),
        tools=definitions(),
        team_tools=tuple(json.loads(data_path("tools", "team.json").read_text(encoding="utf-8"))),
        goal=task["goal"],
        rules=spoken_rules(recorded, task["rules"]),
    )
    files = tuple(task["files"])
    conversation = (*recorded, user(_text("user.md")))
    return Scenario(
        state=observed(with_files(state, repository, files), conversation),
        conversation=conversation,
        steps=sum(step.assistant is not None for step in steps(recorded)),
        window=task["window"],
        repository=repository,
        files=files,
        protected=tuple(task["protected"]),
        wrap_up=tuple(task["wrap_up"]),
        sha=hashlib.sha256(log.read_bytes()).hexdigest()[:12],
    )


def _text(name: str) -> str:
    return data_path("scenario", name).read_text(encoding="utf-8").strip()


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
            done.text.rstrip().rpartition("\n")[2]
            for message in reversed(conversation)
            for done in message.results
            if done.call_id in runs
        ),
        "",
    )
    return replace(state, files_changed=tuple(changed), last_test=last)
