"""What a call leads to: from there on the stand-in works, its tools real, its repository a copy.

The reader's choices decide how the recorded steps are sent, and they hold to the end of the run.
What the run adds is sent whole, so the calls grow, and a run is over at the first one that is too
large. The page "The context of one call" shows such runs.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from patch_agent.agent import Agent
from patch_agent.builder import build_context, default_counter
from patch_agent.messages import Message, ToolCall
from patch_agent.models import Model
from patch_agent.record import resume_workspace
from patch_agent.request import Request
from patch_agent.scenario import Scenario, observed, with_files
from patch_agent.summaries import scan
from patch_agent.summaries.findings import outcome_of
from patch_agent.task import Choices, PatchState
from patch_agent.tools import Outcome, Workspace

STEPS = 10
"""How many further steps a run has."""


@dataclass(frozen=True, slots=True)
class Aftermath:
    """A run after the recorded steps.

    `steps` are its messages, step by step; `requests` the calls that gave them, and `states` what
    Patch's code knew when it built each. `ending` and `reason` are those of the agent's
    run. `changed` are the files that differ from the repository at the end, `retried` the files
    with an edit that had been undone before and was made again, `passes` whether the last run
    of all tests passed.
    """

    steps: tuple[tuple[Message, ...], ...]
    requests: tuple[Request, ...]
    states: tuple[PatchState, ...]
    ending: str
    reason: str
    changed: tuple[str, ...]
    retried: tuple[str, ...]
    passes: bool

    def broke(self, protected: tuple[str, ...]) -> bool:
        """True where a file below one of these folders was changed."""
        return any(path.startswith(protected) for path in self.changed)


def go_on(
    scenario: Scenario, choices: Choices, model: Model, workspace: Workspace, limit: int = STEPS
) -> Aftermath:
    """Runs the agent from the scenario's next call on, in a workspace as the recording left it."""
    frozen = replace(choices, frozen=scenario.steps)
    requests: list[Request] = []
    states: list[PatchState] = []

    def build(conversation: tuple[Message, ...]) -> Request:
        now = with_files(scenario.state, workspace.root, scenario.files)
        state = replace(observed(now, conversation), choices=frozen)
        states.append(state)
        requests.append(build_context(state, conversation, scenario.window).request)
        return requests[-1]

    agent = Agent(model, workspace, build, counter=default_counter())
    run = agent.run(scenario.conversation, limit)
    new = run.conversation[len(scenario.conversation) :]
    return Aftermath(
        steps=tuple(_by_step(new)),
        requests=tuple(requests),
        states=tuple(states),
        ending=run.ending,
        reason=run.reason,
        changed=tuple(changed_files(scenario.repository, workspace.root)),
        retried=tuple(_retried(scenario, run.conversation)),
        passes=_passes(new),
    )


def _by_step(messages: tuple[Message, ...]) -> Iterator[tuple[Message, ...]]:
    starts = [i for i, message in enumerate(messages) if message.role == "assistant"]
    for start, end in pairwise([*starts, len(messages)]):
        yield messages[start:end]


def _retried(scenario: Scenario, conversation: tuple[Message, ...]) -> Iterator[str]:
    undone = {
        (edit.path, edit.old, edit.new)
        for edit in scan(scenario.conversation).edits
        if edit.undone is not None
    }
    later = (edit for edit in scan(conversation).edits if edit.step > scenario.steps)
    yield from dict.fromkeys(e.path for e in later if (e.path, e.old, e.new) in undone)


def _passes(messages: tuple[Message, ...]) -> bool:
    """True where the last run of all tests came out with no failure."""
    whole = {call.id for message in messages for call in message.calls if _runs_all(call)}
    results = [done for message in messages for done in message.results if done.call_id in whole]
    closing = outcome_of(results[-1].text) if results else ""
    return "passed" in closing and "failed" not in closing and "error" not in closing


def _runs_all(call: ToolCall) -> bool:
    """True for a call of the tests without a target; an empty one is none."""
    if call.name != "run_tests":
        return False
    try:
        asked = json.loads(call.arguments)
    except (ValueError, RecursionError):
        return False
    return isinstance(asked, dict) and not asked.get("target")


def changed_files(before: Path, after: Path) -> list[str]:
    """The files of two folders that differ, by their path; what tools keep aside is left out."""
    old, new = _contents(before), _contents(after)
    return sorted(name for name in old.keys() | new.keys() if old.get(name) != new.get(name))


def _contents(root: Path) -> dict[str, bytes]:
    aside = {".patch", "__pycache__", ".pytest_cache"}
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and not aside.intersection(path.relative_to(root).parts)
    }


@contextmanager
def recorded_workspaces(scenario: Scenario) -> Iterator[Workspaces]:
    """Workspaces as the recorded session left them, as many as wanted, gone at the end."""
    with TemporaryDirectory() as name:
        template = Path(name) / "template"
        resume_workspace(scenario.conversation, scenario.repository, template)
        yield Workspaces(template, Path(name))


@dataclass(slots=True)
class Workspaces:
    """Makes copies of one workspace. They share what their test runs came to."""

    template: Path
    folder: Path
    known: dict[tuple[str, str], Outcome] = field(default_factory=dict)
    made: int = 0

    def fresh(self, protected: tuple[str, ...] = ()) -> Workspace:
        """A further copy, in which nothing may be written below a `protected` folder."""
        self.made += 1
        root = self.folder / f"copy-{self.made}"
        shutil.copytree(self.template, root)
        return SharedRuns(root, protected, self.known)


@dataclass(frozen=True, slots=True)
class SharedRuns(Workspace):
    """A workspace that runs a test once for each state of its files: equal files, equal output."""

    known: dict[tuple[str, str], Outcome] = field(default_factory=dict, compare=False)

    def call(self, name: str, arguments: str) -> Outcome:
        """Runs one call, or gives what it came to on equal files."""
        if name != "run_tests":
            return Workspace.call(self, name, arguments)
        key = (_digest(self.root), arguments)
        if key not in self.known:
            self.known[key] = Workspace.call(self, name, arguments)
        return self.known[key]


def _digest(root: Path) -> str:
    whole = hashlib.sha256()
    for name, data in _contents(root).items():
        whole.update(f"{name}\0{len(data)}\0".encode() + data)
    return whole.hexdigest()
