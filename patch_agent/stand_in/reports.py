"""What did the helper find? Its report goes first, then what others say that it found."""

from __future__ import annotations

import re

from patch_agent.stand_in.evidence import Evidence
from patch_agent.stand_in.paths import paths
from patch_agent.stand_in.sentences import Sentence, flat, sentences
from patch_agent.stand_in.source import Source, read_once

SOURCES = frozenset({"report", "summary", "user", "assistant"})
_FINDING = re.compile(r"\b(?:findings?|found|conclusion|result|cause|answer)\b")
_OTHER = re.compile(
    r"\b(?:confidence|sources?|unresolved|status|task|question|fix|suggest\w*|next|read|checked|"
    r"method|scope|not looked at|open)\b"
)
_NONE = re.compile(r"^\W*(?:none|nothing|not yet|pending|running|n/a)\b", re.IGNORECASE)
_HELPER = re.compile(
    r"\b(?:helper(?: agent)?(?:['’]s)?|sub-?agent(?:['’]s)?)"
    r"(?! (?:function|file|module|in|method|class))(?![/.\w])",
    re.IGNORECASE,
)
_FOUND = re.compile(
    r"\b(?:found|finds|finding|reports?|reported|says|said|concludes?|concluded|result|results|"
    r"according to|traced|points? to|correction)\b",
    re.IGNORECASE,
)
_AHEAD = re.compile(
    r"\b(?:may|might|could|will|shall|would|wait|await\w*|let|ask|send|start|when|until|"
    r"not (?:\w+ )?(?:reported|found|finished|back)|no report|nothing|find out)\b",
    re.IGNORECASE,
)
_BACK = re.compile(r"\b(?:withdraw\w*|withdrew|retract\w*|takes? back|took back|no longer holds)\b",
                   re.IGNORECASE)  # fmt: skip
_IT = re.compile(r"\b(?:it|she|he|they)\b", re.IGNORECASE)
_READ = re.compile(
    r"^\W*(?:I|we) (?:read|looked|went|did not|have read|checked|searched)\b", re.IGNORECASE
)
_SPEAKER = re.compile(
    r"^\W*(?:the )?(?:assistant|user|agent|patch) (?:said|says|wrote|noted)\b[^:]{0,40}:",
    re.IGNORECASE,
)
LONGEST = 400
"""Characters of a report that one answer quotes."""


@read_once
def helper_found(here: Source) -> tuple[Evidence, ...]:
    """What a message says that the helper found; `holds` is False for a withdrawal."""
    if here.kind == "report":
        return _report(here)
    if here.kind not in SOURCES:
        return ()
    found = []
    known = sentences(here.text)
    for number, sentence in enumerate(known):
        if not sentence.told_by(here.kind):
            continue
        start = _about_helper(known, number)
        if start is None:
            continue
        subject = frozenset(m.name for m in paths(sentence.flat))
        back = bool(_BACK.search(sentence.flat))
        words = _SPEAKER.sub("", sentence.flat)  # that somebody else said it is no finding
        told = _FOUND.search(words) or _HELPER.fullmatch(sentence.label)
        if back or (told and not _AHEAD.search(sentence.flat)):
            quote = here.text[start : sentence.end]
            answer = "" if back else f"“{flat(quote)}”"
            found.append(Evidence(0, here.kind, start, sentence.end, quote, answer, not back,
                                  0 if back else 1, subject))  # fmt: skip
    return tuple(found)


def _about_helper(known: tuple[Sentence, ...], number: int) -> int | None:
    """Where the words about the helper begin: here, or one sentence earlier for "it says"."""
    here = known[number]
    if _HELPER.search(here.flat):
        return here.start
    before = known[number - 1] if number else None
    if before and before.paragraph == here.paragraph and _HELPER.search(before.flat):
        return before.start if _IT.search(here.flat) and not before.asks else None
    return None


def _report(here: Source) -> tuple[Evidence, ...]:
    """The sentences of a report that tell its finding: those under that name, or the first that
    speak of a file."""
    known = sentences(here.text)
    named = [s for s in known if _FINDING.search(s.topic) and not _OTHER.search(s.label.lower())]
    if named:
        content = named[0].flat[named[0].body - named[0].start :]
        chosen = [] if _NONE.search(content) else named
    else:
        chosen = [s for s in known if _tells(s)]
    if not chosen:
        return ()
    start, end = chosen[0].start, chosen[0].end
    for sentence in chosen[1:]:
        if sentence.end - start > LONGEST or sentence.start > end + 2:
            break
        end = sentence.end
    quote = here.text[start:end]
    return (Evidence(0, "report", start, end, quote, f"“{flat(quote)}”"),)


def _tells(sentence: Sentence) -> bool:
    files = [m for m in paths(sentence.flat) if not m.name.endswith("/")]
    other = _OTHER.search(sentence.topic) or _READ.search(sentence.flat)
    return bool(files) and not other and sentence.states
