"""The few small values that decide a run, each read message by message.

Two requests with equal facts get the same run, word for word. So runs can be made once for each
combination of values, and kept. The first value is the one that decides, as for a probe.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from patch_agent.stand_in import goals, rules, wrap_up
from patch_agent.stand_in.closing import heading_of
from patch_agent.stand_in.evidence import TOOLS_ARRAY, Evidence, Wire, settle
from patch_agent.stand_in.plan import everywhere
from patch_agent.stand_in.source import source
from patch_agent.stand_in.suggestions import Suggestion, dead_end, edits, suggestions
from patch_agent.stand_in.wants import tool_name

TOOLS = ("run_tests", "edit_file", "read_file", "write_file")
"""The tools that a run may call."""

Read = Callable[[Wire], tuple[Evidence, ...]]


@dataclass(frozen=True, slots=True)
class Fact:
    """One value: `read` gives the evidence of one message (of one tool definition where
    `of_tools`), whose `answer` is the value; `missing` is the value without evidence."""

    id: str
    read: Read
    missing: str
    of_tools: bool = False
    first: bool = False

    def value(self, request: Wire) -> str:
        """The value in one request."""
        if self.of_tools:
            found = [e for tool in request.get("tools") or () for e in self.read(tool)]
            return found[0].answer if found else self.missing
        pieces = [
            replace(piece, message=index)
            for index, message in enumerate(request.get("messages") or ())
            for piece in self.read(message)
        ]
        settled = settle(pieces, self.missing, self.first)
        return settled.text if settled.found else self.missing


def run_facts(found: Sequence[Suggestion], files: Sequence[str] = ()) -> tuple[Fact, ...]:
    """The facts of a run in which the edits `found` may turn up.

    `files` are further files that a run may write, such as the one that the rule for the end of
    the work names.
    """
    paths = list(dict.fromkeys([*(edit.path for edit in found), *files]))
    facts = [Fact("goal", _goal, "")]
    facts += [Fact(f"may edit {path}", _rule(path), "yes") for path in paths]
    for edit in found:
        label = f"{edit.path}: {edit.new}"
        facts.append(Fact(f"suggested {label}", _suggested(edit), "", first=True))
        facts.append(Fact(f"ruled out {label}", _against(edit), ""))
        facts.append(Fact(f"made {label}", _made(edit), ""))
    facts.append(Fact("at the end", _ending, ""))
    facts += [Fact(f"tool {name}", _tool(name), "", of_tools=True) for name in TOOLS]
    return tuple(facts)


def facts(request: Wire) -> dict[str, str]:
    """The facts of a request, for the edits that it suggests itself."""
    found = list(dict.fromkeys(edit for edit, _ in everywhere(request.get("messages") or ())))
    return {fact.id: fact.value(request) for fact in run_facts(found)}


def _goal(message: Wire) -> tuple[Evidence, ...]:
    return tuple(
        replace(piece, answer=goals.test_of(piece.answer)) for piece in goals.goal(source(message))
    )


def _rule(path: str) -> Read:
    def read(message: Wire) -> tuple[Evidence, ...]:
        return tuple(replace(piece, answer="no") for piece in rules.may_edit(path, source(message)))

    return read


def _suggested(edit: Suggestion) -> Read:
    def read(message: Wire) -> tuple[Evidence, ...]:
        found = suggestions(source(message))
        return tuple(replace(e, answer=e.part) for other, e in found if other == edit)

    return read


def _against(edit: Suggestion) -> Read:
    def read(message: Wire) -> tuple[Evidence, ...]:
        return tuple(replace(piece, answer="yes") for piece in dead_end(edit, message))

    return read


def _made(edit: Suggestion) -> Read:
    def read(message: Wire) -> tuple[Evidence, ...]:
        kind = source(message).kind
        return (Evidence(0, kind, 0, 0, "", "yes"),) if edit in edits(message) else ()

    return read


def _ending(message: Wire) -> tuple[Evidence, ...]:
    return tuple(
        replace(e, answer=f"{wrap_up.thing(e.quote)} {heading_of(e.quote) or ''}".strip())
        for e in wrap_up.before_done(source(message))
    )


def _tool(name: str) -> Read:
    def read(tool: Wire) -> tuple[Evidence, ...]:
        same = tool_name(tool) == name
        return (Evidence(TOOLS_ARRAY, "tools", 0, len(name), name, "yes"),) if same else ()

    return read
