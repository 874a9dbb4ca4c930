"""Reads sentences and test output by stated rules: failures, dead ends, decisions, rules."""

from __future__ import annotations

import re
from functools import lru_cache

_BREAK = re.compile(r"(?<=[.!?])[\"'”’)`]*\s+(?=[\"'“‘(`]*[A-Z0-9])|\n+")
_ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|etc|vs|cf|no|Dr|Mr|Ms)\.$", re.IGNORECASE)

_DEAD_END = re.compile(
    r"\bruled out\b|\b(?:did|does|do)(?: not|n't) (?:help|fix|change anything|matter|work)\b"
    r"|\b(?:made|makes) no difference\b|\b(?:had|has) no effect\b|\bchanged nothing\b"
    r"|\bnot (?:the|a) (?:cause|culprit|problem|reason)\b|\bdead end\b|\bin vain\b"
    r"|\bwithout success\b|\bis (?:innocent|fine, so)\b",
    re.IGNORECASE,
)
_UNDONE = re.compile(
    r"\brevert(?:ed|ing)\b|\bundid\b|\bundone\b|\brolled back\b|\bback as it was\b"
    r"|\btook (?:it|that|this|the \w+(?: \w+)?) (?:back|out)\b",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"\?$|\bnot (?:yet )?ruled out\b|\bno longer\b|\bchance\b"
    r"|\b(?:if|whether|unless|might|may|could|would)\b"
    r"|\bnothing so far\b|\breverted nothing\b|\b(?:be|get|easily|quickly|soon) undone\b"
    r"|\bto try\b",
    re.IGNORECASE,
)
_DECISION = re.compile(
    r"\b(?:I|[Ww]e)(?: have|'ve)? decid\w+|^(?:(?:So|Then|Now) )?(?:I|[Ww]e)(?:'ll| will)\b"
    r"|^So (?!far\b|back\b)|^(?:Therefore|Hence|This means|That settles)\b|\bthe plan is\b"
    r"|\bsuspect\b|\bclue\b|\bmust be\b|\bcannot be\b|\bturns? out\b|\bpoints to\b"
    r"|\bsmells of\b"
    r"|\b(?:cause|culprit|fault|bug) (?:is|lies|sits|was|must)\b"
    r"|\bI have (?:not )?changed\b|\binstead of\b"
)
_CODE = re.compile(r"`[^`\n]+`")
_INTENT = re.compile(
    r"^(?:I|Next|Then|Now|Perhaps|And|But|For|With|Here)\b|\bI (?:look|read|run)\b"
)
_RULE = re.compile(
    r"\bmust(?: not|n't)?\b|\bnever\b|\balways\b|\bdo(?: not|n't)\b|\bdon’t\b|\bonly\b|\bcannot\b"
    r"|\boff[ -]limits\b|\bhands off\b|\bleave [^.!?\n]{0,80}\balone\b|\bread-only\b|\bunder no\b"
    r"|\bis to stay\b|\b(?:is|are) not to be\b|\bno (?:edits|changes|one|new)\b|\brule\b"
    r"|\bmake sure\b|\bkeep [^.!?\n]{0,60}\b(?:as|out|below|under)\b|\bstay (?:away|out)\b",
    re.IGNORECASE,
)

_FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+::\S+)(?: - (.*))?$", re.MULTILINE)
_SECTION = re.compile(r"^_{3,} (\S+) _{3,}$", re.MULTILINE)
_RAISED = re.compile(r"^E {1,}(\S.*)$", re.MULTILINE)
_OTHER = re.compile(
    r"^(?:--- FAIL: (\S+)|FAIL: (\S+)|test (\S+) \.\.\. FAILED|[✗✕×] (\S.{0,100}))", re.MULTILINE
)
_ERROR = re.compile(
    r"^(?:[\w.]{1,80}(?:Error|Exception)(?:: .{1,200})?"
    r"|(?:fatal|error|panic)(?:\[\w+\])?: .{1,200})$",
    re.MULTILINE,
)


_COUNTS = re.compile(
    r"^=* ?((?:\d+ (?:passed|failed|errors?|skipped|xfailed|warnings?|deselected)(?:, )?)+)",
    re.MULTILINE,
)


def sentences(text: str) -> tuple[str, ...]:
    """The sentences and lines of a text, in order, without list marks."""
    found, start = [], 0
    for match in _BREAK.finditer(text):
        if _ABBREVIATION.search(text[start : match.start()]):
            continue
        found.append(text[start : match.end()])
        start = match.end()
    found.append(text[start:])
    stripped = (piece.strip().removeprefix("- ").removeprefix("* ").strip() for piece in found)
    return tuple(piece for piece in stripped if piece)


def tells_dead_end(sentence: str) -> bool:
    """True where a sentence says, as a fact, that something was tried or checked in vain."""
    told = _DEAD_END.search(sentence) or _UNDONE.search(sentence)
    return told is not None and not _OPEN.search(sentence)  # which takes longest


def tells_decision(sentence: str) -> bool:
    """True where the assistant states a choice, a suspicion, or what it found out about code."""
    if sentence.endswith(("?", ":")):
        return False
    return bool(_DECISION.search(sentence) or _states_code(sentence))


def _states_code(sentence: str) -> bool:
    """True for a plain statement of what there is, or about code named in backticks."""
    if not sentence.startswith(("There is ", "There are ")) and not _CODE.search(sentence):
        return False
    return not _OPEN.search(sentence) and not _INTENT.search(sentence)


def tells_rule(text: str) -> bool:
    """True where what the user says demands or forbids something for good."""
    return bool(_RULE.search(text))


@lru_cache(maxsize=2_000)
def outcome_of(output: str) -> str:
    """The closing counts of a test run, such as "1 failed, 24 passed", or nothing."""
    found = _COUNTS.findall(output)
    return found[-1].strip() if found else ""


def closing_line(output: str) -> str:
    """The last line of a test run's output, where its counts stand.

    >>> closing_line("..F\\n1 failed, 24 passed\\n")
    '1 failed, 24 passed'
    """
    return output.rstrip().rpartition("\n")[2]


@lru_cache(maxsize=2_000)
def failures_in(output: str) -> tuple[tuple[str, str], ...]:
    """The failing tests of an output with the error of each; ("", error) where no test is named.

    >>> failures_in("FAILED tests/test_a.py::test_b - assert 1 == 2")
    (('tests/test_a.py::test_b', 'assert 1 == 2'),)
    """
    errors = _section_errors(output)
    found: dict[str, str] = {}
    for match in _FAILED.finditer(output):
        test, short = match.group(1), (match.group(2) or "").strip()
        name = test.split("::", 1)[1].replace("::", ".")
        found.setdefault(test, errors.get(name) or short)
    for match in _OTHER.finditer(output):
        found.setdefault(next(group for group in match.groups() if group).strip(), "")
    if not found:
        return tuple(("", line.strip()) for line in _ERROR.findall(output)[-1:])
    return tuple(found.items())


def _section_errors(output: str) -> dict[str, str]:
    """For each test's section of a pytest report, its failed assertion or its first error line."""
    marks = list(_SECTION.finditer(output))
    ends = [mark.start() for mark in marks[1:]] + [len(output)] * bool(marks)
    errors = {}
    for mark, end in zip(marks, ends, strict=True):
        lines = _RAISED.findall(output, mark.end(), end)
        asserted = next((line for line in lines if line.startswith("assert ")), None)
        if lines:
            errors[mark.group(1)] = (asserted or lines[0]).strip()
    return errors
