"""Why a check was missed: the call that decided it, and where its knowledge was by then.

The requests of the run are made again and read with the agent's own reader. For each thing that
the call should have rested on it says whether it stood in the call's request, was gone from it,
and since which request, or had never been in any.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from patch_agent.messages import ToolCall
from patch_agent.triage.grade import owner_of
from patch_agent.triage.reader import Knowledge, read
from patch_agent.triage.reader_texts import RANK, Key, read_report
from patch_agent.triage.run import Run
from patch_agent.triage.truth import Cause, Truth, truth_of
from patch_agent.triage.world import Issue, World
from patch_agent.triage.world_make import make_world


@dataclass(frozen=True, slots=True)
class Need:
    """One thing that a call should have rested on; `last` is the last request that held it.

    `last` is 0 where no request up to that of the call held it.
    """

    what: str
    step: int
    last: int

    def __str__(self) -> str:
        if self.last == self.step:
            return f"{self.what}: in request {self.step}"
        if self.last == 0:
            return f"{self.what}: in no request up to {self.step}"
        return f"{self.what}: gone since request {self.last + 1}, last in request {self.last}"


@dataclass(frozen=True, slots=True)
class Trace:
    """A missed check, the step and words of the call that decided it, and what it needed."""

    check: str
    why: str
    step: int
    decided: str
    needs: tuple[Need, ...]


class Unknown(ValueError):
    """A check that the run does not have, or that it passed."""


def trace(run: Run, check: str) -> Trace:
    """Traces one missed check. Raises Unknown."""
    found = {one.id: one for one in run.grade.checks}
    if check not in found:
        raise Unknown(f"check: expected one such as C07.place or all.reports, got {check!r}")
    if found[check].passed:
        missed = ", ".join(one.id for one in run.grade.missed) or "none"
        raise Unknown(f"check {check}: the run passed it; missed: {missed}")
    return _Tracer(run).trace(check, found[check].why)


Test = Callable[[Knowledge], bool]


class _Tracer:
    """The calls of a run with their steps, the truth about its world, what each request told."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.world: World = make_world(run.settings.world)
        self.truth: Truth = truth_of(run.settings.world)
        self.calls = list(_calls(run))

    def trace(self, check: str, why: str) -> Trace:
        cause_id, _, kind = check.partition(".")
        cause = next((one for one in self.truth.causes if one.id == cause_id), None)
        if cause is None or kind == "linked":
            return self._links(check, why, cause)
        filed = self._filings(cause)
        if not filed:
            end = f"no call files it; the run ended with {self.run.ending!r}"
            return Trace(check, why, len(self.run.sent), end, ())
        if kind == "filed":
            return self._second(check, why, cause, filed)
        step, issue = filed[0]
        tests = self._for_severity(cause) if kind == "severity" else _for_place(cause)
        return self._made(check, why, step, f"file_issue made {issue.id}", tests)

    def _made(self, check: str, why: str, step: int, decided: str, tests: dict[str, Test]) -> Trace:
        known = self._known(step)
        needs = []
        for what, test in tests.items():
            held = [number for number, one in enumerate(known, 1) if test(one)]
            needs.append(Need(what, step, max(held, default=0)))
        return Trace(check, why, step, decided, tuple(needs))

    def _known(self, step: int) -> list[Knowledge]:
        made = zip(range(step), self.run.requests(), strict=False)
        return [read(request.wire()) for _, request in made]

    def _filings(self, cause: Cause) -> list[tuple[int, Issue]]:
        """The steps in which issues about a cause were filed."""
        made = []
        for step, call, text in self.calls:
            if call.name == "file_issue" and text.startswith("Filed "):
                issue = _issue(json.loads(call.arguments), text)
                if owner_of(issue, self.truth) == cause:
                    made.append((step, issue))
        return made

    def _for_severity(self, cause: Cause) -> dict[str, Test]:
        """The reports that are worst; one of them is enough."""
        texts = {one.id: f"{one.id}: {one.title}\n{one.text}" for one in self.world.reports}
        read_ = [one for one in (read_report(texts[r]) for r in cause.reports) if one]
        worst = max((one.severity for one in read_), key=RANK.__getitem__)
        names = [one.report for one in read_ if one.severity == worst]
        return {f"report {name} ({worst})": _has_report(name) for name in names}

    def _second(
        self, check: str, why: str, cause: Cause, filed: Sequence[tuple[int, Issue]]
    ) -> Trace:
        """The call that filed a cause which had an issue already."""
        step, issue = filed[0] if cause.known else filed[min(1, len(filed) - 1)]
        first = cause.known or filed[0][1].id
        key = Key(cause.file, cause.function, cause.error)
        decided = f"file_issue made {issue.id}, though there was {first}"
        tests: dict[str, Test] = {
            f"that {first} is about it": lambda known: known.issues.get(key) == first,
            f"the number {first}": lambda known: first in known.named,
        }
        return self._made(check, why, step, decided, tests)

    def _links(self, check: str, why: str, cause: Cause | None) -> Trace:
        """The first call that linked a report a second time or to another cause's issue."""
        linked: dict[str, str] = {}
        about = {issue.id: one for one in self.truth.causes for _, issue in self._filings(one)}
        about |= {one.known: one for one in self.truth.causes if one.known}
        for step, call, text in self.calls:
            if call.name != "link_report" or " is linked to " not in text:
                continue
            report, issue = (str(json.loads(call.arguments)[k]) for k in ("report", "issue"))
            before, done = linked.get(report, issue), f"link_report linked {report} to {issue}"
            linked[report] = issue
            if report not in why:
                continue
            if before != issue:
                decided = f"{done}, though it was at {before}"
                return self._made(check, why, step, decided, _for_linked(report))
            if cause is not None and about.get(issue, cause) != cause:
                tests = {f"report {report}": _has_report(report)}
                return self._made(check, why, step, f"{done}, which has another cause", tests)
        end = f"no call decided it; the run ended with {self.run.ending!r}"
        return Trace(check, why, len(self.run.sent), end, ())


def _for_linked(report: str) -> dict[str, Test]:
    return {f"that {report} is linked": lambda known: report in known.linked}


def _has_report(report: str) -> Test:
    return lambda known: report in known.findings


def _for_place(cause: Cause) -> dict[str, Test]:
    key = Key(cause.file, cause.function, cause.error)
    return {
        f"the file {cause.file}": lambda known: cause.file in known.files,
        f"the line {cause.line} in words": lambda known: known.lines.get(key) == cause.line,
    }


def _issue(arguments: dict[str, Any], text: str) -> Issue:
    ident = text.split()[1].rstrip(":")
    place = (str(arguments["file"]), int(arguments["line"]))
    evidence = tuple(map(str, arguments["reports"]))
    return Issue(ident, str(arguments["title"]), *place, arguments["severity"], "open", evidence)


def _calls(run: Run) -> Iterator[tuple[int, ToolCall, str]]:
    """Each call with the number of its step and the text of its result."""
    results = {one.call_id: one.text for message in run.conversation for one in message.results}
    step = 0
    for message in run.conversation:
        step += message.role == "assistant"
        for call in message.calls:
            yield step, call, results.get(call.id, "")
