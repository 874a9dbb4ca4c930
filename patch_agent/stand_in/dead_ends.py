"""What was tried and ruled out? Read from the user, the task block, a summary and the assistant.

Either a sentence says that something did not help, or that it was tried and taken back; or it
stands under a heading for dead ends. A plan, a doubt and a question rule nothing out.
"""

from __future__ import annotations

import re

from patch_agent.stand_in.evidence import Evidence
from patch_agent.stand_in.paths import paths
from patch_agent.stand_in.sentences import Sentence, flat, sentences
from patch_agent.stand_in.source import Source, read_once

SOURCES = frozenset({"user", "task", "summary", "assistant"})
_TOPIC = re.compile(
    r"\b(?:ruled out|dead ends?|tried without|without success|did(?: not|n['’]t) (?:help|work)|"
    r"excluded|rejected|tried in vain|no success|no effect)\b"
)
_FAILED = re.compile(
    r"\bruled? (?:it |that |this )?out\b(?<!rule out)|\bdead ends?\b|\bmade no difference\b"
    r"|\bchanged nothing\b|\b(?:had|has|without) (?:no |any )?effect\b"
    r"|\bwithout (?:success|result)\b"
    r"|\b(?:did|does|do)(?: not|n['’]t) (?:help|work|fix|change|solve|cure|make a difference)\b"
    r"|\bdid nothing\b|\bin vain\b|\bto no avail\b"
    r"|\bnot the (?:culprit|cause|reason|fault|problem)\b"
    r"|\b(?:still|just) fail(?:s|ed|ing)\b|\bfail(?:s|ed) (?:just |exactly )?(?:as|like) before\b"
    r"|\bsame (?:failure|error|result)\b|\bno effect\b|\bunhelpful\b"
    r"|\b(?:was|were|is) excluded\b|\bno use\b"
    r"|\b(?:do not|don['’]t|never) (?:try|repeat)\b.*\bagain\b",
    re.IGNORECASE,
)
_TRIED = re.compile(r"\b(?:tried|attempt(?:ed)?|attempts|added|raised|changed|change|edit)\b",
                    re.IGNORECASE)  # fmt: skip
_BACK = re.compile(
    r"\b(?:reverted|undid|undone|undo|revert|rolled back|backed out|put back|withdrawn"
    r"|(?:put|taken|took|back)\b.*\b(?:again|as it was|back))\b",
    re.IGNORECASE,
)
_REOPENED = re.compile(
    r"\b(?:no longer|not|n['’]t|never)(?: \w+)? (?:ruled out|excluded|a dead end)\b", re.IGNORECASE
)
_AHEAD = re.compile(
    r"\b(?:might|may|could|would|should|will|shall|going to|want to|let me|i['’]ll)\b"
    r"|\bif (?:it|that|this|they)\b|\breverted nothing\b|\bnothing (?:so far )?(?:was )?reverted\b"
    r"|\b(?:i|we)(?: have|['’]ve)? (?:changed|edited|touched) nothing\b|\bhave not\b"
    r"|\bnot yet\b|\bto rule\b",
    re.IGNORECASE,
)
_IT = re.compile(
    r"\b(?:it|that|this|there|they|both|the (?:idea|change|attempt|edit))\b|^\W*\w+\W*$",
    re.IGNORECASE,
)
_EMPTY = re.compile(r"^\W*(?:none|nothing|no|nil|not yet|n/a)\b[^,;]{0,12}$", re.IGNORECASE)
_LEAD = re.compile(r"^\W*ruled out\W{1,3}", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z]{4,}")
_COMMON = frozenset(
    "ruled does that this with have been back from same test tests fails failure before after help "
    "helped longer made make difference reverted undone because there again tried change changed "
    "nothing edit edits step fix fixed were your user longer".split()
)


@read_once
def ruled_out(here: Source) -> tuple[Evidence, ...]:
    """What a message rules out, each piece with the answer that names all of them; `holds` is
    False for a reopening."""
    if here.kind not in SOURCES:
        return ()
    known = sentences(here.text)
    spans: list[tuple[int, int]] = []
    opened: list[Evidence] = []
    for number, sentence in enumerate(known):
        if not sentence.told_by(here.kind):
            continue
        if _REOPENED.search(sentence.flat):
            subject = words(sentence.flat)
            opened.append(Evidence(0, here.kind, sentence.start, sentence.end, sentence.flat, "",
                                   False, 0, subject))  # fmt: skip
        elif _says_so(sentence, _first(known, number)):
            spans.append((_begin(known, number), _stop(known, number)))
    if not spans:
        return tuple(opened)
    merged = _merged(spans)
    quotes = [here.text[start:end] for start, end in merged]
    answer = f"Ruled out: “{flat(_LEAD.sub('', ' … '.join(quotes)))}”"
    told = [
        Evidence(0, here.kind, start, end, quote, answer, subject=words(quote))
        for (start, end), quote in zip(merged, quotes, strict=True)
    ]
    return (*told, *opened)


def _first(known: tuple[Sentence, ...], number: int) -> bool:
    return number == 0 or known[number - 1].paragraph != known[number].paragraph


def _under(sentence: Sentence, first: bool) -> bool:
    """It stands under a heading for dead ends, or is the first one after such a label."""
    return bool(
        _TOPIC.search(sentence.heading.lower()) or (first and _TOPIC.search(sentence.label.lower()))
    )


def _says_so(sentence: Sentence, first: bool) -> bool:
    text = sentence.flat
    if _under(sentence, first):
        content = text[sentence.body - sentence.start :]
        return not _EMPTY.search(content) and not _AHEAD.search(content)
    if _AHEAD.search(text):
        return False
    return bool(_FAILED.search(text) or (_TRIED.search(text) and _BACK.search(text)))


def _begin(known: tuple[Sentence, ...], number: int) -> int:
    """Where the statement begins: one sentence earlier where this one only says "it"."""
    here = known[number]
    text = here.flat[here.body - here.start :]
    before = known[number - 1] if number else None
    if before is None or before.paragraph != here.paragraph or paths(text):
        return here.start
    return before.start if _IT.search(text) and before.states and not before.plan else here.start


def _stop(known: tuple[Sentence, ...], number: int) -> int:
    """Where it ends: with the next sentence where that one says what was put back."""
    after = known[number + 1] if number + 1 < len(known) else None
    if after is None or after.paragraph != known[number].paragraph or not after.states:
        return known[number].end
    told = _BACK.search(after.flat) and not _AHEAD.search(after.flat)
    return after.end if told else known[number].end


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1] + 2:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def words(text: str) -> frozenset[str]:
    """The words that tell one subject from another, in lower case."""
    return frozenset(w.lower() for w in _WORD.findall(text)) - _COMMON
