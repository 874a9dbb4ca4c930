"""Grades the final state of a crash service: 94 checks, four for each cause and two for all.

An issue belongs to the cause of most of its evidence, or, where its evidence has no such majority,
to the cause at the place that it names. Of several issues about one cause the first one is judged
for place and severity, so that a second one costs the check `filed` and no other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from patch_agent.triage.service import Service
from patch_agent.triage.truth import Cause, Truth, truth_of
from patch_agent.triage.world import Issue

KINDS = ("filed", "place", "severity", "linked")
"""The checks of one cause; the ids are such as `C07.place`."""
GLOBAL = ("all.issues", "all.reports")
"""Every new issue has a cause; every report is linked to exactly one issue."""


@dataclass(frozen=True, slots=True)
class Check:
    """One check; `why` says what is not as it should be, and is empty where it passed."""

    id: str
    why: str = ""

    @property
    def passed(self) -> bool:
        """Whether the state is as it should be."""
        return not self.why


@dataclass(frozen=True, slots=True)
class Grade:
    """All checks in order."""

    checks: tuple[Check, ...]

    @property
    def passed(self) -> int:
        """How many checks passed."""
        return sum(check.passed for check in self.checks)

    @property
    def total(self) -> int:
        """How many checks there are."""
        return len(self.checks)

    @property
    def missed(self) -> tuple[Check, ...]:
        """The checks that did not pass."""
        return tuple(check for check in self.checks if not check.passed)


def grade(service: Service, truth: Truth | None = None) -> Grade:
    """The checks on the state of a service, by the truth about its world."""
    truth = truth or truth_of(service.world.seed)
    filed = [entry for entry in service.issues() if entry.issue.state == "open"]
    owner = {entry.issue.id: owner_of(entry.issue, truth) for entry in filed}
    links: dict[str, list[str]] = {}
    for report, issue in service.links():
        links.setdefault(report, []).append(issue)
    checks: list[Check] = []
    for cause in truth.causes:
        own = [entry.issue for entry in filed if owner[entry.issue.id] == cause]
        checks += _cause_checks(cause, own, links)
    strangers = [e.issue.id for e in filed if not e.before and owner[e.issue.id] is None]
    checks.append(Check(GLOBAL[0], _told("without a cause", strangers)))
    checks.append(Check(GLOBAL[1], _loose(truth.cause_of, links)))
    return Grade(tuple(checks))


def owner_of(issue: Issue, truth: Truth) -> Cause | None:
    """The cause that an issue is about, None when it is about none."""
    for cause in truth.causes:
        if cause.known == issue.id:
            return cause
    votes = Counter(truth.cause_of[r].id for r in issue.evidence if r in truth.cause_of)
    for cause in truth.causes:
        if 2 * votes[cause.id] > len(issue.evidence):
            return cause
    return truth.at(issue.file, issue.line)


def _cause_checks(
    cause: Cause, own: Sequence[Issue], links: dict[str, list[str]]
) -> tuple[Check, ...]:
    names = [issue.id for issue in own]
    first = own[0] if own else None
    missing = [r for r in cause.reports if not set(links.get(r, ())) & set(names)]
    reasons = (
        "" if len(own) == 1 else _told("filed more than once", names) or "not filed",
        _place(cause, first),
        _severity(cause, first),
        _told("not linked to its issue", missing),
    )
    return tuple(Check(f"{cause.id}.{k}", why) for k, why in zip(KINDS, reasons, strict=True))


def _place(cause: Cause, issue: Issue | None) -> str:
    if issue is None:
        return "not filed"
    if (issue.file, issue.line) == (cause.file, cause.line):
        return ""
    return f"{issue.id} names {issue.file}:{issue.line}, not {cause.file}:{cause.line}"


def _severity(cause: Cause, issue: Issue | None) -> str:
    if issue is None:
        return "not filed"
    if issue.severity == cause.severity:
        return ""
    return f"{issue.id} says {issue.severity}, not {cause.severity}"


def _loose(reports: Iterable[str], links: dict[str, list[str]]) -> str:
    """What is wrong with the number of links of the reports, in words."""
    known = list(reports)
    open_ = sorted(report for report in known if not links.get(report))
    twice = sorted(report for report in known if len(links.get(report, ())) > 1)
    return "; ".join(filter(None, (_told("open", open_), _told("linked twice", twice))))


def _told(what: str, names: Sequence[str]) -> str:
    """Such as `open: R-1, R-2`; nothing when there are no names."""
    return f"{what}: {', '.join(names)}" if names else ""
