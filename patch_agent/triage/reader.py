"""What a request tells its reader about the work: a stateless view, made anew from each request.

Nothing is remembered between two requests. What a policy has taken out of the request is not
known, and whatever a request says counts, wherever it came from.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from patch_agent.triage import reader_texts as texts
from patch_agent.triage.reader_texts import Finding, Key, Match
from patch_agent.triage.reader_words import heard


@dataclass(slots=True)
class Knowledge:
    """What can be read in one request.

    `findings` by report, `said` those that are in words; `readable` are reports whose text is
    there, `files` the sources that are. `lines`, `issues` and `none` are by cause: where it is
    raised now, its open issue, that a search found none. `named` are numbers of issues, known
    or not what they are about. `listing` is the newest list of open reports that is readable,
    `fresh` while nothing was linked after it. `asked` are reports that were asked for.
    """

    findings: dict[str, Finding] = field(default_factory=dict)
    said: set[str] = field(default_factory=set)
    readable: set[str] = field(default_factory=set)
    keys: dict[str, Key] = field(default_factory=dict)
    files: dict[str, tuple[str, ...]] = field(default_factory=dict)
    lines: dict[Key, int] = field(default_factory=dict)
    told_lines: set[Key] = field(default_factory=set)
    runs: dict[str, int] = field(default_factory=dict)
    issues: dict[Key, str] = field(default_factory=dict)
    told_issues: set[Key] = field(default_factory=set)
    none: set[Key] = field(default_factory=set)
    searches: dict[str, tuple[Match, ...]] = field(default_factory=dict)
    named: dict[str, None] = field(default_factory=dict)
    about: set[str] = field(default_factory=set)
    linked: dict[str, str] = field(default_factory=dict)
    listing: tuple[str, ...] | None = None
    fresh: bool = False
    asked: dict[str, None] = field(default_factory=dict)
    failed: set[Key] = field(default_factory=set)
    noted: set[str] = field(default_factory=set)

    def line(self, key: Key) -> int | None:
        """Where a cause is raised now: as said, as a reproduction showed, or as the file shows."""
        if key in self.lines:
            return self.lines[key]
        known = [one for one in self.findings.values() if one.key == key]
        for one in known:
            if one.report in self.runs:
                return self.runs[one.report]
        codes = {one.code for one in known}
        if key.file not in self.files:
            return None
        places = [
            n for code in codes for n in texts.line_of(self.files[key.file], key.function, code)
        ]
        return min(places, default=None)

    def searched(self, key: Key) -> bool:
        """True where a search has shown that the cause has no open issue."""
        return key in self.none or key.file in self.searches

    @property
    def unplaced(self) -> tuple[str, ...]:
        """Numbers of issues that are named without a word on what they are about."""
        return tuple(issue for issue in self.named if issue not in self.about)


def read(request: Mapping[str, Any]) -> Knowledge:
    """What a request tells, its messages taken in order."""
    known = Knowledge()
    calls: dict[str, tuple[str, dict[str, Any]]] = {}
    for message in request["messages"]:
        if message["role"] == "tool":
            name, arguments = calls.get(message["tool_call_id"], ("", {}))
            _hear_result(known, name, arguments, str(message["content"]))
            continue
        if message["role"] == "assistant" or message.get("name") == "summary":
            for text in _texts(message.get("content")):
                _hear_words(known, text)
        for call in message.get("tool_calls", ()):
            function = call["function"]
            arguments = _arguments(function["arguments"])
            calls[call["id"]] = function["name"], arguments
            _hear_call(known, function["name"], arguments)
    return known


def _texts(content: str | Sequence[Mapping[str, Any]] | None) -> Iterator[str]:
    if isinstance(content, str):
        yield content
        return
    yield from (part["text"] for part in content or () if part["type"] == "text")


@lru_cache(maxsize=8192)
def _arguments(text: str) -> dict[str, Any]:
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return values if isinstance(values, dict) else {}


def _hear_words(known: Knowledge, text: str) -> None:
    said = heard(text)
    for one in said.findings:
        known.findings.setdefault(one.report, one)
        known.said.add(one.report)
        known.keys.setdefault(one.report, one.key)
    for key, line in said.lines:
        known.lines[key] = line
        known.told_lines.add(key)
    for key, issue in said.issues:
        known.issues.setdefault(key, issue)
        known.told_issues.add(key)
        known.about.add(issue)
    known.none.update(said.none)
    known.named.update(dict.fromkeys(texts.issue_numbers(text)))


def _hear_call(known: Knowledge, name: str, arguments: Mapping[str, Any]) -> None:
    if name == "read_report":
        known.asked[str(arguments.get("report"))] = None
    elif name == "save_note":
        known.noted.add(str(arguments.get("name")))
    elif name == "file_issue":
        key, reports = _filed_key(arguments), arguments.get("reports")
        for report in reports if isinstance(reports, list) else ():
            if isinstance(report, str):
                known.keys.setdefault(report, key)


def _filed_key(arguments: Mapping[str, Any]) -> Key:
    error, _, function = str(arguments.get("title")).partition(" in ")
    return Key(str(arguments.get("file")), function, error)


def _hear_result(known: Knowledge, name: str, arguments: Mapping[str, Any], text: str) -> None:
    match name:
        case "read_report" if one := texts.read_report(text):
            known.findings[one.report] = one
            known.readable.add(one.report)
            known.keys[one.report] = one.key
        case "read_file" if shown := texts.read_file(text):
            known.files[shown[0]] = shown[1]
        case "run_reproduction" if ended := texts.read_run(text):
            known.runs[str(arguments.get("report"))] = ended[1]
        case "list_reports" if (listed := texts.read_listing(text)) is not None:
            known.listing, known.fresh = listed, True
        case "search_issues" if (found := texts.read_search(text)) is not None:
            _hear_search(known, str(arguments.get("words")), found)
        case "file_issue":
            _hear_filed(known, _filed_key(arguments), texts.read_filed(text))
        case "link_report" if link := texts.read_link(text):
            known.linked[link[0]] = link[1]
            known.fresh = False


def _hear_search(known: Knowledge, words: str, found: tuple[Match, ...]) -> None:
    known.searches[words] = found
    for match in found:
        known.named[match.issue] = None
        known.about.add(match.issue)
        if match.open:
            known.issues.setdefault(match.key, match.issue)


def _hear_filed(known: Knowledge, key: Key, issue: str | None) -> None:
    if issue is None:
        known.failed.add(key)
        return
    known.issues.setdefault(key, issue)
    known.named[issue] = None
    known.about.add(issue)
