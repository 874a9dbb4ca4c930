"""A writer of summaries for the batch, which loses some of what it should keep.

It says what it read in the agent's own sentences. A share of what it could say is left out, drawn
by the seed and the thing: a summary is somebody's lossy rewrite, and how lossy this one is, is
our choice. It looks at the messages that it is given and at nothing else.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from patch_agent.messages import Message, Usage, steps
from patch_agent.summaries import LIMIT, Summary
from patch_agent.tokens import FRAMING, TokenCounter
from patch_agent.triage import reader_words as words
from patch_agent.triage.reader import Knowledge, read
from patch_agent.triage.reader_texts import Finding, Key
from patch_agent.wire import to_wire

LOST = 1 / 9
"""Share of the issues and reports that a summary leaves out; the book's lost 6 of 54."""
HEAD = "Summary of earlier steps, written by the harness. What it does not say can be looked up."
_IN_USE = re.compile(r"\bISS-\d+\b|(?<![\w./])[\w.]+(?:/[\w.]+)+\.py\b")


def in_use(text: str) -> Iterator[str]:
    """What must not get lost: numbers of issues, and paths of sources."""
    return (match.group() for match in _IN_USE.finditer(text))


@dataclass(frozen=True, slots=True)
class TriageSummary:
    """Writes summaries for the stand-in of one seed."""

    seed: int

    def __call__(
        self,
        messages: Sequence[Message],
        counter: TokenCounter,
        limit: int = LIMIT,
        previous: Summary | None = None,
    ) -> Summary:
        """A summary of the one before it and the messages after that."""
        before = () if previous is None else (previous.message,)
        known = read({"messages": [to_wire(message) for message in (*before, *messages)]})
        text, size = HEAD, counter.text(HEAD) + FRAMING + counter.text("summary")
        for line in self._lines(known):
            size += counter.text("\n" + line)
            if size > limit:
                break
            text += "\n" + line
        covers = len(steps(messages)) + (previous.covers if previous else 0)
        usage = Usage(counter.messages((*before, *messages)), counter.text(text))
        return Summary(text, covers, 0, "triage", usage=usage)

    def _lines(self, known: Knowledge) -> Iterator[str]:
        yield f"{len(known.linked)} reports have been linked."
        for key, issue in known.issues.items():
            if not self._loses(issue):
                yield words.say_issue(key, issue)
        groups: dict[Key, list[Finding]] = {}
        for one in known.findings.values():
            if one.report not in known.linked and not self._loses(one.report):
                groups.setdefault(one.key, []).append(one)
        for key, found in groups.items():
            yield words.say_findings(found)
            if key not in known.issues:
                yield from self._about(known, key)

    def _about(self, known: Knowledge, key: Key) -> Iterator[str]:
        line = known.line(key)
        if line is not None:
            yield words.say_line(key, line)
        if known.searched(key):
            yield words.say_none(key)

    def _loses(self, name: str) -> bool:
        drawn = hashlib.sha256(f"{self.seed} summary {name}".encode()).digest()[:4]
        return int.from_bytes(drawn, "big") / 2**32 < LOST
