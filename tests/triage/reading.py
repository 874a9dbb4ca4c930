"""What a careful reader gets out of a report's text, and a run by somebody who knows the truth."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from patch_agent.triage.service import Service
from patch_agent.triage.tools import call
from patch_agent.triage.truth import Truth

SEVERITY = {
    "looks wrong": "low",
    "worked around": "medium",
    "blocked": "high",
    "data lost": "critical",
}
_PYTHON = re.compile(r'  File "(\S+)", line (\d+), in (\w+)\n    (.*)')
_STACK = re.compile(r"  at (\w+) \((\S+):(\d+)\): (.*)")
_LOG = re.compile(r"E [\d:]{8} (\w+) \((\S+):(\d+)\) \| (.*)")


@dataclass(frozen=True)
class Read:
    """The innermost call of a report's crash, its error, and the impact."""

    file: str
    line: int
    function: str
    text: str
    headline: str
    severity: str

    @property
    def key(self) -> tuple[str, str, str]:
        """What tells causes apart."""
        return self.file, self.function, self.headline.partition(":")[0]


def read(text: str) -> Read:
    """Reads a report as the system prompt describes it."""
    crash = text.partition("\nCrash\n")[2].partition("\n\nValues there\n")[0]
    answer = re.search(r"^Impact: (.*)$", text, re.MULTILINE)
    assert crash and answer
    lines = crash.split("\n")
    if crash.startswith("Traceback"):
        file, line, function, code = _PYTHON.findall(crash)[-1]
        headline = lines[-1]
    elif crash.startswith("E "):
        function, file, line, code = _LOG.findall(crash)[-1]
        headline = lines[-1].split(" ", 2)[2]
    else:
        function, file, line, code = _STACK.findall(crash)[0]
        headline = lines[0]
    return Read(file, int(line), function, code, headline, SEVERITY[answer[1]])


def do(service: Service, name: str, **values: object) -> str:
    """The text of a call that must succeed."""
    outcome = call(service, name, json.dumps(values))
    assert not outcome.error, outcome.text
    return outcome.text


def solve(service: Service, truth: Truth) -> dict[str, str]:
    """Files and links everything as it should be; the issue of each cause."""
    issues = {}
    for cause in truth.causes:
        issues[cause.id] = cause.known or file_cause(service, truth, cause.id)
        for report in cause.reports:
            do(service, "link_report", report=report, issue=issues[cause.id])
    return issues


def file_cause(service: Service, truth: Truth, ident: str, **other: object) -> str:
    """Files one cause as it should be, but for `other`; the number of the new issue."""
    cause = next(cause for cause in truth.causes if cause.id == ident)
    values: dict[str, object] = {
        "title": f"{cause.error} in {cause.function}",
        "file": cause.file,
        "line": cause.line,
        "severity": cause.severity,
        "reports": list(cause.reports),
    }
    return do(service, "file_issue", **(values | other)).split()[1].rstrip(":")
