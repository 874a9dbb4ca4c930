"""The ten tools of the triage agent, on a crash service.

A tool never raises into the loop: what goes wrong is the result of the call, marked as an error,
and names what was wrong with it. Arguments are checked against the definitions that the model
was given, which lie in ``data/triage/tools.json``.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from patch_agent.tools.workspace import Effect, Outcome
from patch_agent.triage.prompt import definitions
from patch_agent.triage.service import Service, ServiceError
from patch_agent.triage.world import Issue

MOST_MATCHES = 20
"""Issues that one search shows."""

EFFECTS: dict[str, Effect] = {
    "list_reports": "read-only",
    "read_report": "read-only",
    "list_files": "read-only",
    "read_file": "read-only",
    "run_reproduction": "read-only",
    "search_issues": "read-only",
    "file_issue": "external",
    "link_report": "external",
    "save_note": "reversible write",
    "read_note": "read-only",
}
"""What each tool does to the world; issues and links are there for others and cannot be undone."""


def call(service: Service, name: str, arguments: str) -> Outcome:
    """Runs one call, its arguments being the JSON text that the model wrote."""
    try:
        if name not in TOOLS:
            raise ServiceError(f"tool {name!r:.80}: there is none; there are {', '.join(TOOLS)}")
        return Outcome(TOOLS[name](service, **_checked(name, arguments)))
    except ServiceError as error:
        return Outcome(str(error), error=True)


def list_reports(service: Service) -> str:
    """The open reports, and how many there are."""
    reports = service.open_reports()
    lines = [f"{report.id} | {report.received} | {report.title}" for report in reports]
    return "\n".join([*lines, _open_line(len(reports))])


def _open_line(number: int) -> str:
    """The line that tells how much is left to do.

    >>> _open_line(0), _open_line(1), _open_line(12)
    ('No report is open.', '1 report is open.', '12 reports are open.')
    """
    if number == 0:
        return "No report is open."
    return "1 report is open." if number == 1 else f"{number} reports are open."


def read_report(service: Service, report: str) -> str:
    """A report in full."""
    found = service.report(report)
    return f"{found.id}: {found.title}\n{found.text}"


def list_files(service: Service) -> str:
    """The paths of the sources with their numbers of lines."""
    files = service.files().items()
    return "\n".join(f"{path} ({text.count(chr(10))} lines)" for path, text in files)


def read_file(service: Service, path: str) -> str:
    """A source file, each line as number, tab, text."""
    lines = service.file(path).removesuffix("\n").split("\n")
    head = f"{path}, version {service.world.version}, {len(lines)} lines"
    return "\n".join([head, *(f"{number}\t{line}" for number, line in enumerate(lines, 1))])


def run_reproduction(service: Service, report: str) -> str:
    """What a reproduction came to."""
    printed = service.run_reproduction(report)
    return f"Reproduction of {report} on version {service.world.version}:\n{printed}"


def search_issues(service: Service, words: str) -> str:
    """The issues in which each of the words occurs, the newest first."""
    wanted = words.lower().split()
    if not wanted:
        raise ServiceError("words: expected at least one word, got nothing")
    linked = [issue for _, issue in service.links()]
    lines = []
    for filed in reversed(service.issues()):
        line = _issue_line(filed.issue)
        if all(word in line.lower() for word in wanted):
            lines.append(f"{line} | {linked.count(filed.issue.id)} linked")
    if not lines:
        return f"No issue holds {words.strip()!r:.120}."
    more = len(lines) - MOST_MATCHES
    return "\n".join(lines[:MOST_MATCHES] + ([f"... and {more} more"] if more > 0 else []))


def _issue_line(issue: Issue) -> str:
    evidence = ", ".join(issue.evidence) or "none"
    place = f"{issue.file}:{issue.line}"
    return (
        f"{issue.id} | {issue.state} | {issue.severity} | {place} | {issue.title}"
        f" | evidence: {evidence}"
    )


def file_issue(
    service: Service, title: str, file: str, line: int, severity: str, reports: list[str]
) -> str:
    """Files an issue and tells its number."""
    issue = service.file_issue(title, file, line, severity, reports)
    return f"Filed {issue.id}: {issue.severity}, {issue.file}:{issue.line}. Nothing is linked yet."


def link_report(service: Service, report: str, issue: str) -> str:
    """Links a report and tells to which issues it belongs now."""
    issues = service.link(report, issue)
    return f"{report} is linked to {' and '.join(issues)}."


def save_note(service: Service, name: str, text: str) -> str:
    """Saves a note and names all of them."""
    return f"Saved. Notes: {', '.join(service.save_note(name, text))}"


def read_note(service: Service, name: str) -> str:
    """The text of a note."""
    return service.read_note(name)


TOOLS: dict[str, Callable[..., str]] = {
    "list_reports": list_reports,
    "read_report": read_report,
    "list_files": list_files,
    "read_file": read_file,
    "run_reproduction": run_reproduction,
    "search_issues": search_issues,
    "file_issue": file_issue,
    "link_report": link_report,
    "save_note": save_note,
    "read_note": read_note,
}

_KINDS: dict[str, tuple[type, str]] = {
    "string": (str, "a string"),
    "integer": (int, "a whole number"),
    "array": (list, "a list of strings"),
}


@lru_cache(maxsize=1)
def _schemas() -> dict[str, dict[str, Any]]:
    """The kinds of each tool's arguments, by tool and name."""
    return {tool["name"]: tool["parameters"]["properties"] for tool in definitions()}


def _checked(name: str, arguments: str) -> dict[str, Any]:
    """The arguments of a call by name. Raises ServiceError, naming the one that is wrong."""
    try:
        values = json.loads(arguments or "{}")
    except (ValueError, RecursionError) as error:
        raise ServiceError(
            f"arguments: expected a JSON object, got {arguments!r:.120} ({error})"
        ) from None
    if not isinstance(values, dict):
        raise ServiceError(f"arguments: expected a JSON object, got {arguments!r:.120}")
    wanted = _schemas()[name]
    for argument in values:
        if argument not in wanted:
            known = ", ".join(wanted) or "none"
            raise ServiceError(f"{argument!r:.80}: no such argument; there are: {known}")
    for argument, schema in wanted.items():
        _check(argument, schema["type"], values.get(argument))
    return values


def _check(name: str, kind: str, value: Any) -> None:
    expected, words = _KINDS[kind]
    if value is None:
        raise ServiceError(f"{name}: expected {words}, got nothing")
    fits = type(value) is expected
    if not fits or (kind == "array" and not all(isinstance(entry, str) for entry in value)):
        raise ServiceError(f"{name}: expected {words}, got {value!r:.80}")
    for text in value if kind == "array" else [value]:
        if isinstance(text, str) and not _is_unicode(text):
            raise ServiceError(f"{name}: holds a character that is not valid Unicode")


def _is_unicode(text: str) -> bool:
    """False for text with half a character in it, which no database can store."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
