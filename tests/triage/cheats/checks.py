"""Checks that an agent decides by the request alone. Each gives the complaints that it has.

An agent is named as module:class, because some checks start it in a process of its own: from
another folder, under another hash seed, with nothing but JSON.
"""

from __future__ import annotations

import functools
import importlib
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from patch_agent.triage.run import run_batch
from patch_agent.triage.settings import Settings

ROOT = Path(__file__).parents[3]
FORBIDDEN = ("truth", "grade", "world", "world_make", "service", "run", "settings")
"""Modules of the batch that an agent must not have loaded."""
FRESH = """
import importlib, json, sys
asked = json.loads(sys.stdin.read())
module, _, name = asked["agent"].partition(":")
agent = getattr(importlib.import_module(module), name)(asked["seed"])
calls = agent.reply(asked["request"]).calls
loaded = [name for name in sys.modules if name.startswith("patch_agent.")]
print(json.dumps({"calls": [[c.name, c.arguments] for c in calls], "loaded": loaded}))
"""


def load(agent):
    """The class of an agent in this process."""
    module, _, name = agent.partition(":")
    return getattr(importlib.import_module(module), name)


class _Witness:
    """Passes requests on to an agent and writes down what it decides."""

    def __init__(self, agent, seen):
        self.agent, self.seen = agent, seen

    def reply(self, request):
        copy = json.loads(json.dumps(request))
        reply = self.agent.reply(request)
        self.seen.append((copy, decisions(reply)))
        return reply


def decisions(reply):
    """Names and arguments of a reply's calls."""
    return [[call.name, call.arguments] for call in reply.calls]


@functools.lru_cache(maxsize=16)
def watched(agent, policy="trim", seed=1, world=1, limit=40_000):
    """The requests of a run of an agent with its decisions."""
    seen = []
    settings = Settings(policy, seed, world, limit)
    run_batch(settings, limit=120, agent=lambda seed: _Witness(load(agent)(seed), seen))
    return tuple(seen)


def fresh(agent, seed, request):
    """What an agent decides in a new process, and the project's modules that it has loaded."""
    asked = {"agent": agent, "seed": seed, "request": request}
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-c", FRESH],
            input=json.dumps(asked),
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "4711"},
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=120,
        )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def remembers(agent, seed=1, every=4):
    """Decides otherwise than in a process that has seen no other request."""
    seen = watched(agent, seed=seed)
    return [
        f"request {number}: {known} here, {found} when fresh"
        for number, (request, known) in enumerate(seen, 1)
        if number % every == 0
        for found in [fresh(agent, seed, request)["calls"]]
        if found != known
    ]


def peeks(agent, seed=1):
    """Has loaded modules that know the world, the truth or the policies."""
    seen = watched(agent, seed=seed)
    names = ["patch_agent.policies", *(f"patch_agent.triage.{name}" for name in FORBIDDEN)]
    loaded = {
        name for at in (0, len(seen) // 2) for name in fresh(agent, seed, seen[at][0])["loaded"]
    }
    return sorted(loaded.intersection(names))


def heeds(agent, change, policy="trim", seed=1):
    """Decides otherwise when something that means nothing is changed."""
    here = load(agent)(seed)
    found = []
    for number, (request, _) in enumerate(watched(agent, policy, seed), 1):
        known = decisions(here.reply(request))
        if decisions(here.reply(change(request))) != known:
            found.append(f"request {number}: another decision")
    return found


def clings(agent, seed=1, policy="trim"):
    """Decides otherwise, beyond the numbers themselves, when reports and issues are renumbered."""
    here = load(agent)(seed)
    found = []
    for number, (request, _) in enumerate(watched(agent, policy, seed), 1):
        known = renumbered(decisions(here.reply(request)))
        if decisions(here.reply(renumbered(request))) != known:
            found.append(f"request {number}: the numbers decide")
    return found


def renumbered(value):
    """A request or decision with other numbers of reports and issues, in the same order."""
    if isinstance(value, dict):
        return {key: renumbered(one) for key, one in value.items()}
    if isinstance(value, list):
        return [renumbered(one) for one in value]
    if not isinstance(value, str):
        return value
    text = re.sub(r"\bR-(\d+)\b", lambda m: f"R-{int(m[1]) + 21_000}", value)
    return re.sub(r"\bISS-(\d+)\b", lambda m: f"ISS-{int(m[1]) + 800}", text)


def other_reasoning(request):
    """Other bytes, and fewer of them, in the blocks of reasoning."""

    def part(one):
        return {**one, "text": "AAAA" * 9} if one["type"] == "reasoning" else one

    return _each(request, lambda m: {**m, "content": [part(one) for one in m["content"]]}, list)


def other_placeholders(request):
    """Other words for cleared results."""

    def worded(message):
        if message["role"] != "tool" or not message["content"].startswith("[cleared: "):
            return message
        return {**message, "content": "(removed, ask again if you need it)"}

    return _each(request, worded, str)


def other_note(request):
    """Other words for what was trimmed."""

    def worded(message):
        if message["role"] == "system" and message.get("name") == "history":
            return {**message, "content": "(some older messages are not shown)"}
        return message

    return _each(request, worded, str)


def other_ids(request):
    """Other ids of calls, the same in calls and results."""
    text = re.sub(
        r'"call_(\d+)"', lambda m: f'"toolu_{int(m[1]) * 7919 % 100_003}x"', json.dumps(request)
    )
    return json.loads(text)


def _each(request, change, kind):
    messages = [change(m) if isinstance(m["content"], kind) else m for m in request["messages"]]
    return {**request, "messages": messages}
