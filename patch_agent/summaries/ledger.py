"""The ledger of a compaction: what a summary kept word for word, paraphrased, or lost.

One row for each rule and request of the user, first failure, dead end, decision, path, test id
and saved output of the steps that the summary covers. Its status follows from the two texts:

- *verbatim*: the row's exact text stands in the summary (for a path or id as a whole word; for
  a dead end the file and the changed code; for an output its path, or a numbered pattern whose
  range holds it);
- *paraphrased*: one sentence of the summary has more than half of the row's words (four letters
  or more, compared by their first five; numbers count as words), or, for a dead end, names the
  file and says that the attempt was in vain;
- *lost*: neither.

A ledger counts words and cannot tell whether a paraphrase is true.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from patch_agent.messages import Message
from patch_agent.summaries.findings import sentences, tells_dead_end, tells_rule
from patch_agent.summaries.outputs import in_a_range
from patch_agent.summaries.record import Edit, Output, Record, scan
from patch_agent.summaries.summary import Summary

Status = Literal["verbatim", "paraphrased", "lost"]
RowKind = Literal["rule", "request", "failure", "dead end", "decision", "path", "test", "output"]


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """One item of the covered steps and its fate. `id` is the same in every ledger of a run."""

    id: str
    kind: RowKind
    text: str
    step: int
    status: Status


def ledger(messages: Sequence[Message], summary: Summary) -> tuple[LedgerRow, ...]:
    """The rows of the covered messages, which are the originals, against this summary."""
    text = _Text(summary.text)
    counts: dict[tuple[RowKind, int], int] = {}
    rows = []
    for kind, item, step, status in _rows(scan(messages), text):
        number = counts[kind, step] = counts.get((kind, step), 0) + 1
        ident = f"{kind.replace(' ', '-')}-{step}-{number}"
        rows.append(LedgerRow(ident, kind, item, step, status))
    return tuple(rows)


class _Text:
    """A summary's text with its sentences' words, which are compared many times."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.sentences = sentences(text)
        self.words = [_words(sentence) for sentence in self.sentences]

    def has(self, item: str) -> bool:
        return item in self.text

    def names(self, item: str) -> bool:
        pattern = rf"(?<![\w/.\-]){re.escape(item)}(?![\w/\-]|\.\w|::)"
        return item in self.text and re.search(pattern, self.text) is not None

    def resembles(self, item: str) -> bool:
        wanted = _words(item)
        return bool(wanted) and any(len(wanted & said) * 2 > len(wanted) for said in self.words)

    def status(self, item: str, verbatim: bool) -> Status:
        if verbatim:
            return "verbatim"
        return "paraphrased" if self.resembles(item) else "lost"


@lru_cache(maxsize=20_000)
def _words(text: str) -> frozenset[str]:
    found = re.findall(r"\d+|[^\W\d_]{4,}", text.lower())
    return frozenset(word[:5] for word in found)


_Row = tuple[RowKind, str, int, Status]


def _rows(record: Record, text: _Text) -> Iterator[_Row]:
    for quote in record.said:
        kind: RowKind = "rule" if tells_rule(quote.text) else "request"
        yield kind, quote.text, quote.step, text.status(quote.text, text.has(quote.text))
    for failure in record.failures:
        item = failure.error or failure.test
        yield "failure", item, failure.step, text.status(item, text.has(item))
    for edit in record.edits:
        if edit.undone is not None:
            yield "dead end", _told(edit), edit.undone, _edit_status(edit, text)
    for quote in record.dead_ends:
        yield "dead end", quote.text, quote.step, text.status(quote.text, text.has(quote.text))
    for quote in record.decisions:
        yield "decision", quote.text, quote.step, text.status(quote.text, text.has(quote.text))
    yield from _names(record, text)
    for output in record.outputs:
        yield "output", output.path, output.step, _output_status(output, text)


def _told(edit: Edit) -> str:
    return f"{edit.path}: {edit.old} → {edit.new}"


def _edit_status(edit: Edit, text: _Text) -> Status:
    if text.names(edit.path) and text.has(edit.new.split("\n", 1)[0]):
        return "verbatim"
    vain = (said for said in text.sentences if edit.path in said and tells_dead_end(said))
    return "paraphrased" if any(vain) else "lost"


def _names(record: Record, text: _Text) -> Iterator[_Row]:
    first: dict[str, int] = {failure.test: failure.step for failure in record.failures}
    for visit in record.visits:
        first.setdefault(visit.target, visit.step)
    for name, step in first.items():
        if any(character.isalnum() for character in name):
            kind: RowKind = "test" if "::" in name else "path"
            yield kind, name, step, text.status(name, text.names(name))


def _output_status(output: Output, text: _Text) -> Status:
    held = text.names(output.path) or in_a_range(output, text.text)
    return "verbatim" if held else "lost"
