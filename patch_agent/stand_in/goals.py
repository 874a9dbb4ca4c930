"""Which test must pass? Read from the user, the task block and a summary.

A test is the goal where a sentence says that it must pass, or asks to make it pass, or where it
stands under "Goal". "It" stands for the test named in the sentence before.
"""

from __future__ import annotations

import re

from patch_agent.stand_in.evidence import Evidence
from patch_agent.stand_in.paths import tests
from patch_agent.stand_in.sentences import Sentence, sentences
from patch_agent.stand_in.source import Source, read_once

SOURCES = frozenset({"user", "task", "summary"})
_SAID = " must pass."
_GREEN = (
    r"(?:(?:go|be|turn|come|run) )?"
    r"(?:pass|passes|passing|succeeds?|green|works?|through|clean)\b"
)
_MUST = re.compile(
    rf"\b(?:must|should|shall)(?: now| also| again)? {_GREEN}"
    rf"|\b(?:has|have|needs?|ought|is|are)(?: got)? to(?: \w+)? {_GREEN}"
    rf"|\b(?:make|get|bring|turn|see|want|wants|need|needs|like|let|have|until|asks? for|"
    rf"asked for)\b.*\b{_GREEN}"
    rf"|\b(?:goal|aim|task|job)\b.*\b{_GREEN}"
    rf"|\b(?:fix|repair|mend|solve|cure)\b",
    re.IGNORECASE,
)
_GOAL = re.compile(r"\b(?:goal|aim|target|task|job|objective)\b", re.IGNORECASE)
_NOT = re.compile(
    r"\b(?:need not|needn['’]t"
    r"|(?:no longer|not|n['’]t) (?:\w+ )?(?:have|has|need|needs|must|required) ?(?:to)?"
    r"|no longer (?:has|needs|must)|ignore|skip|never mind|forget|leave out|drop|passes already"
    r"|already (?:passes|pass|green)|(?:is|was) already|will be deleted|not the goal|instead of)\b",
    re.IGNORECASE,
)
_BELIEF = re.compile(r"\b(?:assum|suppos|believ|guess)\w*", re.IGNORECASE)
_IT = re.compile(r"\b(?:it|this|that|this test|that test)\b", re.IGNORECASE)


@read_once
def goal(here: Source) -> tuple[Evidence, ...]:
    """The tests that a message sets as the goal; `holds` is False where it takes one back."""
    if here.kind not in SOURCES:
        return ()
    found = []
    known = sentences(here.text)
    for number, sentence in enumerate(known):
        if sentence.own or not sentence.told_by(here.kind):
            continue
        start, named = _test(known, number)
        if named is None or _BELIEF.search(sentence.flat):
            continue
        dropped = bool(_NOT.search(sentence.flat))
        under = bool(_GOAL.search(sentence.topic)) and bool(tests(sentence.flat))
        if dropped or under or _MUST.search(_words(sentence)):
            subject = frozenset({named.rpartition("::")[2]})
            answer = "" if dropped else told(named)
            quote = here.text[start : sentence.end]
            found.append(
                Evidence(0, here.kind, start, sentence.end, quote, answer, not dropped, 0, subject)
            )
    return tuple(found)


def told(test: str) -> str:
    """The answer that names this test as the goal."""
    return f"{test}{_SAID}"


def test_of(answer: str) -> str:
    """The test that such an answer names.

    >>> test_of(told("tests/test_a.py::test_b"))
    'tests/test_a.py::test_b'
    """
    return answer.removesuffix(_SAID)


def _test(known: tuple[Sentence, ...], number: int) -> tuple[int, str | None]:
    """The test that a sentence speaks of, and where the words about it begin."""
    sentence = known[number]
    named = tests(sentence.flat)
    if named:
        return sentence.start, named[0].name
    if number and known[number - 1].paragraph == sentence.paragraph and _IT.search(sentence.flat):
        before = known[number - 1]
        if not before.asks and tests(before.flat):
            return before.start, tests(before.flat)[-1].name
    return sentence.start, None


def _words(sentence: Sentence) -> str:
    """The sentence with the names of tests taken out, since those may hold any word."""
    text = sentence.flat
    for mention in reversed(tests(text)):
        text = f"{text[: mention.start]}…{text[mention.end :]}"
    return text
