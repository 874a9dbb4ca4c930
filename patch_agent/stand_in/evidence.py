"""What an answer rests on, and how one answer is picked from all the evidence.

Each message is read by itself and gives its own evidence; nothing that is read in one message
changes what another one says. The answer is then picked by an order that is stated here. So an
answer can be put together from parts of requests without reading them again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

Wire = Mapping[str, Any]
"""A message, a tool definition or a request as plain JSON."""

NOT_HERE = "That is not in my context."
"""The answer where the request holds no evidence."""
TOOLS_ARRAY = -1
"""The message index of evidence that stands in the request's tool list."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A span of one message and the answer that it gives.

    `start` and `end` count code points of the message's text. `holds` is False where the text
    takes something back (a permission, a withdrawal): it then ends every earlier statement that
    has a word of its `subject` in common, or every earlier one where it has no subject.
    Evidence of a lower `rank` goes before all of a higher one.
    """

    message: int
    part: str
    start: int
    end: int
    quote: str
    answer: str
    holds: bool = True
    rank: int = 0
    subject: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Answer:
    """A reply to one probe; `found` tells whether the request holds what the probe asks about.

    `refused` is the reason when there is no answer at all.
    """

    text: str
    found: bool = False
    evidence: Evidence | None = None
    refused: str | None = None


def ordered(evidence: Iterable[Evidence], first: bool = False) -> list[Evidence]:
    """By rank; within a rank the latest statement first, or the earliest one with `first`."""
    if first:
        return sorted(evidence, key=lambda e: (e.rank, e.message, e.start, e.end))
    return sorted(evidence, key=lambda e: (e.rank, -e.message, -e.end, -e.start))


def in_force(evidence: Iterable[Evidence], first: bool = False) -> list[Evidence]:
    """The statements that nothing has taken back, the one that decides first."""
    found = list(evidence)
    ends = [e for e in found if not e.holds]
    return [e for e in ordered(found, first) if e.holds and not any(_ended(e, x) for x in ends)]


def _ended(statement: Evidence, end: Evidence) -> bool:
    later = (end.message, end.end) > (statement.message, statement.end)
    same = not end.subject or bool(end.subject & statement.subject)
    return later and same and end.rank <= statement.rank


def settle(evidence: Iterable[Evidence], missing: str, first: bool = False) -> Answer:
    """The answer that the evidence gives; `missing` where nothing holds."""
    found = tuple(evidence)
    holding = in_force(found, first)
    if holding:
        return Answer(holding[0].answer, True, holding[0])
    against = ordered(e for e in found if not e.holds)
    if against:
        return Answer(against[0].answer or missing, False, against[0])
    return Answer(missing)


def utf16(text: str, place: int) -> int:
    """A place in code points as one in UTF-16 units, the way JavaScript counts.

    >>> utf16("a𝄞b", 2)
    3
    """
    return len(text[:place].encode("utf-16-le", "surrogatepass")) // 2
