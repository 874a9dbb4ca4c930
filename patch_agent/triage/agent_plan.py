"""What the stand-in does next, from what one request tells and its taste.

Causes of which it knows reports come first: links where the issue is known; else a search, and
the file where the line is not known; else the issue is filed. Then more reports are read, then
the list. What an action needs is asked for together in one step, since results may be gone in
the next but one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from patch_agent.triage.agent_taste import Taste
from patch_agent.triage.reader import Knowledge
from patch_agent.triage.reader_texts import RANK, Finding, Key
from patch_agent.triage.reader_words import say_findings, say_issue, say_line, say_none

Call = tuple[str, dict[str, Any]]


@dataclass(slots=True)
class Plan:
    """The words of a step and its calls; no calls when the work is done."""

    words: list[str] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    acted: dict[Key, None] = field(default_factory=dict)

    def call(self, tool: str, **arguments: Any) -> None:
        """Adds a call, unless the step makes the same one already."""
        if (tool, arguments) not in self.calls:
            self.calls.append((tool, arguments))


def plan(known: Knowledge, taste: Taste) -> Plan:
    """The next step."""
    made = Plan()
    groups = _open_groups(known)
    if groups:
        _deal(made, known, taste, groups)
    else:
        _look(made, known, taste)
    made.words = [*_conclusions(known, taste, groups, made.acted), *made.words]
    return made


def _open_groups(known: Knowledge) -> dict[Key, list[str]]:
    """The reports that are known and not linked, by cause, the earliest report first.

    A report that the list does not name was linked before it was made.
    """
    listed = None if known.listing is None else set(known.listing)
    groups: dict[Key, list[str]] = {}
    for report in sorted(known.keys, key=_number):
        gone = listed is not None and report not in listed
        if report not in known.linked and not gone:
            groups.setdefault(known.keys[report], []).append(report)
    return groups


def _number(ident: str) -> tuple[int, str]:
    digits = ident.rpartition("-")[2]
    return (int(digits) if digits.isdigit() else 0, ident)


def _deal(made: Plan, known: Knowledge, taste: Taste, groups: dict[Key, list[str]]) -> None:
    files = taste.files
    for key, reports in groups.items():
        if len(made.acted) == taste.groups:
            return
        before = len(made.calls)
        if key in known.issues:
            for report in reports:
                made.call("link_report", report=report, issue=known.issues[key])
        elif asked := list(_lacking(known, taste, key)):
            reads = sum(name == "read_file" for name, _ in asked)
            if reads > files:
                asked = [call for call in asked if call[0] != "read_file"]
            files -= min(reads, files)
            for name, arguments in asked:
                made.call(name, **arguments)
        else:
            _file(made, known, taste, key)
        if len(made.calls) > before:
            made.acted[key] = None


def _lacking(known: Knowledge, taste: Taste, key: Key) -> Iterator[Call]:
    """What has to be asked before a cause can be filed."""
    if not known.searched(key):
        if not taste.hurries(str(key)):
            yield "search_issues", {"words": key.file}
        else:
            for issue in known.unplaced[: taste.groups]:
                yield "search_issues", {"words": issue}
    if known.line(key) is not None or (taste.trusts(str(key)) and key not in known.failed):
        return
    found = _findings(known, key)
    if not found:  # nothing but the number of a report is left
        yield from (("read_report", {"report": r}) for r, k in known.keys.items() if k == key)
    if key.file not in known.files:
        yield "read_file", {"path": key.file}
    attached = [one.report for one in found if one.attached and one.report not in known.runs]
    if attached and taste.doubts(str(key)):
        yield "run_reproduction", {"report": attached[0]}


def _findings(known: Knowledge, key: Key) -> list[Finding]:
    return [one for one in known.findings.values() if one.key == key]


def _file(made: Plan, known: Knowledge, taste: Taste, key: Key) -> None:
    found = _findings(known, key)
    line = known.line(key)
    worst = max((one.severity for one in found), key=RANK.__getitem__, default="medium")
    made.call(
        "file_issue",
        title=f"{key.error} in {key.function}",
        file=key.file,
        line=found[0].line if line is None else line,
        severity=worst,
        reports=sorted((one.report for one in found), key=_number),
    )
    if taste.notes(str(key)):
        text = f"{key}: filed as {worst} for {', '.join(sorted(one.report for one in found))}."
        made.call("save_note", name=f"{key.function}-{key.error}", text=text)


def _look(made: Plan, known: Knowledge, taste: Taste) -> None:
    """More reports, the list, or the end."""
    if known.listing == () and known.fresh:
        made.words.append("No report is open any more, so the work is done.")
        return
    open_ = [r for r in known.listing or () if r not in known.linked and r not in known.keys]
    if known.listing is None or not open_:
        made.call("list_reports")
        open_ = [r for r in known.asked if r not in known.linked and r not in known.keys]
    for report in open_[: taste.batch]:
        made.call("read_report", report=report)


def _conclusions(
    known: Knowledge, taste: Taste, groups: dict[Key, list[str]], acted: dict[Key, None]
) -> Iterator[str]:
    """What this request shows and no words of it say yet."""
    for key, reports in groups.items():
        new = [
            known.findings[report]
            for report in reports
            if report in known.readable
            and report not in known.said
            and (key in acted or taste.tells(report))
        ]
        if new:
            yield say_findings(new)
        line = known.line(key)
        if line is not None and key not in known.told_lines:
            yield say_line(key, line)
        if key in known.issues and key not in known.told_issues:
            yield say_issue(key, known.issues[key])
        elif key not in known.issues and key.file in known.searches and key not in known.none:
            yield say_none(key)
