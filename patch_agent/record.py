"""Makes a recorded session: a scripted model, the real agent loop, the real tools.

A script holds what the user and the assistant say and which calls are made. The results are
not written anywhere: each call is really run, tests included, on a fresh copy of the
repository, and the log is what comes out. The script decides nothing about the context, so
every request is sent whole.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from patch_agent.agent import Agent
from patch_agent.data import DataError, data_path, read_toml
from patch_agent.messages import Message, ToolCall, assistant
from patch_agent.models import ScriptedModel
from patch_agent.request import Entry, Part, Request
from patch_agent.session import SessionLog
from patch_agent.tools import SavedOutputs, Workspace, definitions, fresh_copy

LOG = "session.jsonl"
"""Name of the log in the folder of a recording."""


@dataclass(frozen=True, slots=True)
class Script:
    """The assistant's replies in order, and what the user says before a step, by its number."""

    replies: tuple[Message, ...]
    users: dict[int, str]


def load_script(path: Path) -> Script:
    """Reads a script. Raises DataError, naming the file and the step, for one that is unfit."""
    data = read_toml(path)
    steps = data.get("step", [])
    replies = []
    for number, step in enumerate(steps, 1):
        if set(step) != {"says", "call", "with"}:
            raise DataError(f"{path}, step {number}: expected says, call and with")
        replies.append(_reply(number, step))
    users = {said["before"]: said["says"].strip() for said in data.get("user", [])}
    late = [number for number in users if not 1 <= number <= len(steps)]
    if late:
        raise DataError(f"{path}: a user speaks before step {late[0]}, which is not there")
    return Script(tuple(replies), users)


def _reply(number: int, step: dict[str, Any]) -> Message:
    arguments = json.dumps(step["with"], ensure_ascii=False)
    return assistant(step["says"], ToolCall(f"call_{number}", step["call"], arguments))


def whole(conversation: tuple[Message, ...]) -> Request:
    """The request with the whole conversation, and with the tools."""
    entries = tuple(Entry(message, index) for index, message in enumerate(conversation))
    parts = (Part("tools", tools=definitions()), Part("history", entries))
    return Request(parts, conversation)


def record(script: Script, repository: Path, folder: Path) -> Path:
    """Runs a script on a copy of a repository and gives the log that it left.

    The copy is `folder`/workspace, with every output saved in it. Raises RuntimeError when
    the run ends before the script does, and FileExistsError when the folder is in use.
    """
    log = SessionLog(folder / LOG)
    for place in (log.path, folder / "workspace"):
        if place.exists():
            raise FileExistsError(f"{place}: there is a recording already")
    workspace = Workspace(fresh_copy(repository, folder / "workspace"))
    agent = Agent(ScriptedModel(script.replies), workspace, whole, log)
    run = agent.run(limit=len(script.replies), users=script.users)
    if run.ending != "limit":
        raise RuntimeError(f"the run ended early: {run.ending} {run.reason}".rstrip())
    return log.path


def resume_workspace(conversation: Iterable[Message], repository: Path, target: Path) -> Workspace:
    """A workspace as the recorded session left it, without running the session again.

    The outputs are saved as they stand in the conversation, and the edits are made again.
    Raises RuntimeError where an edit does not come out as recorded.
    """
    workspace = Workspace(fresh_copy(repository, target))
    saved = SavedOutputs(workspace.root)
    calls: dict[str, ToolCall] = {}
    uses: Counter[str] = Counter()
    for message in conversation:
        calls |= {call.id: call for call in message.calls}
        for result in message.results:
            call = calls.get(result.call_id)
            if call is not None and call.name in ("edit_file", "write_file"):
                outcome = workspace.call(call.name, call.arguments)
                if outcome.text != result.text:
                    raise RuntimeError(f"{call.id}: the edit came out otherwise than recorded")
            uses[result.call_id] += 1
            saved.save(result.call_id, result.text, uses[result.call_id])
    return workspace


def recorded_script() -> Script:
    """The script of the running example."""
    return load_script(data_path("scenario", "script.toml"))
