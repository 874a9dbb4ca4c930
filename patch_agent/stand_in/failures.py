"""With which words did the goal test fail at first?

Pytest's own output counts, and what the user, the task block or a summary say. What a summary or
the task block says goes first, since it tells of the beginning; then the earliest output.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from patch_agent.stand_in.evidence import Evidence
from patch_agent.stand_in.paths import same_test, tests
from patch_agent.stand_in.runs import test_run
from patch_agent.stand_in.sentences import Sentence, sentences
from patch_agent.stand_in.source import Source, read_once

STATED = frozenset({"user", "task", "summary"})
_VALUE = r"""(?:'[^']*'|"[^"]*"|[^\s'"`]+)"""
_ASSERT = re.compile(
    rf"`(?P<marked>assert [^`]+)`|\b(?P<plain>assert (?:not )?{_VALUE}"
    rf"(?: (?:==|!=|<=|>=|<|>|in|not in|is not|is) {_VALUE})?)"
)
_NOT = re.compile(
    r"\b(?:not|never|n['’]t|no longer)\b[^.]*?(?=\bassert )"
    r"|\b(?:expect|suppose|guess|imagine|fear)\w*\b|\bother (?:branch|test)\b"
    r"|\bnow (?:fails|failing|with)\b",
    re.IGNORECASE,
)


@read_once
def first_failure(test: str | None, here: Source) -> tuple[Evidence, ...]:
    """What a message says on how `test` failed; without a test, only what is said in words."""
    if here.kind == "tool":
        return tuple(_printed(test, here, 1))
    if here.kind in STATED:
        printed = tuple(_printed(test, here, 1))
        return printed or tuple(_stated(test, here))
    return ()


def _printed(test: str | None, here: Source, rank: int) -> Iterator[Evidence]:
    run = test_run(here.text) if test else None
    failure = run.of(test) if run and test else None
    if failure and failure.words:
        yield _evidence(here, failure.start, failure.end, failure.words, rank)


def _stated(test: str | None, here: Source) -> Iterator[Evidence]:
    for sentence in sentences(here.text):
        match = _ASSERT.search(sentence.flat)
        if not match or not _counts(sentence, here.kind, test):
            continue
        words = (match["marked"] or match["plain"]).rstrip(".,;:)!")
        rank = 1 if here.kind == "user" else 0
        yield _evidence(here, sentence.start, sentence.end, words, rank)


def _counts(sentence: Sentence, kind: str, test: str | None) -> bool:
    if not sentence.states or _NOT.search(sentence.flat) or (sentence.plan and kind != "user"):
        return False
    named = tests(sentence.flat)
    return not named or test is None or any(same_test(m.name, test) for m in named)


def _evidence(here: Source, start: int, end: int, words: str, rank: int) -> Evidence:
    quote = here.text[start:end]
    return Evidence(0, here.kind, start, end, quote, f"It failed with {words}.", rank=rank)
