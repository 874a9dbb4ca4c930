"""Splits a text into sentences, each with its place, its heading and its label.

Headings and labels matter: what stands under "Next" is a plan, what stands after "Ruled out:"
is a list of dead ends. Wrapped lines are joined; a list item, a heading or a label begins anew.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

_MARK = re.compile(r"\s*(?:[-*•+]|\d{1,3}[.)])\s+")
_HEADING = re.compile(r"\s*#{1,6}\s+(.*?)[\s#]*$|\s*\*\*(.+?):?\*\*:?\s*$")
_BARE = re.compile(r"[A-Z]\w*(?: [\w'’-]+){0,5}\s*$")
_LABEL = re.compile(r"[\"“*_]*((?:[A-Z][^\s:`]*|\w+)(?: [^\s:`.!?]+){0,9}?)[*_]*:(?=[\s\"*_]|$)")
_END = re.compile(r"[.!?][\"'”’)\]*_`]*(?=\s)")
_SHORT = re.compile(r"\b(?:e\.g|i\.e|cf|vs|approx|resp|Mr|Ms|Mrs|Dr)\.$")
_PLAN = re.compile(
    r"\b(?:next|plan|plans|planned|to do|todo|still to do|remaining|later|open)\b", re.IGNORECASE
)
_TOOL = re.compile(r"\btools?\b.*\b(?:output|outputs|text|said|printed|result|results)\b"
                   r"|\buntrusted\b", re.IGNORECASE)  # fmt: skip
_REQUEST = re.compile(r"\b(?:can|could|would|will) you\b|\bplease\b", re.IGNORECASE)
_UNREAL = re.compile(
    r"\b(?:if|had|were|suppose|supposing|imagine|unless)\b.*\b(?:would|'d)\b"
    r"|\bwould\b.*\bif\b|\bif\b[^,]*\bwere\b",
    re.IGNORECASE,
)
_UNTRUSTED = re.compile(r"<untrusted\b.*?(?:</untrusted\b|\Z)", re.IGNORECASE | re.DOTALL)
WRAP = 50
"""A line of at least so many characters may go on in the next one."""
QUOTED = 220
"""Characters of a quote in an answer; the evidence has all of it."""
LONGEST = 1_000
"""A piece of more characters is no sentence; it is read in several."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence: `flat` has the text's length with line feeds as spaces; places are code points.

    `body` is where the words after the label begin. `paragraph` numbers the run of sentences
    that it belongs to.
    """

    start: int
    end: int
    flat: str
    body: int
    paragraph: int
    heading: str = ""
    label: str = ""
    code: bool = False
    untrusted: bool = False

    @property
    def topic(self) -> str:
        """Heading and label, in lower case."""
        return f"{self.heading} / {self.label}".lower()

    @property
    def plan(self) -> bool:
        """It stands under a heading or label for what is still to come."""
        return bool(_PLAN.search(self.label) or _PLAN.search(self.heading))

    @property
    def from_tool(self) -> bool:
        """A heading or label says that a tool said it, or that it is not to be trusted; or it
        begins inside the marks <untrusted> and </untrusted>."""
        return self.untrusted or bool(_TOOL.search(self.topic))

    @property
    def own(self) -> bool:
        """A label says that these are the assistant's own words, told again."""
        return bool(re.search(r"\b(?:assistant|agent|model)\b", self.label, re.IGNORECASE))

    @property
    def asks(self) -> bool:
        """A question that is no polite request."""
        ends = self.flat.rstrip("\"'”’)*_ ").endswith("?")
        return ends and not _REQUEST.search(self.flat)

    @property
    def unreal(self) -> bool:
        """It speaks of what would be so if something else were."""
        return bool(_UNREAL.search(self.flat))

    @property
    def states(self) -> bool:
        """Neither a question nor unreal nor a piece of code."""
        return not (self.asks or self.unreal or self.code)

    def told_by(self, kind: str) -> bool:
        """A statement that this kind of source vouches for: no tool's words, and what is planned
        only where the user says it."""
        return self.states and not self.from_tool and (kind == "user" or not self.plan)


@dataclass(frozen=True, slots=True)
class _Block:
    start: int
    end: int
    heading: str
    label: str
    code: bool
    paragraph: int


@lru_cache(maxsize=2048)
def sentences(text: str) -> tuple[Sentence, ...]:
    """All sentences of a text, in order.

    >>> [s.flat for s in sentences("One. Two?\\n- three")]
    ['One.', 'Two?', 'three']
    """
    found = [piece for block in _blocks(text) for piece in _split(text, block)]
    marked = untrusted_spans(text)
    return tuple(
        replace(piece, untrusted=True) if any(a <= piece.start < b for a, b in marked) else piece
        for piece in found
    )


def flat(quote: str) -> str:
    """A quote on one line, without quotation marks around it, shortened to QUOTED characters."""
    line = " ".join(quote.split()).strip('"“” ')
    return line if len(line) <= QUOTED else f"{line[:QUOTED].rsplit(' ', 1)[0]} …"


def untrusted_spans(text: str) -> list[tuple[int, int]]:
    """From each mark <untrusted> to the </untrusted> after it, or to the text's end.

    >>> untrusted_spans("a <untrusted>b</untrusted> c <UNTRUSTED> d")
    [(2, 25), (29, 42)]
    """
    return [match.span() for match in _UNTRUSTED.finditer(text)]


def _blocks(text: str) -> list[_Block]:
    """Runs of lines that belong together: a paragraph, a list item, a line of code."""
    blocks: list[_Block] = []
    heading = above = ""
    fence = open_block = False
    place = paragraph = 0
    before = ""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        start, place = place, place + len(line) + 1
        stripped = line.strip()
        if stripped.startswith(("```", "~~~")):
            fence, open_block = not fence, False
            continue
        title = "" if fence else _title(lines, number)
        if not stripped or title:
            paragraph, open_block, above = paragraph + 1, False, ""
            heading = title or heading
            continue
        mark = _MARK.match(line)
        begin = start + (mark.end() if mark else len(line) - len(line.lstrip()))
        end = start + len(line.rstrip())
        label = _label(text[begin:end])
        if stripped.endswith(":") and label and begin + len(label) >= end - 4 and not fence:
            above, open_block, paragraph = label, False, paragraph + 1
            continue
        joins = open_block and not mark and not label and not fence and len(before) >= WRAP
        if joins:
            last = blocks[-1]
            blocks[-1] = _Block(last.start, end, last.heading, last.label, False, last.paragraph)
        else:
            if mark or label:
                paragraph += 1
            above = above if (mark or not label) else ""
            blocks.append(_Block(begin, end, heading, label or above, fence, paragraph))
        open_block, before = True, line.rstrip()
    return blocks


def _title(lines: list[str], number: int) -> str:
    """The heading that a line is: marked as one, or a few bare words above a list or alone."""
    line = lines[number]
    match = _HEADING.match(line)
    if match:
        return (match[1] or match[2] or "").strip()
    if not _BARE.match(line) or _MARK.match(line):
        return ""
    before = lines[number - 1] if number else ""
    after = lines[number + 1] if number + 1 < len(lines) else ""
    alone = not before.strip() and not after.strip() and len(lines) > 1
    return line.strip() if alone or _MARK.match(after) else ""


def _label(line: str) -> str:
    match = _LABEL.match(line)
    if not match:
        return ""
    label = match[1]
    words = label.split()
    return label if label[0].isupper() or len(words) <= 2 else ""


def _bounded(flat: str, cuts: list[int]) -> list[int]:
    """The cuts, and further ones where a piece is over LONGEST; so that reading is linear."""
    bounded = [0]
    for end in cuts[1:]:
        while end - bounded[-1] > LONGEST:
            space = flat.rfind(" ", bounded[-1] + 1, bounded[-1] + LONGEST)
            bounded.append(space if space > 0 else bounded[-1] + LONGEST)
        bounded.append(end)
    return bounded


def _split(text: str, block: _Block) -> list[Sentence]:
    flat = text[block.start : block.end].replace("\n", " ").replace("\r", " ").replace("\t", " ")
    cuts = [0]
    for match in _END.finditer(flat):
        inside = flat.count("`", cuts[-1], match.end()) % 2
        short = _SHORT.search(flat, max(0, match.start() - 8), match.start() + 1)
        if not inside and not short:
            cuts.append(match.end())
    cuts.append(len(flat))
    found = []
    for begin, end in pairwise(_bounded(flat, cuts)):
        piece = flat[begin:end]
        begin += len(piece) - len(piece.lstrip())
        if not piece.strip():
            continue
        piece = piece.strip()
        own = _label(piece) if begin == 0 else ""
        body = begin + (piece.index(":", len(own)) + 1 if own else 0)
        here = block.start
        found.append(
            Sentence(here + begin, here + begin + len(piece), piece, here + body,
                     block.paragraph, block.heading, block.label, block.code)
        )  # fmt: skip
    return found
