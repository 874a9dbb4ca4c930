"""The tables of the page on the stand-in: whose words count, and the running example's rounds.

They are computed from the stand-in itself; nothing about it is typed in twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from patch_agent.probes import Probe
from patch_agent.stand_in import MISSING, StandIn
from patch_agent.stand_in.reader import SOURCES
from widgets.tables import Row, Table

NAMES = {
    "user": "what you say",
    "task": "the task block",
    "summary": "a summary",
    "agents_md": "AGENTS.md",
    "report": "the helper's report",
    "assistant": "Patch's own earlier replies",
    "tool": "a tool's output",
}
"""What a reader calls each source."""


def sources(probes: tuple[Probe, ...]) -> Table:
    """For each question whose words count, and the answer where nothing is found."""
    rows = tuple(
        Row(probe.question, (_listed(probe.kind), MISSING[probe.kind])) for probe in probes
    )
    return Table("Whose words count", ("question", "read from", "if nothing is found"), rows)


def _listed(kind: str) -> str:
    named = [name for source, name in NAMES.items() if source in SOURCES[kind]]
    return ", ".join(named) or "the call's tool list"


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence, and the source in which it stands."""

    text: str
    source: str


_WISH = Said("Please mend the login test.", "user")
_RULE = Said("Do not edit tests/fixtures/.", "user")
_ERROR = Said("The test failed with `assert 1 == 2`.", "user")
_MAY = {"kind": "may_edit", "params": {"path": "tests/fixtures/"}}
PAIRS: tuple[tuple[Mapping[str, Any], Said, Said], ...] = (
    ({"kind": "wants_now"}, _WISH, Said("Please add a logo.", "user")),
    ({"kind": "wants_now"}, _WISH, Said("The user now wants a logo.", "task")),
    (
        {"kind": "wants_now"},
        Said("The user now wants a logo.", "task"),
        Said("The user now wants a new page.", "summary"),
    ),
    (_MAY, _RULE, Said("You may edit tests/fixtures/ now.", "user")),
    (_MAY, _RULE, Said("You may edit tests/ now.", "user")),
    ({"kind": "first_failure"}, _ERROR, Said("The test failed with `assert 3 == 4`.", "user")),
    (
        {"kind": "first_failure"},
        replace(_ERROR, source="summary"),
        Said("The test failed with `assert 3 == 4`.", "user"),
    ),
)
"""Questions, each with two statements that answer it in different ways."""


def ranks() -> Table:
    """Which of two statements decides: both are sent, first in one order, then in the other."""
    rows = tuple(
        Row(_quoted(one), (_quoted(other), _decides(probe, one, other)))
        for probe, one, other in PAIRS
    )
    heads = ("one statement", "another", "which decides")
    return Table("Two statements about the same thing", heads, rows)


def _quoted(said: Said) -> str:
    return f"“{said.text}” ({NAMES[said.source]})"


def _decides(probe: Mapping[str, Any], one: Said, other: Said) -> str:
    """Found by asking: the place of the evidence in either order."""
    model, found = StandIn(), []
    for pair in ((one, other), (other, one)):
        messages = [message for said in pair for message in _sent(said)]
        evidence = model.answer({"messages": messages}, probe).evidence
        found.append(None if evidence is None else messages[evidence.message]["content"])
    verdicts = {
        (one.text, one.text): "the first, in either order",
        (other.text, other.text): "the second, in either order",
        (other.text, one.text): "the later one",
        (one.text, other.text): "the earlier one",
    }
    return verdicts.get((found[0], found[1]), "neither")


def _sent(said: Said) -> list[dict[str, Any]]:
    """The messages in which a sentence goes out: a tool's output comes with its call."""
    role = said.source if said.source in ("user", "assistant", "tool") else "system"
    message = {"role": role, "name": said.source, "content": said.text}
    if role != "tool":
        return [message]
    function = {"name": "read_file", "arguments": "{}"}
    call = {"id": "call_1", "type": "function", "function": function}
    asked = {"role": "assistant", "content": "", "tool_calls": [call]}
    return [asked, {**message, "tool_call_id": "call_1"}]


def sayings(path: str, said: Mapping[str, str]) -> Table:
    """What the stand-in makes of sentences about one path, each from the source given with it."""
    model = StandIn()
    rows = []
    for text, source in said.items():
        probe = {"kind": "may_edit", "params": {"path": path}}
        answer = model.answer({"messages": _sent(Said(text, source))}, probe)
        verdict = "no" if answer.found else "yes, it is allowed" if answer.evidence else "yes"
        rows.append(Row(f"“{text}”", (NAMES[source], verdict)))
    return Table(f"May it edit `{path}`?", ("sentence", "where it stands", "answer"), tuple(rows))
