"""Makes a world from a seed, together with the truth about it.

Every crash in a report is a real one: the reproduction of its cause was run on the sources of the
version that the report names. Nothing depends on the machine, the clock or the order of a set.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import lru_cache
from random import Random

from patch_agent.triage.sandbox import SCRIPT
from patch_agent.triage.texts import Theme, fill, phrases, themes
from patch_agent.triage.world import SEVERITIES, Issue, Report, World
from patch_agent.triage.world_cases import Case, Cause, cause_of, crash_of, module_of
from patch_agent.triage.world_code import CAUSES, VERSIONS, make_files
from patch_agent.triage.world_reports import Release, body, draw_values, title

REPORTS = 99
MOST_REPORTS = 10
"""Reports of one cause."""
MIXED = 7
"""Causes of which one report is worse than the others."""
KNOWN = 3
"""Causes that have an issue before the run begins."""
FIXED = 5
"""Old issues whose flaw is no longer in the sources."""


@dataclass(frozen=True, slots=True)
class Made:
    """A world and the truth about it."""

    world: World
    causes: tuple[Cause, ...]


@lru_cache(maxsize=8)
def make(seed: int) -> Made:
    """The world of a seed and its causes. Raises ValueError for what is no whole number."""
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise ValueError(f"seed: expected a whole number, got {seed!r}")
    return _Maker(seed).made()


def make_world(seed: int = 1) -> World:
    """The world of a seed, always the same. Raises ValueError for what is no whole number."""
    return make(seed).world


class _Maker:
    """The draws of one world, in a fixed order."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.random = Random(f"world {seed}")
        self.theme: Theme = self.random.choice(themes())
        self.files = make_files(self.theme, self.random)
        self.releases = self._releases()
        self.next_report = self.random.randint(1000, 5000)
        self.next_issue = self.random.randint(100, 400)

    def made(self) -> Made:
        """Draws everything: old issues first, whose numbers are the lowest."""
        cases = self._cases()
        issues, archive = self._fixed_issues()
        for case in self.random.sample(cases, KNOWN):
            issue, reports = self._known_issue(case)
            issues.append(issue)
            archive += reports
        self._write(cases)
        listed = [report for case in cases for report in case.reports or ()]
        reports = sorted([*archive, *listed], key=lambda report: report.id)
        links = [(ident, issue.id) for issue in issues for ident in issue.evidence]
        world = World(
            seed=self.seed,
            app=self.theme.app,
            about=self.theme.about,
            version=self.releases[-1].version,
            reports=tuple(reports),
            files={file.path: file.text() for file in self.files},
            issues=tuple(issues),
            links=tuple(links),
        )
        return Made(world, tuple(cause_of(f"C{n:02d}", case) for n, case in enumerate(cases, 1)))

    def _releases(self) -> tuple[Release, ...]:
        major, minor = self.random.randint(2, 6), self.random.randint(2, 9)
        build = 100 * self.random.randint(20, 60)
        names = (f"{major}.{minor - 1}.{self.random.randint(0, 4)}", f"{major}.{minor}.0")
        builds = (build, build + self.random.randint(20, 60), build + self.random.randint(70, 99))
        return tuple(map(Release, (*names, f"{major}.{minor}.{self.random.randint(1, 3)}"), builds))

    def _cases(self) -> list[Case]:
        """The causes with the impact of each of their reports, mildest 0."""
        sizes = _sizes(self.random)
        flawed = [(file, place) for file in self.files for place in file.places if place.flawed]
        cases = []
        for (file, place), size in zip(flawed, sizes, strict=True):
            impact = self.random.choice((0, 1, 1, 2, 2, 3))
            sources = tuple(file.text(version) for version in range(VERSIONS))
            cases.append(Case(file, place, sources, [impact] * size))
        mixable = [case for case in cases if len(case.impacts) > 2 and case.impacts[0] < 3]
        for case in self.random.sample(mixable, min(MIXED, len(mixable))):
            spot = self.random.randrange(len(case.impacts))
            case.impacts[spot] = self.random.randint(case.impacts[spot] + 1, 3)
        return cases

    def _report(self, case: Case, ident: str, moment: datetime, impact: int) -> Report:
        """One report, and the reproduction with its values."""
        release = self.random.choice((0, 1, 1, 2, 2, 2))
        words = case.place.words | draw_values(self.theme, case.file.thing, self.random)
        in_code = words | case.file.thing.words | {"module": module_of(case.file)}
        code = fill(case.place.component.reproduction, in_code)
        crash = crash_of(case.file.path, case.sources[release], code)
        text = body(
            self.theme.app,
            self.releases[release],
            moment,
            phrases()["impact"][3 - impact],
            case.place.component.symptoms,
            words,
            crash,
            self.random,
        )
        case.crash = case.crash or crash_of(case.file.path, case.sources[-1], code)
        return Report(ident, f"{moment:%Y-%m-%d %H:%M}", title(words, self.random), text, code)

    def _old_report(self, case: Case) -> Report:
        """A report of earlier work, with a number of its own."""
        self.next_report += self.random.randint(1, 9)
        moment = datetime(2026, 6, 1) + timedelta(minutes=self.random.randint(0, 80_000))
        report = self._report(case, f"R-{self.next_report}", moment, case.impacts[0])
        return replace(report, reproduction="", archived=True)

    def _issue(self, case: Case, state: str, evidence: Sequence[Report], severity: int) -> Issue:
        self.next_issue += self.random.randint(1, 9)
        assert case.crash is not None
        place = case.crash.frames[-1]
        return Issue(
            id=f"ISS-{self.next_issue}",
            title=f"{case.crash.error} in {place.function}",
            file=place.path,
            line=place.line,
            severity=SEVERITIES[severity],
            state=state,
            evidence=tuple(report.id for report in evidence),
        )

    def _fixed_issues(self) -> tuple[list[Issue], list[Report]]:
        """Old issues at places that are right by now, each with the report that led to it."""
        right = [
            (file, place)
            for file in self.files
            for place in file.places
            if not place.flawed and place.since == 0
        ]
        issues, archive = [], []
        for file, place in self.random.sample(right, FIXED):
            wrong = replace(place, flawed=True)
            places = tuple(wrong if other is place else other for other in file.places)
            before = replace(file, places=places)
            sources = tuple(before.text(0) for _ in range(VERSIONS))
            case = Case(file, wrong, sources, [self.random.randint(0, 2)])
            archive.append(self._old_report(case))
            issues.append(self._issue(case, "fixed", archive[-1:], case.impacts[0]))
        return issues, archive

    def _known_issue(self, case: Case) -> tuple[Issue, list[Report]]:
        """An open issue that a cause has already, with one or two older reports linked to it."""
        reports = [self._old_report(case) for _ in range(self.random.randint(1, 2))]
        issue = self._issue(case, "open", reports, max(case.impacts))
        case.known = issue.id
        return issue, reports

    def _write(self, cases: Sequence[Case]) -> None:
        """The reports of all causes, numbered in the order of their coming."""
        wanted = [(case, impact) for case in cases for impact in case.impacts]
        self.random.shuffle(wanted)
        moment = datetime(2026, 9, 7, 6)
        for case, impact in wanted:
            moment += timedelta(minutes=self.random.randint(4, 190))
            self.next_report += self.random.randint(1, 9)
            report = self._report(case, f"R-{self.next_report}", moment, impact)
            case.reports = [*(case.reports or ()), report]
        for case in cases:
            assert case.reports is not None
            kept = self.random.sample(range(len(case.reports)), min(2, len(case.reports)))
            case.reports = [
                _finished(report, number in kept) for number, report in enumerate(case.reports)
            ]


def _finished(report: Report, attached: bool) -> Report:
    """The report with a last line that says whether a reproduction is attached."""
    last = f"Attached: {SCRIPT}" if attached else "Attached: nothing"
    code = report.reproduction if attached else ""
    return replace(report, text=f"{report.text}\n\n{last}", reproduction=code)


def _sizes(random: Random) -> list[int]:
    """How many reports each cause has: from 1 to MOST_REPORTS, together REPORTS."""
    sizes = [1] * CAUSES
    weights = [random.random() ** 2 + 0.05 for _ in range(CAUSES)]
    while sum(sizes) < REPORTS:
        chosen = random.choices(range(CAUSES), weights)[0]
        if sizes[chosen] < MOST_REPORTS:
            sizes[chosen] += 1
    return sizes
