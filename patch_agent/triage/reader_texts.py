"""How single texts are read: a report, a source file, a listing, a search, the agent's own words.

Each function looks at one text and nothing else, and returns None or nothing where the text is
not of that kind; so what stands for a cleared result is simply not readable, however it is worded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

SEVERITY = {
    "looks wrong": "low",
    "worked around": "medium",
    "blocked": "high",
    "data lost": "critical",
}
"""The severity that the impact of a report stands for, as the system prompt says."""
RANK = {name: rank for rank, name in enumerate(SEVERITY.values())}

_PYTHON = re.compile(r'  File "(\S+)", line (\d+), in (\w+)\n    (.*)')
_STACK = re.compile(r"  at (\w+) \((\S+):(\d+)\): (.*)")
_LOG = re.compile(r"E [\d:]{8} (\w+) \((\S+):(\d+)\) \| (.*)")
_HEAD = re.compile(r"(R-\d+): ")
_IMPACT = re.compile(r"^Impact: (.*)$", re.MULTILINE)
_OPEN = re.compile(r"(?:(No report is)|1 report is|\d+ reports are) open\.")
_LISTED = re.compile(r"^(R-\d+) \| ", re.MULTILINE)
_FILE = re.compile(r"(\S+), version \S+, \d+ lines\n")
_FOUND = re.compile(r"^(ISS-\d+) \| (\w+) \| \w+ \| (\S+):(\d+) \| ([\w.]+) in (\w+) \|", re.M)
_LINKED = re.compile(r"(R-\d+) is linked to (ISS-\d+)")
_FILED = re.compile(r"Filed (ISS-\d+):")


@dataclass(frozen=True, slots=True)
class Key:
    """What tells causes apart: the file and function of the innermost call, the error's type."""

    file: str
    function: str
    error: str

    def __str__(self) -> str:
        return f"{self.error} in {self.function} of {self.file}"


@dataclass(frozen=True, slots=True)
class Finding:
    """What a report comes to: its cause's key, severity, and the crashing line in its version."""

    report: str
    key: Key
    severity: str
    code: str
    line: int
    attached: bool = False


@dataclass(frozen=True, slots=True)
class Match:
    """An issue as a search shows it."""

    issue: str
    open: bool
    key: Key
    line: int


@lru_cache(maxsize=4096)
def read_report(text: str) -> Finding | None:
    """What a report comes to; None for a text that is no report in full."""
    head, answer = _HEAD.match(text), _IMPACT.search(text)
    crash = text.partition("\nCrash\n")[2].partition("\n\nValues there\n")[0]
    place = _innermost(crash)
    if not head or not answer or place is None or answer[1] not in SEVERITY:
        return None
    file, line, function, code, headline = place
    key = Key(file, function, headline.partition(":")[0])
    attached = text.endswith("\nAttached: reproduction.py")
    return Finding(head[1], key, SEVERITY[answer[1]], code, int(line), attached)


def _innermost(crash: str) -> tuple[str, str, str, str, str] | None:
    """File, line, function, text of the line, and headline, in any of the three forms."""
    lines = crash.split("\n")
    if found := _PYTHON.findall(crash):
        file, line, function, code = found[-1]
        return file, line, function, code, lines[-1]
    if found := _LOG.findall(crash):
        function, file, line, code = found[-1]
        return file, line, function, code, lines[-1].split(" ", 2)[-1]
    if found := _STACK.findall(crash):
        function, file, line, code = found[0]
        return file, line, function, code, lines[0]
    return None


@lru_cache(maxsize=512)
def read_listing(text: str) -> tuple[str, ...] | None:
    """The open reports that a listing names, empty when none is open; None for other texts."""
    last = text.rpartition("\n")[2]
    return tuple(_LISTED.findall(text)) if _OPEN.fullmatch(last) else None


@lru_cache(maxsize=512)
def read_file(text: str) -> tuple[str, tuple[str, ...]] | None:
    """Path and lines of a source file; None for other texts."""
    head = _FILE.match(text)
    if head is None or "\n1\t" not in text[: head.end() + 2]:
        return None
    return head[1], tuple(row.partition("\t")[2] for row in text[head.end() :].split("\n"))


def line_of(lines: tuple[str, ...], function: str, code: str) -> tuple[int, ...]:
    """The numbers of the lines in a function that read like this."""
    start = re.compile(rf"(\s*)(?:async )?def {re.escape(function)}\b")
    found: list[int] = []
    depth = -1
    for number, line in enumerate(lines, 1):
        inner = len(line) - len(line.lstrip())
        if head := start.match(line):
            depth = len(head[1])
        elif depth >= 0 and line.strip() and inner <= depth and not line.lstrip().startswith(")"):
            depth = -1
        elif depth >= 0 and line.strip() == code.strip():
            found.append(number)
    return tuple(found)


@lru_cache(maxsize=1024)
def read_search(text: str) -> tuple[Match, ...] | None:
    """The issues that a search found; None for a text that is no answer to a search."""
    if text.startswith("No issue holds "):
        return ()
    found = tuple(
        Match(issue, state == "open", Key(file, function, error), int(line))
        for issue, state, file, line, error, function in _FOUND.findall(text)
    )
    return found or None


@lru_cache(maxsize=64)
def read_run(text: str) -> tuple[str, int] | None:
    """File and line at which a reproduction ended, None where it did not end in an error."""
    found = [row for row in _PYTHON.findall(text) if "/" in row[0]]
    return (
        (found[-1][0], int(found[-1][1])) if text.startswith("Reproduction of ") and found else None
    )


def read_filed(text: str) -> str | None:
    """The number of an issue that has just been filed."""
    filed = _FILED.match(text)
    return filed[1] if filed else None


def read_link(text: str) -> tuple[str, str] | None:
    """A report and the first issue that it is linked to."""
    linked = _LINKED.match(text)
    return (linked[1], linked[2]) if linked else None


def issue_numbers(text: str) -> Iterator[str]:
    """All numbers of issues that a text names."""
    return (match.group() for match in re.finditer(r"\bISS-\d+\b", text))
