"""May a path be edited? Prohibitions and permissions, read from ordinary sentences.

A sentence is cut into clauses. A clause forbids or allows by one of the turns of phrase below;
its object is the path that stands on the side where the phrase looks first, or else on the other
one. "it" and "them" stand for the path named last in the same paragraph. A path behind "except"
gets the opposite. A question, an "if ... would", a denial and a plan state nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from patch_agent.stand_in.evidence import Evidence, Wire
from patch_agent.stand_in.paths import Mention, covers, paths, spoken_of
from patch_agent.stand_in.sentences import Sentence, sentences
from patch_agent.stand_in.source import NAMES, RULE_SOURCES, Source, source

_EDIT = (
    r"(?:edit|touch|chang|modif|alter|writ|overwrit|rewrit|updat|delet|remov|mov|renam|mess|tamper|"
    r"meddl|fiddl|reformat|adjust)(?:e|y|ing|es|s|ed|ied|ten|ting|ling|)\b"
    r"|go (?:near|into|anywhere near)\b"
)
_DONE = (
    r"(?:edited|touched|changed|modified|altered|written|overwritten|rewritten|updated|deleted|"
    r"removed|moved|renamed|tampered with|messed with|reformatted|adjusted)\b"
)
_NOT = r"(?:do not|don['’]t|never|must(?: not|n['’]t)|may not|can(?:not| not|['’]t)|"
_NOT += r"should(?: not|n['’]t)|shall not|not allowed to|not to|nobody may|no one may|avoid|"
_NOT += r"refrain from|stop|without|won['’]t have you|not (?:be )?permitted to|forbidden to)"
_GAP = r"(?:[\s,]+(?!forget|hesitate|mind|worry|afraid|fail|need|have|only|just|be\b)[\w’']+){0,4}?"
_ACTIVE = re.compile(rf"\b{_NOT}{_GAP}[\s,]+(?:{_EDIT})", re.IGNORECASE)
_AFTER = re.compile(
    r"\bhands (?:are )?off\b|\b(?:stay|keep|stays|keeps)(?: well)? (?:out of|away from|clear of)\b"
    r"|\bleav(?:e|ing)\b(?=.*\b(?:alone|untouched|unchanged|as (?:it|they)|as is|be)\b)"
    r"|\bkeep\b(?=.*\b(?:unchanged|untouched|intact|as (?:it is|they are|is)|the way)\b)"
    rf"|\bno (?:changes?|edits?|editing|writes?|writing|modifications?)\b"
    r"|\b(?:off[- ]limits|read[- ]only|out of bounds|frozen|protected)\b[^:]*:"
    rf"|\b(?:nothing|none|no)\b(?=.*\b(?:be )?{_DONE})",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    r"\boff[- ]limits\b|\bout of bounds\b|\bread[- ]only\b|\buntouchable\b|\bforbidden\b|\bfrozen\b"
    r"|\btaboo\b|\bno[- ]go\b|\b(?:must|should|has to|have to|needs? to|shall)? ?"
    r"(?:stays?|remains?|be left|be kept) (?:\w+ )?"
    r"(?:untouched|unchanged|alone|intact|as (?:it|they))"
    rf"|\b(?:not|never)(?: ever)?(?: to)?(?: be)? {_DONE}"
    r"|\bis not (?:yours|ours) to (?:edit|change|touch)\b",
    re.IGNORECASE,
)
_MAY = re.compile(
    r"\b(?:(?:may|can|could|are allowed to|are free to|are welcome to|feel free to|go ahead and|"
    r"(?:ok|okay|fine|safe|allowed) (?:for you )?to|(?:do not|don['’]t) (?:hesitate|forget) to|"
    r"(?:not|no longer) mind (?:if )?you)(?: now| also| then| still| again)?)"
    rf" (?:{_EDIT})",
    re.IGNORECASE,
)
_ORDER = re.compile(
    r"^\W*(?:(?:please|now|also|then|and|so),? )*"
    r"(?:edit|change|modify|alter|update|rewrite|overwrite|delete|remove|rename|adjust)\b",
    re.IGNORECASE,
)
_NONE = re.compile(r"\b(?:nothing|none|no)\b", re.IGNORECASE)
_MAY_BEFORE = re.compile(
    rf"\bfair game\b|\b(?:may|can) (?:now |again )?be {_DONE}"
    r"|\b(?:no longer|not|n['’]t)(?: \w+)? "
    r"(?:off[- ]limits|read[- ]only|forbidden|frozen|protected|out of bounds)"
    r"|\bused to be\b|\b(?:was|were) (?:once|formerly)\b|\b(?:no longer|not|n['’]t) appl(?:y|ies)\b"
    r"|\b(?:is|has been|have been|are) lifted\b|\bis (?:over|gone|open again)\b"
    r"|\bany ?more\b.*\boff[- ]limits\b",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"\bno (?:such )?rule\b"
    r"|\b(?:never|not|n['’]t|nobody|no one)(?: ever)? (?:said|say|told|claimed|asked)\b"
    r"|\bnothing (?:forbids|against|speaks against)\b",
    re.IGNORECASE,
)
_EXCEPT = re.compile(
    r"\b(?:except|apart from|other than|with the exception of|but not|save for|but)\b",
    re.IGNORECASE,
)
_CUT = re.compile(
    r";\s+|\s+[—–-]\s+|, so "
    r"|,? but (?=(?:now|you|please|leave|keep|do|don['’]t|never|not|the|it|they)\b)"
    r"|,? (?:and|or) (?=(?:please|you|do not|don['’]t|never|leave|keep|feel|it|they|nothing|stay|"
    r"must|may|can)\b)",
    re.IGNORECASE,
)
_PRONOUN = re.compile(
    r"\b(?:it|them|there|they|those|these"
    r"|(?:that|this|those|these|the) (?:folder|files?|directory|ones?))\b",
    re.IGNORECASE,
)
_BACK = re.compile(
    r"\b(?:them|they|those|these|(?:that|this) (?:folder|file|directory))\b|^\W*(?:it|this|that)\b",
    re.IGNORECASE,
)
_BELIEF = re.compile(
    r"\b(?:assistant|agent|patch|i|we)\b.{0,20}\b(?:assum|suppos|believ|guess|think|thought)\w*",
    re.IGNORECASE,
)
MISSING = "Nothing in my context forbids it."
LONGEST = 220
"""Characters of a quote in an answer; the evidence has all of it."""


@dataclass(frozen=True, slots=True)
class _Word:
    """What one clause says about one path."""

    path: str
    allowed: bool


def may_edit(path: str, message: Wire) -> tuple[Evidence, ...]:
    """What a message says on editing a path: `holds` is a prohibition, its opposite a permission.

    A permission for a folder further up goes behind everything that is said of the path itself.
    """
    here = source(message)
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
    return kind == "user" or not (sentence.plan or _BELIEF.search(sentence.flat))


def _evidence(path: str, word: _Word, here: Source, sentence: Sentence, end: int) -> Evidence:
    quote = here.text[sentence.start : end]
    says = "Yes, it may" if word.allowed else "No"
    label = sentence.label[:1].lower() + sentence.label[1:]
    told = f" ({label})" if re.search(r"\bstep\b", label) else ""
    words = flat(here.text[sentence.body if told else sentence.start : end])
    answer = f"{says}. {NAMES[here.kind]} says{told}: “{words}”"
    above = word.allowed and len(word.path.strip("/")) < len(path.strip("/"))
    rank = 1 if above else 0
    return Evidence(0, here.kind, sentence.start, end, quote, answer, not word.allowed, rank)


def flat(quote: str) -> str:
    """A quote on one line, without quotation marks around it, shortened to LONGEST characters."""
    line = " ".join(quote.split()).strip('"“” ')
    return line if len(line) <= LONGEST else f"{line[:LONGEST].rsplit(' ', 1)[0]} …"


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
        if goes_on and _BACK.search(after.flat) and not paths(after.flat):
            return after.end
    return here.end


def _words(sentence: Sentence, before: str | None, path: str, kind: str) -> Iterator[_Word]:
    text = sentence.flat
    if _DENIED.search(text):
        yield from (_Word(mention.name, True) for mention in _mentions(text, path))
        return
    start = 0
    cuts = [
        (m.start(), m.end()) for m in _CUT.finditer(text) if text.count("`", 0, m.start()) % 2 == 0
    ]
    for stop, begin in [*cuts, (len(text), len(text))]:
        clause = text[start:stop]
        yield from _clause(clause, before, path, kind)
        named = _mentions(clause, path)
        before = named[-1].name if named else before
        start = begin


def _clause(clause: str, before: str | None, path: str, kind: str) -> Iterator[_Word]:
    """What a clause says of each path that it is about."""
    turn = _turn(clause, kind)
    if turn is None:
        return
    allowed, begin, end, looks_after = turn
    named = _mentions(clause, path)
    after = [m for m in named if m.start >= begin]
    ahead = [m for m in named if m.start < begin]
    pronoun = before if _PRONOUN.search(clause) else None
    chosen = (after or ahead) if looks_after else (ahead or after)
    if looks_after and not after and pronoun and _PRONOUN.search(clause[end:]) and not ahead:
        chosen = []
    for mention in chosen:
        inverted = any(
            m.start() < mention.start and (m[0].lower() != "but" or _all(clause[: m.start()]))
            for m in _EXCEPT.finditer(clause)
        )
        yield _Word(mention.name, allowed != inverted)
    if not chosen and pronoun:
        yield _Word(pronoun, allowed)


def _all(text: str) -> bool:
    return bool(
        re.search(r"\b(?:nothing|anything|everything|all|any|every)\b", text, re.IGNORECASE)
    )


def _turn(clause: str, kind: str) -> tuple[bool, int, int, bool] | None:
    """Allowed or not, where the turn of phrase stands, and whether its object follows it."""
    for pattern, allowed, looks_after in _TURNS:
        match = pattern.search(clause)
        if match is None or (pattern is _ORDER and kind != "user"):
            continue
        if pattern is _MAY and _ACTIVE.search(clause):
            continue
        if pattern is _MAY_BEFORE and _NONE.search(clause[: match.start()]):
            continue
        return allowed, match.start(), match.end(), looks_after
    return None


_TURNS = (
    (_MAY_BEFORE, True, False),
    (_BEFORE, False, False),
    (_AFTER, False, True),
    (_MAY, True, True),
    (_ACTIVE, False, True),
    (_ORDER, True, True),
)
