"""Runs for the stand-in's tests: a second scenario is recorded, a request is made of it by hand,
and the stand-in works on with real tools. The requests are put together here, plainly, so that
these tests rest on no policy."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from patch_agent.stand_in import StandIn
from patch_agent.tools import Workspace
from tests.second_scenario import SecondScenario, second_scenario

Wire = dict[str, Any]
TOOLS: tuple[Wire, ...] = tuple(
    {"name": name, "description": "", "parameters": {"type": "object", "properties": {}}}
    for name in ("list_files", "read_file", "search_text", "edit_file", "write_file", "run_tests")
)
ORDER = ("system", "agents_md", "memory", "skills", "report", "summary")


def write(files: dict[str, str], root: Path) -> None:
    """Puts a project's files on disk."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def results(workspace: Workspace, message: Wire) -> list[Wire]:
    """Runs the calls of an assistant message."""
    found = []
    for call in message.get("tool_calls", ()):
        done = workspace.call(call["function"]["name"], call["function"]["arguments"])
        wire = {"role": "tool", "tool_call_id": call["id"], "content": done.text}
        found.append(wire | ({"is_error": True} if done.error else {}))
    return found


@cache
def recorded(seed: int) -> tuple[SecondScenario, tuple[Wire, ...]]:
    """A scenario and its conversation, the tools really run."""
    scenario = second_scenario(seed)
    with tempfile.TemporaryDirectory() as folder:
        write(scenario.files, Path(folder))
        workspace = Workspace(Path(folder))
        said: list[Wire] = []
        for message in scenario.script:
            said += [message, *results(workspace, message)]
    return scenario, tuple(said)


def steps(messages: Sequence[Wire]) -> list[list[Wire]]:
    """The messages by step: an assistant message, its results, the user message before it."""
    grouped: list[list[Wire]] = [[]]
    for message in messages:
        speaks = message["role"] in ("user", "assistant")
        if speaks and any(m["role"] == "assistant" for m in grouped[-1]):
            grouped.append([])
        grouped[-1].append(message)
    return grouped


def request(
    scenario: SecondScenario,
    history: Iterable[Wire],
    *,
    off: Sequence[str] = (),
    task: str = "",
    summary: str = "",
    after: Sequence[Wire] = (),
    tools: Sequence[Wire] = TOOLS,
) -> Wire:
    """One request: fixed parts, history, the user's latest message, steps since, task block."""
    parts = scenario.parts | {"summary": summary}
    fixed = [
        {"role": "system", "name": name, "content": parts[name]}
        for name in ORDER
        if parts[name] and name not in off
    ]
    latest = {"role": "user", "content": parts["user"]}
    block = [{"role": "system", "name": "task", "content": task}] if task else []
    return {"messages": [*fixed, *history, latest, *after, *block], "tools": list(tools)}


@dataclass(frozen=True)
class Went:
    """Ten steps on: the replies, the files at the end, and all that was sent and got."""

    replies: tuple[Wire, ...]
    files: dict[str, str]
    after: tuple[Wire, ...]

    @property
    def acts(self) -> list[tuple[str, str]]:
        """The calls: tool and its target or path."""
        found = []
        for reply in self.replies:
            for call in reply.get("tool_calls", ()):
                values = json.loads(call["function"]["arguments"])
                name = call["function"]["name"]
                found.append((name, values.get("target", values.get("path", ""))))
        return found

    def edited(self, path: str) -> int:
        """How often a file was changed."""
        return sum(place == path for name, place in self.acts if name == "edit_file")


def ten_steps(
    scenario: SecondScenario,
    history: Sequence[Wire],
    files: dict[str, str],
    limit: int = 10,
    protected: tuple[str, ...] = (),
    **choices: Any,
) -> Went:
    """Lets the stand-in work on from a request, with real tools on a fresh copy."""
    model = StandIn()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        write(files, root)
        workspace = Workspace(root, protected)
        after: list[Wire] = []
        replies = []
        for _ in range(limit):
            reply = model.reply(request(scenario, history, after=after, **choices))
            replies.append(reply)
            after += [reply, *results(workspace, reply)]
            if not reply.get("tool_calls"):
                break
        left = {p: (root / p).read_text(encoding="utf-8") for p in files}
    return Went(tuple(replies), left, tuple(after))
