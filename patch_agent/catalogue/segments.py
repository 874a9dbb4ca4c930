"""The segments: every message and tool definition that any state can send, and when it is sent.

They are read off requests that the context builder really makes, so that nothing about a
policy is written down here a second time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from patch_agent.builder import assemble
from patch_agent.catalogue.state import State
from patch_agent.messages import Message, steps
from patch_agent.request import PARTS, Request
from patch_agent.scenario import Scenario
from patch_agent.task import TOOLS
from patch_agent.tokens import TokenCounter, estimate, tool_text
from patch_agent.wire import to_wire

HEAD = 80
"""Characters of a segment's text that the catalogue itself holds."""
SUMMARIES = ("careful", "careless")
RECENT = "recent"


@dataclass(frozen=True, slots=True)
class Segment:
    """A message or a tool definition. All keys of `when` must hold for it to be sent:
    `tools`, the settings of the tools; `at`, the forms of its step; `form` with `from` and `to`,
    the summary's form and for how many older steps it stands."""

    id: str
    part: str
    message: Message | None = None
    tool: Mapping[str, Any] | None = None
    step: int | None = None
    when: Mapping[str, Any] = field(default_factory=dict)

    @property
    def wire(self) -> dict[str, Any]:
        """The segment as it goes over the wire."""
        if self.message is not None:
            return to_wire(self.message)
        return dict(self.tool or {})

    @property
    def role(self) -> str:
        """Who speaks it; `definition` for a tool."""
        return self.message.role if self.message is not None else "definition"

    @property
    def text(self) -> str:
        """What a reader is shown of it: the words, and each call as name and arguments."""
        if self.message is None:
            return tool_text(self.tool or {})
        calls = [f"{call.name} {call.arguments}" for call in self.message.calls]
        results = [done.text for done in self.message.results]
        return "\n".join(filter(None, [self.message.text, *calls, *results]))

    def tokens(self, counter: TokenCounter) -> int:
        """Tokens, framing included."""
        if self.message is not None:
            return counter.message(self.message)
        return counter.tool(self.tool or {})

    def sent(self, state: State, count: int) -> bool:
        """True where the state sends it, of `count` steps in all."""
        if self.part in state.off or (self.part == "tools" and state.tools == "none"):
            return False
        when, older = self.when, count - state.k
        if "tools" in when and state.tools not in when["tools"]:
            return False
        if "form" in when:
            return bool(when["form"] == state.older and when["from"] <= older <= when["to"])
        if "at" in when and self.step is not None:
            return (RECENT if self.step > older else state.older) in when["at"]
        return True


def present(segments: Sequence[Segment], state: State, count: int) -> tuple[Segment, ...]:
    """The segments that a state sends, in order."""
    return tuple(segment for segment in segments if segment.sent(state, count))


def build(scenario: Scenario, state: State) -> Request:
    """The request that the context builder makes in a state, whether it fits or not."""
    patch = replace(scenario.state, choices=state.choices)
    return assemble(patch, scenario.conversation, scenario.window).request


def all_segments(scenario: Scenario) -> tuple[Segment, ...]:
    """Every segment of every state, in the order in which they are sent."""
    everything = build(scenario, State(scenario.steps, tools="40"))
    few = {tool["name"] for tool in scenario.state.tools}
    found: list[Segment] = []
    for part in PARTS:
        if part == "tools":
            for tool in everything.tools:
                sets = [name for name in TOOLS if name != "none"]
                when = {"tools": sets if tool["name"] in few else ["40"]}
                found.append(Segment(f"tool.{tool['name']}", part, tool=tool, when=when))
        elif part == "summary":
            found += _summaries(scenario)
        elif part == "history":
            found += _history(scenario, everything)
        else:
            entries = everything.part(part).entries
            found += [Segment(part, part, message=entry.message) for entry in entries]
    return tuple(found)


def _summaries(scenario: Scenario) -> Iterator[Segment]:
    """A summary for each form and each number of older steps; equal ones in a row are one."""
    for form in SUMMARIES:
        latest: Segment | None = None
        for older in range(1, scenario.steps + 1):
            entries = build(scenario, State(scenario.steps - older, form)).part("summary").entries
            message = entries[0].message if entries else None
            if latest is not None and message == latest.message:
                latest = replace(latest, when={**latest.when, "to": older})
                continue
            if latest is not None:
                yield latest
            when = {"form": form, "from": older, "to": older}
            ident = f"{form}.{older}"
            latest = Segment(ident, "summary", message=message, when=when) if message else None
        if latest is not None:
            yield latest


def _history(scenario: Scenario, everything: Request) -> Iterator[Segment]:
    """Each message of the recorded steps, and the placeholder of each result."""
    cleared = build(scenario, State(0, "clear")).part("history").entries
    lean = {entry.index: entry.message for entry in cleared}
    home = {index: step.number for step in steps(scenario.conversation) for index in step.indices}
    for entry in everything.part("history").entries:
        assert entry.index is not None
        step, instead = home[entry.index], lean[entry.index]
        same = instead == entry.message
        at = {"at": [RECENT, "clear"] if same else [RECENT]}
        yield Segment(f"m{entry.index}", "history", entry.message, step=step, when=at)
        if not same:
            when = {"at": ["clear"]}
            yield Segment(f"c{entry.index}", "history", instead, step=step, when=when)


def as_data(segment: Segment, counter: TokenCounter) -> dict[str, Any]:
    """The segment as the catalogue holds it."""
    text = segment.text
    return {
        "id": segment.id,
        "part": segment.part,
        "step": segment.step,
        "role": segment.role,
        "tokens": segment.tokens(counter),
        "estimate": _estimate(segment),
        "head": " ".join(text[: 2 * HEAD].split())[:HEAD],
        "when": dict(segment.when),
    }


def _estimate(segment: Segment) -> int:
    return segment.tokens(estimate())
