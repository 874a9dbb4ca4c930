"""What must be done before the work is called finished?

A sentence counts that speaks of the end of the work, says that something must be done, and names
a file or a command. A rule for changes in one folder only is not taken for a rule for all.
"""

from __future__ import annotations

import re

from patch_agent.stand_in.evidence import Evidence
from patch_agent.stand_in.paths import Mention, paths
from patch_agent.stand_in.sentences import Sentence, flat, sentences
from patch_agent.stand_in.source import NAMES, RULE_SOURCES, Source, read_once

_DONE = (
    r"(?:done|finish(?:ed|es|ing)?|complete[ds]?|ready|wrap(?:ping|ped)? (?:it |this |things )?up|"
    r"hand(?:ing)? (?:\w+ )?(?:back|over|in)|clos(?:e|ing)|report(?:ing)?|deliver(?:ing)?|"
    r"sign(?:ing)? off|final (?:report|message|answer|reply))\b"
)
_END = re.compile(
    rf"\b(?:before|until|unless|when|once|as soon as|after|prior to)\b[^,;.]{{0,60}}?\b{_DONE}"
    rf"|\b{_DONE} (?:only )?(?:once|when|if|after|until|before)\b"
    rf"|\b(?:done|finished|complete|ready) without\b"
    rf"|\bonly then\b|\blast (?:thing|step) of all\b|\bat the (?:very )?end\b"
    rf"|\bto (?:finish|wrap up|complete) (?:a|the|your|any|each|every)\b",
    re.IGNORECASE,
)
_START = re.compile(
    r"\bbefore (?:you |we )?(?:start|begin|edit|go on|touch|change)\w*\b", re.IGNORECASE
)
_MUST = re.compile(
    r"(?:^|[,;:] |\band |\bthen |\bplease |\byou |\balso )(?:please |always |also )?"
    r"(?:add|put|write|run|note|update|record|enter|make|leave|mention|document|append|list|describe|"
    r"say|tell|check)\b"
    r"|\b(?:must|needs?|has to|have to|wants?|should|shall|is to|required?|require[sd])\b"
    r"|\b(?:do not|don['’]t|never) forget\b|\bwithout\b|\bonly (?:once|when|if|after|then)\b"
    r"|\b(?:one|a|each|its) (?:line|entry|note)\b",
    re.IGNORECASE,
)
_LIFTED = re.compile(
    r"\b(?:need not|needn['’]t|skip|no need|not? (?:have|need|necessary|needed|required)|"
    r"(?:do not|don['’]t) (?:have|need|bother)|never mind|forget about|drop|without (?:a|any) "
    r"(?:line|entry)|no (?:\w+ )?(?:entry|entries|line|lines) (?:is|are)?)\b",
    re.IGNORECASE,
)
_PAST = re.compile(r"\bused to\b|\b(?:was|were) (?:once|formerly)\b|\bno longer\b|\bin the past\b",
                   re.IGNORECASE)  # fmt: skip
_SCOPE = re.compile(
    r"\b(?:chang\w+|edits?|fix\w*|work) (?:in|to|under|below|within) `?[\w./-]+/`?", re.IGNORECASE
)
_COMMAND = re.compile(r"`((?:make|npm|nox|tox|just|python|pytest|ruff|cargo|go|uv|\./)\b[^`]*)`")
_INSTEAD = re.compile(r"\b(?:instead of|not in|not into|rather than|and not)\s+`?$", re.IGNORECASE)
_CHANGELOG = re.compile(r"\bchange ?log\b", re.IGNORECASE)


@read_once
def before_done(here: Source) -> tuple[Evidence, ...]:
    """What a message wants done at the end; `holds` is False where it lets the agent off."""
    if here.kind not in RULE_SOURCES:
        return ()
    found = []
    for sentence in sentences(here.text):
        if sentence.own or not sentence.told_by(here.kind):
            continue
        what = thing(sentence.flat)
        lifted = bool(what and _LIFTED.search(sentence.flat))
        if what and (lifted or _duty(sentence)):
            quote = here.text[sentence.start : sentence.end]
            answer = "" if lifted else f"{NAMES[here.kind]} says: “{flat(quote)}”"
            found.append(Evidence(0, here.kind, sentence.start, sentence.end, quote, answer,
                                  not lifted, 0, _subject(what)))  # fmt: skip
    return tuple(found)


def _duty(sentence: Sentence) -> bool:
    text, topic = sentence.flat, f"{sentence.heading}: {sentence.label}:"
    if _PAST.search(text) or _SCOPE.search(text) or _START.search(text):
        return False
    ends = _END.search(text) or _END.search(topic)
    return bool(ends and (_MUST.search(text) or _END.search(topic)))


def thing(text: str) -> str | None:
    """The file or command that a rule names; "changelog" alone stands for itself.

    >>> thing("Put it into docs/NEWS.md instead of CHANGELOG.md.")
    'docs/NEWS.md'
    """
    named = [m for m in paths(text) if _file(m) and not _INSTEAD.search(text[: m.start])]
    if named:
        return named[0].name
    command = _COMMAND.search(text)
    if command:
        return command[1]
    word = _CHANGELOG.search(text)
    return word[0] if word else None


def _file(mention: Mention) -> bool:
    return not mention.name.endswith("/") and "." in mention.name.rpartition("/")[2]


def _subject(what: str) -> frozenset[str]:
    name = what.rpartition("/")[2].lower()
    return frozenset({name, "changelog"} if name.startswith("change") else {name})
