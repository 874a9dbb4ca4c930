"""The next action: a planner over what one request says. It knows no project.

In this order: run the goal test (everything, where no goal is known). While it fails, take the
first suggested edit that is not ruled out, not forbidden and not yet tried, and run the test
again; undo an edit that did not help. When it passes, run everything; for a failure there, take
the edits that this very output suggests. At the end do what has to be done before the work is
finished. No test module is run by itself: the run of everything has it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from patch_agent.stand_in import closing
from patch_agent.stand_in.evidence import Evidence, Wire, in_force
from patch_agent.stand_in.goals import test_of
from patch_agent.stand_in.outputs import number_of
from patch_agent.stand_in.reader import answer
from patch_agent.stand_in.source import calls, source
from patch_agent.stand_in.suggestions import Suggestion, dead_end, edits, suggestions
from patch_agent.stand_in.wants import tool_name
from patch_agent.stand_in.work import Work, last_user, work

NEEDED = ("run_tests", "edit_file")
NAMES = {
    "memory": "a saved note",
    "report": "the helper's report",
    "tool": "the failing test's own message",
    "user": "the user",
    "summary": "the summary",
}


@dataclass(frozen=True, slots=True)
class Move:
    """What to say, the call to make (name and arguments) if any, and what decided it."""

    text: str
    name: str = ""
    arguments: tuple[tuple[str, Any], ...] = ()
    because: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A suggested edit, where it stands, and why it may not be made ("" where it may)."""

    edit: Suggestion
    evidence: Evidence
    against: str = ""
    reason: Evidence | None = None


def next_move(request: Wire) -> Move:
    """The next action for a request."""
    messages = list(request.get("messages") or ())
    offered = {tool_name(tool) for tool in request.get("tools") or ()}
    missing = [name for name in NEEDED if name not in offered]
    if missing:
        return Move(f"I cannot go on: this call does not offer me {' and '.join(missing)}.")
    goal = answer({"kind": "goal"}, request)
    ending = closing.ending(request)
    test = test_of(goal.text) if goal.found else None
    suggested = {edit for edit, _ in everywhere(messages)}
    state = work(messages, test, ending.path if ending else None, suggested)
    basis = (goal.evidence,) if goal.found and goal.evidence else ()
    move = _tests_and_edits(request, state, basis)
    return move or _close(request, state, ending, offered)


def _tests_and_edits(request: Wire, state: Work, basis: tuple[Evidence, ...]) -> Move | None:
    """The next run or edit; None when everything passes."""
    if state.broken and not (state.goal is None and state.newest is None):
        return Move(f"I cannot run the tests: {state.broken}")
    if state.focus is None and state.everything is None:
        text = "I know of no test that has to pass, so I run all of them."
        return Move(text, "run_tests")
    if state.focus and not state.focus_green:
        if state.focus_green is None or not state.current:
            which = "the goal test" if state.goal else "the test that failed"
            text = f"I run {which}." if state.focus_green is None else f"Does {which} pass now?"
            return Move(text, "run_tests", (("target", state.focus),), basis)
        return _back(state, state.focus) or _forward(
            request, state, state.focus, everywhere(request["messages"])
        )
    if not state.ran_everything:
        return Move("Now I run all tests.", "run_tests")
    trouble = state.trouble()
    if trouble is None:
        run = state.everything
        if run is not None and not run.named:
            return Move(f"{run.failed:,} tests fail, and the output does not name them.")
        return None
    index = state.newest.index if state.newest else -1
    printed = ((edit, replace(e, message=index)) for edit, e in
               suggestions(source(request["messages"][index])))  # fmt: skip
    return _back(state, trouble.test) or _forward(request, state, trouble.test, printed)


def everywhere(messages: Sequence[Wire]) -> Iterator[tuple[Suggestion, Evidence]]:
    """The suggested edits of all messages, in the order of the request."""
    for index, message in enumerate(messages):
        for edit, evidence in suggestions(source(message)):
            yield edit, replace(evidence, message=index)


def _back(state: Work, test: str) -> Move | None:
    """Undoes the last edit when the test that it was made for still fails."""
    if not state.kept or state.kept[-1][1] != test:
        return None
    edit = state.kept[-1][0]
    text = f"That did not help: {test} still fails. I put `{edit.old}` back in {edit.path}."
    return Move(text, "edit_file", tuple(edit.undone.arguments.items()))


def _forward(
    request: Wire, state: Work, test: str, found: Iterator[tuple[Suggestion, Evidence]]
) -> Move:
    """Makes the first edit that may be made; says what is missing where there is none."""
    passed_over: list[Candidate] = []
    for edit, evidence in found:
        candidate = weigh(request, state, edit, evidence)
        if not candidate.against:
            where = NAMES.get(evidence.part, "the text")
            notes = "".join(f" {c.edit.path}: {c.against}." for c in passed_over)
            text = f"{test} fails.{notes} I try what {where} suggests in {edit.path}."
            reasons = tuple(c.reason for c in passed_over if c.reason)
            return Move(text, "edit_file", tuple(edit.arguments.items()), (evidence, *reasons))
        passed_over.append(candidate)
    ways = "; ".join(f"{c.edit.path}: {c.against}" for c in passed_over)
    ending = f" What I know of: {ways}." if ways else ""
    text = f"{test} fails, and I know no change that I may still try.{ending}"
    return Move(text, because=tuple(c.reason for c in passed_over if c.reason))


def weigh(request: Wire, state: Work, edit: Suggestion, evidence: Evidence) -> Candidate:
    """Whether a suggested edit may be made, and if not, why."""
    if edit in state.tried:
        return Candidate(edit, evidence, "tried already")
    rule = answer({"kind": "may_edit", "params": {"path": edit.path}}, request)
    if rule.found:
        return Candidate(edit, evidence, "not to be edited", rule.evidence)
    against = in_force(
        replace(piece, message=index)
        for index, message in enumerate(request["messages"])
        for piece in dead_end(edit, message)
    )
    if against:
        return Candidate(edit, evidence, "ruled out before", against[0])
    before = request["messages"][: last_user(request["messages"]) + 1]
    if any(edit in edits(message) for message in before):
        return Candidate(edit, evidence, "made before")
    return Candidate(edit, evidence)


def _close(request: Wire, state: Work, ending: closing.Ending | None, offered: set[str]) -> Move:
    """What is to be done before the end, then the last words."""
    tests = f"{state.everything.passed} tests" if state.everything else "the tests"
    changed = list(dict.fromkeys(edit.path for edit, _ in state.kept))
    said = f"Done: all {tests} pass." + (f" Changed: {', '.join(changed)}." if changed else "")
    if ending is None:
        return Move(said)
    step = closing.step(request, ending, state.focus, changed, offered)
    if isinstance(step, str):
        return Move(f"{said} {step}".strip(), because=(ending.evidence,))
    text, name, arguments = step
    return Move(text, name, tuple(arguments.items()), (ending.evidence,))


def reply(request: Wire, move: Move) -> dict[str, Any]:
    """The move as an assistant message; its call takes the number after the highest one seen."""
    import json

    message: dict[str, Any] = {"role": "assistant", "content": move.text}
    if move.name:
        seen = [number_of(c.id) or 0 for m in request.get("messages") or () for c in calls(m)]
        arguments = json.dumps(dict(move.arguments), ensure_ascii=False)
        function = {"name": move.name, "arguments": arguments}
        ident = f"call_{max(seen, default=0) + 1}"
        message["tool_calls"] = [{"id": ident, "type": "function", "function": function}]
    return message
