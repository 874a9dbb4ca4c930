"""The tables of the page on the stand-in: whose words count, and the running example's rounds.

They are computed from the stand-in itself; nothing about it is typed in twice.
"""

from __future__ import annotations

from collections.abc import Mapping

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


def sayings(path: str, said: Mapping[str, str]) -> Table:
    """What the stand-in makes of sentences about one path, each from the source given with it."""
    model = StandIn()
    rows = []
    for text, source in said.items():
        role = source if source in ("user", "assistant", "tool") else "system"
        message = {"role": role, "name": source, "content": text}
        messages = [message]
        if role == "tool":
            function = {"name": "read_file", "arguments": "{}"}
            call = {"id": "call_1", "type": "function", "function": function}
            asked = {"role": "assistant", "content": "", "tool_calls": [call]}
            messages = [asked, {**message, "tool_call_id": "call_1"}]
        probe = {"kind": "may_edit", "params": {"path": path}}
        answer = model.answer({"messages": messages}, probe)
        verdict = "no" if answer.found else "yes, it is allowed" if answer.evidence else "yes"
        rows.append(Row(f"“{text}”", (NAMES[source], verdict)))
    return Table(f"May it edit `{path}`?", ("sentence", "where it stands", "answer"), tuple(rows))
