"""May a path be edited? Prohibitions and permissions, read from ordinary sentences.

A sentence is cut into clauses. A clause forbids or allows by one of the phrases of `phrases`;
its object is the path that stands on the side where the phrase looks first, or else on the other
one. "it" and "them" stand for the path named last in the same paragraph. A path behind "except"
gets the opposite. A question, an "if ... would", a denial and a plan state nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from patch_agent.stand_in.evidence import Evidence
from patch_agent.stand_in.paths import Mention, covers, paths, spoken_of
from patch_agent.stand_in.phrases import (
    BELIEF,
    CUT,
    DENIED,
    EXCEPT,
    GOES_ON,
    HEARSAY,
    PRONOUN,
    UNSURE,
    phrase_of,
)
from patch_agent.stand_in.sentences import Sentence, flat, sentences
from patch_agent.stand_in.source import NAMES, RULE_SOURCES, Source, read_once

MISSING = "Nothing in my context forbids it."


@dataclass(frozen=True, slots=True)
class _Word:
    """What one clause says about one path."""

    path: str
    allowed: bool


@read_once
def may_edit(path: str, here: Source) -> tuple[Evidence, ...]:
    """What a message says on editing a path: `holds` is a prohibition, its opposite a permission.

    A permission for a folder further up goes behind everything that is said of the path itself.
    """
    if here.kind not in RULE_SOURCES:
        return ()
    found = []
    known = sentences(here.text)
    for number, sentence in enumerate(known):
        if not _counts(sentence, here.kind):
            continue
        before = _named_before(known, number, path)
        about = [w for w in _words(sentence, before, path, here.kind) if covers(w.path, path)]
        if about:
            end = _with_reason(known, number)
            found.append(_evidence(path, about[-1], here, sentence, end))
    return tuple(found)


def _counts(sentence: Sentence, kind: str) -> bool:
    if not sentence.states or sentence.from_tool or sentence.own:
        return False
    if UNSURE.search(sentence.flat):
        return False
    if kind == "user":
        return True
    told = BELIEF.search(sentence.flat) or HEARSAY.search(sentence.flat)
    return not (sentence.plan or told)


def _evidence(path: str, word: _Word, here: Source, sentence: Sentence, end: int) -> Evidence:
    quote = here.text[sentence.start : end]
    says = "Yes, it may" if word.allowed else "No"
    label = sentence.label[:1].lower() + sentence.label[1:]
    told = f" ({label})" if re.search(r"\bstep\b", label) else ""
    words = flat(here.text[sentence.body if told else sentence.start : end])
    words = _under_label(sentence, here.kind) + words
    answer = f"{says}. {NAMES[here.kind]} says{told}: “{words}”"
    above = word.allowed and len(word.path.strip("/")) < len(path.strip("/"))
    rank = 1 if above else 0
    return Evidence(0, here.kind, sentence.start, end, quote, answer, not word.allowed, rank)


def _named_before(known: tuple[Sentence, ...], number: int, path: str) -> str | None:
    """The path named last in the sentence before, in the same paragraph."""
    if number == 0 or known[number - 1].paragraph != known[number].paragraph:
        return None
    named = _mentions(known[number - 1].flat, path)
    return named[-1].name if named else None


def _mentions(text: str, path: str) -> list[Mention]:
    named = paths(text)
    spoken = [
        m for m in spoken_of(text, path) if not any(p.start <= m.start < p.end for p in named)
    ]
    return sorted(named + spoken, key=lambda mention: mention.start)


def _with_reason(known: tuple[Sentence, ...], number: int) -> int:
    """The end of the sentence, or of the next one where that goes on about the same files."""
    here = known[number]
    if number + 1 < len(known):
        after = known[number + 1]
        goes_on = after.paragraph == here.paragraph and not after.asks
        if goes_on and GOES_ON.search(after.flat) and not paths(after.flat):
            return after.end
    return here.end


def _under_label(sentence: Sentence, kind: str) -> str:
    """The label that an item needs to state anything: "Do not edit:" above a list of paths."""
    if phrase_of(sentence.flat, kind) or not phrase_of(f"{sentence.label}:", kind):
        return ""
    return f"{sentence.label}: "


def _words(sentence: Sentence, before: str | None, path: str, kind: str) -> Iterator[_Word]:
    text = _under_label(sentence, kind) + sentence.flat
    if DENIED.search(text):
        yield from (_Word(mention.name, True) for mention in _mentions(text, path))
        return
    start = 0
    cuts = [
        (m.start(), m.end()) for m in CUT.finditer(text) if text.count("`", 0, m.start()) % 2 == 0
    ]
    for stop, begin in [*cuts, (len(text), len(text))]:
        clause = text[start:stop]
        yield from _clause(clause, before, path, kind)
        named = _mentions(clause, path)
        before = named[-1].name if named else before
        start = begin


def _clause(clause: str, before: str | None, path: str, kind: str) -> Iterator[_Word]:
    """What a clause says of each path that it is about."""
    phrase = phrase_of(clause, kind)
    if phrase is None:
        return
    allowed, begin, end, looks_after = phrase
    named = _mentions(clause, path)
    after = [m for m in named if m.start >= begin]
    ahead = [m for m in named if m.start < begin]
    pronoun = before if PRONOUN.search(clause) else None
    chosen = (after or ahead) if looks_after else (ahead or after)
    if looks_after and not after and pronoun and PRONOUN.search(clause[end:]) and not ahead:
        chosen = []
    for mention in chosen:
        inverted = any(
            m.start() < mention.start and (m[0].lower() != "but" or _all(clause[: m.start()]))
            for m in EXCEPT.finditer(clause)
        )
        yield _Word(mention.name, allowed != inverted)
    if not chosen and pronoun:
        yield _Word(pronoun, allowed)


def _all(text: str) -> bool:
    return bool(
        re.search(r"\b(?:nothing|anything|everything|all|any|every)\b", text, re.IGNORECASE)
    )
