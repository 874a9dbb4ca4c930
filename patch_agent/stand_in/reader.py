"""One place that knows which probe is answered by which evidence, in which order, and how the
answer sounds where nothing is found.

The goal's test is the one thing that a probe may need from elsewhere: "how did it fail at first"
without a test asks for the goal first and goes on with that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from patch_agent.stand_in import dead_ends, failures, goals, outputs, reports, rules, wants, wrap_up
from patch_agent.stand_in.evidence import NOT_HERE, Answer, Evidence, Wire, settle
from patch_agent.stand_in.source import RULE_SOURCES, Source, part_name, source

MISSING = {
    "may_edit": rules.MISSING,
    "goal": NOT_HERE,
    "first_failure": NOT_HERE,
    "ruled_out": NOT_HERE,
    "output_of": NOT_HERE,
    "helper_found": NOT_HERE,
    "before_done": NOT_HERE,
    "wants_now": NOT_HERE,
    "tools": wants.NO_TOOLS,
}
"""The kinds of probe, and the answer to each where the request holds no evidence."""

SOURCES: dict[str, frozenset[str]] = {
    "may_edit": RULE_SOURCES,
    "goal": goals.SOURCES,
    "first_failure": failures.STATED | {"tool"},
    "ruled_out": dead_ends.SOURCES,
    "output_of": outputs.SOURCES,
    "helper_found": reports.SOURCES,
    "before_done": RULE_SOURCES,
    "wants_now": frozenset(wants.RANKS),
    "tools": frozenset(),
}
"""Whose words count for each kind: roles, and ids of parts. Only the tool list itself for tools."""

PARAMS: dict[str, dict[str, type]] = {"may_edit": {"path": str}, "output_of": {"call": int}}
"""Parameters without which a kind cannot be asked."""

FIRST = frozenset({"first_failure"})
"""Kinds for which the earliest statement decides; for all others the latest one does."""


def evidence(probe: Mapping[str, Any], message: Wire) -> tuple[Evidence, ...]:
    """What one message says on a probe; it depends on that message alone. Raises ValueError."""
    return _evidence(str(probe.get("kind")), probe.get("params") or {}, source(message))


def _evidence(kind: str, params: Mapping[str, Any], here: Source) -> tuple[Evidence, ...]:
    match kind:
        case "may_edit":
            return rules.may_edit(str(params["path"]), here)
        case "goal":
            return goals.goal(here)
        case "first_failure":
            return failures.first_failure(params.get("test"), here)
        case "ruled_out":
            return dead_ends.ruled_out(here)
        case "output_of":
            return outputs.output_of(int(params["call"]), here)
        case "helper_found":
            return reports.helper_found(here)
        case "before_done":
            return wrap_up.before_done(here)
        case "wants_now":
            return wants.wants_now(here)
        case "tools":
            return ()
    raise ValueError(f"probe: expected a kind out of {', '.join(MISSING)}, got {kind!r}")


def gather(probe: Mapping[str, Any], request: Wire) -> tuple[Evidence, ...]:
    """The evidence of all messages of a request, and of its tool list, with their places."""
    kind, params = str(probe.get("kind")), probe.get("params") or {}
    sources = [source(message) for message in request.get("messages") or ()]
    last = max((i for i, here in enumerate(sources) if here.kind == "user"), default=-1)
    found = [
        replace(piece, message=index, part=part_name(here, index == last))
        for index, here in enumerate(sources)
        for piece in _evidence(kind, params, here)
    ]
    if kind == "tools":
        found += wants.tools(request.get("tools") or ())
    return tuple(found)


def answer(probe: Mapping[str, Any], request: Wire) -> Answer:
    """The answer that a request gives to a probe. Raises ValueError."""
    kind, params = _checked(probe)
    if kind == "first_failure" and not params.get("test"):
        goal = settle(gather({"kind": "goal"}, request), "")
        if goal.found:
            params["test"] = goals.test_of(goal.text)
    found = gather({"kind": kind, "params": params}, request)
    return settle(found, MISSING[kind], kind in FIRST)


def _checked(probe: Any) -> tuple[str, dict[str, Any]]:
    """A probe's kind and parameters. Raises ValueError, naming what is wrong."""
    if not isinstance(probe, Mapping):
        raise ValueError(f"probe: expected an object with a kind, got {probe!r:.80}")
    kind, params = str(probe.get("kind")), probe.get("params") or {}
    if kind not in MISSING:
        known = ", ".join(MISSING)
        raise ValueError(f"probe: expected a kind out of {known}, got {kind!r:.80}")
    if not isinstance(params, Mapping):
        raise ValueError(f"params: expected an object, got {params!r:.80}")
    if not isinstance(params.get("test", ""), str | None):
        raise ValueError(f"test: expected str, got {params['test']!r:.80}")
    for name, wanted in PARAMS.get(kind, {}).items():
        if type(params.get(name)) is not wanted:
            raise ValueError(f"{name}: expected {wanted.__name__}, got {params.get(name)!r:.80}")
    return kind, dict(params)
