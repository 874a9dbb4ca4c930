"""The sentences in which the agent says what it found, written and read in one place.

They are all that is left once results are gone, so they name report, place, line and issue in
full. A summary that keeps such a sentence word for word keeps what it says.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from patch_agent.triage.reader_texts import Finding, Key

_KEY = r"([\w.]+) in (\w+) of (\S+?)"
_REPORTS = re.compile(rf"^((?:R-\d+ \(\w+\)(?:, )?)+): {_KEY}, `(.*)`, line (\d+) there\.$", re.M)
_ONE = re.compile(r"(R-\d+) \((\w+)\)")
_LINE = re.compile(rf"^{_KEY} is raised at line (\d+) now\.$", re.M)
_ISSUE = re.compile(rf"^(ISS-\d+) is about {_KEY}\.$", re.M)
_NONE = re.compile(rf"^No open issue is about {_KEY}\.$", re.M)


@dataclass(frozen=True, slots=True)
class Said:
    """What a text says: findings, lines, issues, keys without an issue."""

    findings: tuple[Finding, ...] = ()
    lines: tuple[tuple[Key, int], ...] = ()
    issues: tuple[tuple[Key, str], ...] = ()
    none: tuple[Key, ...] = ()


def say_findings(findings: Iterable[Finding]) -> str:
    """One sentence on reports of one cause, the crashing line being that of the first."""
    known = list(findings)
    names = ", ".join(f"{one.report} ({one.severity})" for one in known)
    first = known[0]
    return f"{names}: {first.key}, `{first.code}`, line {first.line} there."


def say_line(key: Key, line: int) -> str:
    """Where the sources of today raise the error."""
    return f"{key} is raised at line {line} now."


def say_issue(key: Key, issue: str) -> str:
    """Which issue a cause has."""
    return f"{issue} is about {key}."


def say_none(key: Key) -> str:
    """That a search found no open issue."""
    return f"No open issue is about {key}."


@lru_cache(maxsize=4096)
def heard(text: str) -> Said:
    """All that a text says in these forms; other words are passed over."""
    findings = [
        Finding(report, _key(row[1:4]), severity, row[4], int(row[5]))
        for row in _REPORTS.findall(text)
        for report, severity in _ONE.findall(row[0])
    ]
    lines = [(_key(row[:3]), int(row[3])) for row in _LINE.findall(text)]
    issues = [(_key(row[1:4]), row[0]) for row in _ISSUE.findall(text)]
    none = map(_key, _NONE.findall(text))
    return Said(tuple(findings), tuple(lines), tuple(issues), tuple(none))


def _key(row: tuple[str, ...]) -> Key:
    error, function, file = row
    return Key(file, function, error)
