"""What happened in a conversation, as data: the ground that both summary writers stand on.

A record is read off the messages by rules that know no scenario: what the user said, which
tests failed and how, edits and whether they were undone, what the assistant ruled out or
decided, which paths were read, edited, searched or run, and whose output was saved. Tools of
other agents are understood by the usual names of their arguments. A record of earlier steps
is carried on, so that a second summary sees the first without reading its steps again.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from patch_agent.messages import Message, Ref, Text, ToolCall, ToolResult, pairing, steps
from patch_agent.output_paths import output_path
from patch_agent.summaries.calls import Action, action_of
from patch_agent.summaries.findings import (
    failures_in,
    outcome_of,
    sentences,
    tells_dead_end,
    tells_decision,
)


@dataclass(frozen=True, slots=True)
class Quote:
    """Words of the user or the assistant, exactly, and the step in which they were said."""

    step: int
    text: str


@dataclass(frozen=True, slots=True)
class Failure:
    """The first failing output of one test (or one error, where there is no test id)."""

    test: str
    error: str
    step: int
    call_id: str


@dataclass(frozen=True, slots=True)
class Edit:
    """One change of a file; `undone` is the step that took it back."""

    path: str
    old: str
    new: str
    step: int
    undone: int | None = None


@dataclass(frozen=True, slots=True)
class Visit:
    """One call's use of a path or test id: read, edited, searched or run, and a run's outcome."""

    target: str
    action: str
    step: int
    outcome: str = ""


@dataclass(frozen=True, slots=True)
class Search:
    """What was searched for."""

    pattern: str
    step: int


@dataclass(frozen=True, slots=True)
class Output:
    """A call whose output is saved, the name of its tool, and which use of its id it was."""

    call_id: str
    tool: str
    step: int
    use: int = 1

    @property
    def path(self) -> str:
        """Where it is saved, in the workspace."""
        return output_path(self.call_id, self.use)


@dataclass(frozen=True, slots=True)
class Record:
    """All of the above for the first `steps` steps of a conversation, in order.

    `spoken` counts the words of the assistant, in small letters.
    """

    steps: int = 0
    said: tuple[Quote, ...] = ()
    failures: tuple[Failure, ...] = ()
    edits: tuple[Edit, ...] = ()
    dead_ends: tuple[Quote, ...] = ()
    decisions: tuple[Quote, ...] = ()
    visits: tuple[Visit, ...] = ()
    outputs: tuple[Output, ...] = ()
    searches: tuple[Search, ...] = ()
    spoken: tuple[tuple[str, int], ...] = ()


def scan(messages: Sequence[Message], earlier: Record | None = None) -> Record:
    """The record of these messages, carried on from that of the steps before them."""
    draft = _Draft(earlier or Record())
    pairs = pairing(messages).results
    for step in steps(messages):
        draft.step += 1
        for index in step.indices:
            message = messages[index]
            if message.role == "user" and message.text.strip():
                draft.said.append(Quote(draft.step, message.text.strip()))
            if message.role == "assistant":
                for position, block in enumerate(message.blocks):
                    if isinstance(block, Text):
                        draft.read_words(block.text)
                    elif isinstance(block, ToolCall):
                        refs = pairs.get((index, position), ())
                        draft.read_call(block, _final_result(messages, refs))
    return draft.record()


def _final_result(messages: Sequence[Message], refs: Sequence[Ref]) -> ToolResult | None:
    if not refs:
        return None
    index, position = refs[-1]
    block = messages[index].blocks[position]
    return block if isinstance(block, ToolResult) else None


@dataclass(frozen=True, slots=True)
class _Told:
    """What words of the assistant hold, of whatever step."""

    words: tuple[str, ...]
    dead_ends: tuple[str, ...]
    decisions: tuple[str, ...]


@lru_cache(maxsize=2_000)
def _told(text: str) -> _Told:
    """Read once: a conversation is scanned again for each further summary."""
    words = re.findall(r"[^\W\d_]{3,}", text.lower())
    said = sentences(text)
    vain = tuple(sentence for sentence in said if tells_dead_end(sentence))
    decided = (one for one in said if one not in vain and tells_decision(one))
    return _Told(tuple(words), vain, tuple(decided))


class _Draft:
    """A record while it is being read: the same fields as lists."""

    def __init__(self, earlier: Record) -> None:
        self.step = earlier.steps
        self.said = list(earlier.said)
        self.failures = list(earlier.failures)
        self.edits = list(earlier.edits)
        self.dead_ends = list(earlier.dead_ends)
        self.decisions = list(earlier.decisions)
        self.visits = list(earlier.visits)
        self.outputs = list(earlier.outputs)
        self.searches = list(earlier.searches)
        self.spoken = Counter(dict(earlier.spoken))
        self._uses = Counter(output.call_id for output in self.outputs)
        self._failed = {failure.test or failure.error for failure in self.failures}

    def record(self) -> Record:
        return Record(
            self.step,
            tuple(self.said),
            tuple(self.failures),
            tuple(self.edits),
            tuple(self.dead_ends),
            tuple(self.decisions),
            tuple(self.visits),
            tuple(self.outputs),
            tuple(self.searches),
            tuple(self.spoken.items()),
        )

    def read_words(self, text: str) -> None:
        told = _told(text)
        self.spoken.update(told.words)
        self.dead_ends += [Quote(self.step, sentence) for sentence in told.dead_ends]
        self.decisions += [Quote(self.step, sentence) for sentence in told.decisions]

    def read_call(self, call: ToolCall, done: ToolResult | None) -> None:
        action = action_of(call)
        outcome = outcome_of(done.text) if done is not None and action.verb == "run" else ""
        self.visits += [Visit(name, action.verb, self.step, outcome) for name in action.targets]
        if action.pattern:
            self.searches.append(Search(action.pattern, self.step))
        if done is None:
            return
        self.outputs.append(Output(call.id, call.name, self.step, 1 + self._uses[call.id]))
        self._uses[call.id] += not done.pending
        if action.verb == "run":
            self._add_failures(call, done)
        if not done.error and not done.pending:
            self._add_edit(action)

    def _add_failures(self, call: ToolCall, done: ToolResult) -> None:
        for test, error in failures_in(done.text):
            if (test or error) not in self._failed:
                self._failed.add(test or error)
                self.failures.append(Failure(test, error, self.step, call.id))

    def _add_edit(self, action: Action) -> None:
        """Notes an edit, or marks those that it takes back."""
        for place, edit in enumerate(self.edits):
            if edit.undone is None and edit.path in action.restores:
                self.edits[place] = replace(edit, undone=self.step)
        if action.new is None:
            return
        path, old, new = action.targets[0], (action.old or "").strip(), action.new.strip()
        for place in range(len(self.edits) - 1, -1, -1):
            edit = self.edits[place]
            if edit.undone is None and (edit.path, edit.new, edit.old) == (path, old, new):
                self.edits[place] = replace(edit, undone=self.step)
                return
        self.edits.append(Edit(path, old, new, self.step))
