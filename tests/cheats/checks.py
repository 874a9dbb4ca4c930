"""Checks that a seat answers from the request alone. Each gives the complaints that it has.

A seat is a class with `answer` and `reply`. It is named as module:class, because the checks start
it in processes of their own: from another folder, under another hash seed, with nothing but JSON.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from patch_agent.stand_in import MISSING

Wire = dict[str, Any]
Asked = tuple[Wire, dict[str, Any]]
ROOT = Path(__file__).parents[2]
FOREIGN = {"messages": [{"role": "user", "content": "The login is broken. Look into it."}]}
"""A request that holds no evidence for anything but what the user wants."""

FRESH = """
import importlib, json, os, sys
opened = []
place = sys.stdin.read()
asked = json.loads(place)
module, _, name = asked["seat"].partition(":")
seat = getattr(importlib.import_module(module), name)()
if asked["probe"]:
    seat.answer({"messages": [{"role": "user", "content": "warm up"}]}, {"kind": "wants_now"})
sys.addaudithook(lambda event, args: opened.append(str(args[0])) if event == "open" else None)
if asked["probe"] is None:
    print(json.dumps({"said": seat.reply(asked["request"]), "opened": opened}))
else:
    given = seat.answer(asked["request"], asked["probe"])
    print(json.dumps({"said": [given.text, given.found], "opened": opened}))
"""


def load(seat: str) -> Any:
    """A seat in this process."""
    module, _, name = seat.partition(":")
    return getattr(importlib.import_module(module), name)()


def fresh(seat: str, request: Wire, probe: dict[str, Any] | None, hash_seed: int = 7) -> Any:
    """What a seat says in a new process, and the files that it opened to say so."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-c", FRESH],
            input=json.dumps({"seat": seat, "request": request, "probe": probe}),
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": str(hash_seed)},
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=120,
        )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def _said(seat: Any, request: Wire, probe: dict[str, Any] | None) -> Any:
    if probe is None:
        return json.loads(json.dumps(seat.reply(request)))
    given = seat.answer(request, probe)
    return [given.text, given.found]


def remembers(seat: str, asked: Sequence[tuple[Wire, dict[str, Any] | None]]) -> list[str]:
    """Says something else after other requests than in a process that has seen none."""
    here = load(seat)
    found = []
    for request, probe in asked:
        known = _said(here, request, probe)
        if fresh(seat, request, probe)["said"] != known:
            found.append(f"{probe}: another answer in a fresh process")
    return found


def knows(seat: str, asked: Sequence[dict[str, Any]]) -> list[str]:
    """Answers what no request told it, or opens files of the project to answer."""
    found = []
    for probe in asked:
        done = fresh(seat, FOREIGN, probe)
        if done["said"][1] and probe["kind"] != "wants_now":
            found.append(f"{probe['kind']}: {done['said'][0]}")
        if done["said"][0] != MISSING[probe["kind"]] and not done["said"][1]:
            found.append(f"{probe['kind']}: {done['said'][0]}")
        found += [f"opened {name}" for name in done["opened"] if "scenario" in name]
    return found


def heeds_wording(seat: str, asked: Sequence[Asked], probes: Sequence[dict[str, Any]]) -> list[str]:
    """Changes its mind when placeholders and reasoning are worded otherwise."""
    here = load(seat)
    found = []
    for request, _ in asked:
        other = reworded(request)
        for probe in probes:
            if _said(here, request, probe) != _said(here, other, probe):
                found.append(f"{probe}: another answer for another wording")
        calls = [_said(here, wire, None).get("tool_calls") for wire in (request, other)]
        if calls[0] != calls[1]:
            found.append("another action for another wording")
    return found


def reworded(request: Wire) -> Wire:
    """The same request with other words in its placeholders, and other reasoning bytes."""
    messages = []
    for message in request["messages"]:
        text = str(message.get("content"))
        path = re.search(r"\S+/call_\d+\.log", text)
        if message["role"] == "tool" and path and len(text) < 200:
            message = {
                **message,
                "content": f"(This output was removed; see {path[0].strip('[]')})",
            }
        messages.append(message)
    return {**request, "messages": messages}


def renamed(value: Any, names: dict[str, str]) -> Any:
    """A request, probe or answer with each name replaced, wherever it occurs."""
    text = json.dumps(value)
    for old, new in names.items():
        text = text.replace(old, new)
    return json.loads(text)


def clings_to_names(seat: str, asked: Sequence[Asked], names: dict[str, str]) -> list[str]:
    """Says something else when all names are replaced, beyond the names themselves."""
    here = load(seat)
    found = []
    for request, probe in asked:
        known = renamed(_said(here, request, probe), names)
        if _said(here, renamed(request, names), renamed(probe, names)) != known:
            found.append(f"{probe}: the names decide")
    return found
