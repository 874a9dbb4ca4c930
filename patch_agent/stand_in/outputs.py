"""Where is the full output of a call? In its result, at the path that a placeholder names, or
where a summary says that outputs are kept."""

from __future__ import annotations

import re

from patch_agent.stand_in.evidence import Evidence
from patch_agent.stand_in.sentences import Sentence, sentences
from patch_agent.stand_in.source import Source, read_once

SOURCES = frozenset({"tool", "summary", "task"})
SHORT = 400
"""A placeholder has at most so many characters; anything longer is an output."""
_CLEARED = re.compile(
    r"\b(?:cleared|removed|taken out|left out|omitted|elided|dropped|pruned|compacted|"
    r"truncated|cut)\b",
    re.IGNORECASE,
)
_FILE = re.compile(r"(?<![\w/])(?:\.?[\w-]+/)+[\w.-]+\.\w+")
_PATTERN = re.compile(
    r"(?<![\w/])((?:\.?[\w-]+/)+[\w.-]*?)(<\w+>|\{\w+\}|(?<![A-Za-z])N(?![A-Za-z])|\*)([\w.-]*\w)"
)
_HASHED = re.compile(r"(?=\d*[a-f])[0-9a-f]{12}(?=\.)")
_AGAIN = re.compile(r"(?<=\d)\.\d+(?=\.\w+$)")
"""A hash, and the count of an id used again, are no number of a call."""
_FOLDER = re.compile(r"(?<![\w/])((?:\.?[\w-]+/)+)(?=[\s,;:.)`]|$)")
_NAME = re.compile(r"\b([A-Za-z]+[_-])(\d+)(\.\w+)\b")
_KEPT = re.compile(r"\b(?:outputs?|logs?|results?|kept|saved|stored|full)\b", re.IGNORECASE)
_GONE = re.compile(
    r"\bused to\b|\b(?:emptied|deleted|thrown away|lost|gone|will be)\b"
    r"|\bnot (?:been )?(?:kept|saved|stored)\b",
    re.IGNORECASE,
)
_RANGE = re.compile(
    r"\b(?:(?:calls?|steps?|numbers?) |n\s*=\s*)(\d{1,9})\s*(?:-|–|to|through|until)\s*(\d{1,9})\b",
    re.IGNORECASE,
)


@read_once
def output_of(call: int, here: Source) -> tuple[Evidence, ...]:
    """What a message says on where the output of call number `call` is."""
    if here.kind == "tool":
        return _result(call, here)
    if here.kind not in SOURCES:
        return ()
    found = []
    for sentence in sentences(here.text):
        place = _place(call, sentence)
        if place:
            answer = f"In {place}."
            start, end = sentence.start, sentence.end
            quote = here.text[start:end]
            found.append(Evidence(0, here.kind, start, end, quote, answer, rank=1))
    return tuple(found)


def _result(call: int, here: Source) -> tuple[Evidence, ...]:
    if number_of(here.call_id) != call:
        return ()
    head = here.text.strip().partition("\n")[0]
    start = here.text.find(head)
    if placeholder(here.text):
        named = _FILE.search(here.text)
        if not named:
            return ()
        answer = f"In {named[0]}."
        return (Evidence(0, "tool", start, start + len(head), head, answer),)
    answer = f"It is in this call, as the result of call {call}."
    if head.startswith("[") and _CLEARED.search(head) and (named := _FILE.search(head)):
        answer = f"A part of it is in this call; all of it is in {named[0]}."
    return (Evidence(0, "tool", start, start + len(head), head, answer),)


def number_of(call_id: str) -> int | None:
    """The number at the end of a call's id.

    >>> number_of("call_19"), number_of("x")
    (19, None)
    """
    match = re.search(r"(?<!\d)(\d{1,9})$", call_id)
    return int(match[1]) if match else None


def placeholder(text: str) -> bool:
    """True for a short text that says that an output was taken out."""
    short = text.strip()
    return len(short) <= SHORT and "\n" not in short and bool(_CLEARED.search(short))


def _place(call: int, sentence: Sentence) -> str | None:
    if not sentence.states or sentence.plan or _GONE.search(sentence.flat):
        return None
    places = (_named(call, clause) for clause in sentence.flat.split("; "))
    return next((place for place in places if place), None)


def _named(call: int, text: str) -> str | None:
    if not _KEPT.search(text):
        return None
    span = _RANGE.search(text)
    if span and not int(span[1]) <= call <= int(span[2]):
        return None
    pattern = _PATTERN.search(text)
    if pattern:
        return f"{pattern[1]}{call}{pattern[3]}"
    for file in _FILE.finditer(text):
        plain = _HASHED.sub("", file[0].rpartition("/")[2])
        numbers = re.findall(r"\d+", _AGAIN.sub("", plain))
        if str(call) in numbers:
            return file[0]
    folder, name = _FOLDER.search(text), _NAME.search(text)
    return f"{folder[1]}{name[1]}{call}{name[3]}" if folder and name else None
