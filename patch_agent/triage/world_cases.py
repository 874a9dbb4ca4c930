"""The causes of a world while it is made, and the crash that each of them really leads to."""

from __future__ import annotations

from dataclasses import dataclass

from patch_agent.triage.sandbox import Crash, run
from patch_agent.triage.world import SEVERITIES, Report
from patch_agent.triage.world_code import Place, SourceFile


@dataclass(frozen=True, slots=True)
class Cause:
    """What is really wrong at one place: its line is the one at which the error is raised."""

    id: str
    component: str
    file: str
    line: int
    function: str
    error: str
    severity: str
    reports: tuple[str, ...]
    known: str | None = None


@dataclass(slots=True)
class Case:
    """A place whose flaw is reported, in the files of each version."""

    file: SourceFile
    place: Place
    sources: tuple[str, ...]
    impacts: list[int]
    crash: Crash | None = None
    known: str | None = None
    reports: list[Report] | None = None


def module_of(file: SourceFile) -> str:
    """The dotted name under which a reproduction imports a file."""
    return file.path.removesuffix(".py").replace("/", ".")


def crash_of(path: str, source: str, code: str) -> Crash:
    """The crash of a reproduction, which must end in the file. Raises RuntimeError."""
    crash = run({path: source}, code)[1]
    if crash is None or crash.frames[-1].path != path or "<" in crash.frames[-1].function:
        raise RuntimeError(f"a reproduction does not crash in {path}:\n{code}")
    return crash


def cause_of(ident: str, case: Case) -> Cause:
    """The truth about a case whose reports are written."""
    assert case.crash is not None and case.reports is not None
    place = case.crash.frames[-1]
    return Cause(
        id=ident,
        component=case.place.component.id,
        file=place.path,
        line=place.line,
        function=place.function,
        error=case.crash.error,
        severity=SEVERITIES[max(case.impacts)],
        reports=tuple(report.id for report in case.reports),
        known=case.known,
    )
