"""The crash service: reports, sources, issues, links and notes in an SQLite database.

Each run works on a database of its own, in memory or in a file; the world that it was filled from
is never changed. The methods take what is valid and raise ServiceError for the rest; how a model
calls them is in `tools`. The service knows nothing of causes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from patch_agent.triage import sandbox
from patch_agent.triage.world import SEVERITIES, Issue, Report, World, digest

TIME_LIMIT = 20.0
"""Seconds after which a reproduction is stopped."""
SCHEMA = """
CREATE TABLE world (digest TEXT NOT NULL);
CREATE TABLE reports (
    id TEXT PRIMARY KEY, received TEXT NOT NULL, title TEXT NOT NULL, text TEXT NOT NULL,
    reproduction TEXT NOT NULL, archived INTEGER NOT NULL);
CREATE TABLE files (path TEXT PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE issues (
    number INTEGER PRIMARY KEY, title TEXT NOT NULL, file TEXT NOT NULL, line INTEGER NOT NULL,
    severity TEXT NOT NULL, state TEXT NOT NULL, evidence TEXT NOT NULL, before INTEGER NOT NULL);
CREATE TABLE links (
    place INTEGER PRIMARY KEY, report TEXT NOT NULL REFERENCES reports (id),
    issue INTEGER NOT NULL REFERENCES issues (number), UNIQUE (report, issue));
CREATE TABLE notes (name TEXT PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE counts (name TEXT PRIMARY KEY, value REAL NOT NULL);
"""


class ServiceError(ValueError):
    """What the service refuses, in words that name the value."""


@dataclass(frozen=True, slots=True)
class Filed:
    """An issue as it stands in the service; `before` where it was there when the run began."""

    issue: Issue
    before: bool


@dataclass(frozen=True, slots=True)
class Counts:
    """What was done apart from the conversation; `seconds` is the time of all reproductions."""

    note_writes: int = 0
    note_reads: int = 0
    reproductions: int = 0
    seconds: float = 0.0


class Service:
    """A crash service on a fresh copy of a world, or on the file of an interrupted run.

    Raises ServiceError when the file holds another world.
    """

    def __init__(
        self, world: World, path: Path | None = None, time_limit: float = TIME_LIMIT
    ) -> None:
        import sqlite3

        self.world = world
        self.time_limit = time_limit
        self._base = sqlite3.connect(path or ":memory:", isolation_level=None)
        self._base.execute("PRAGMA foreign_keys = ON")
        if self._base.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            if self._one("SELECT digest FROM world") != (digest(world),):
                raise ServiceError(f"{path}: holds another world than that of seed {world.seed}")
        else:
            self._fill()

    def close(self) -> None:
        """Closes the database; one in memory is gone then."""
        self._base.close()

    def __enter__(self) -> Service:
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()

    def _fill(self) -> None:
        world = self.world
        self._base.executescript(SCHEMA)
        self._base.execute("BEGIN")
        self._base.execute("INSERT INTO world VALUES (?)", (digest(world),))
        for r in world.reports:
            row = (r.id, r.received, r.title, r.text, r.reproduction, r.archived)
            self._base.execute("INSERT INTO reports VALUES (?, ?, ?, ?, ?, ?)", row)
        self._base.executemany("INSERT INTO files VALUES (?, ?)", world.files.items())
        for issue in world.issues:
            self._insert(issue, before=True)
        for report, ident in world.links:
            self._base.execute(
                "INSERT INTO links (report, issue) VALUES (?, ?)", (report, _number(ident))
            )
        self._base.execute("COMMIT")

    def _insert(self, issue: Issue, before: bool) -> None:
        evidence = json.dumps(issue.evidence)
        place = (issue.title, issue.file, issue.line, issue.severity, issue.state)
        self._base.execute(
            "INSERT INTO issues VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (_number(issue.id), *place, evidence, before),
        )

    def _one(self, query: str, *values: Any) -> Any:
        return self._base.execute(query, values).fetchone()

    def open_reports(self) -> tuple[Report, ...]:
        """The reports that are linked to no issue, in the order of their coming."""
        rows = self._base.execute(
            "SELECT * FROM reports WHERE NOT archived"
            " AND id NOT IN (SELECT report FROM links) ORDER BY rowid"
        )
        return tuple(map(_report, rows))

    def report(self, ident: str) -> Report:
        """One report, open or not."""
        row = self._one("SELECT * FROM reports WHERE id = ?", ident)
        if row is None:
            raise ServiceError(f"report {ident!r:.80}: there is none with this number")
        return _report(row)

    def files(self) -> dict[str, str]:
        """The sources by path, in order."""
        return dict(self._base.execute("SELECT path, text FROM files ORDER BY path"))

    def file(self, path: str) -> str:
        """The text of one source file."""
        row = self._one("SELECT text FROM files WHERE path = ?", path)
        if row is None:
            raise ServiceError(f"file {path!r:.120}: there is none; list_files has all paths")
        return str(row[0])

    def issues(self) -> tuple[Filed, ...]:
        """All issues, the oldest first."""
        rows = self._base.execute("SELECT * FROM issues ORDER BY number").fetchall()
        return tuple(Filed(_issue(row), bool(row[7])) for row in rows)

    def issue(self, ident: str) -> Issue:
        """One issue."""
        found = (filed.issue for filed in self.issues() if filed.issue.id == ident)
        issue = next(found, None)
        if issue is None:
            raise ServiceError(f"issue {ident!r:.80}: there is none with this number")
        return issue

    def links(self) -> tuple[tuple[str, str], ...]:
        """All pairs of a report and its issue, in the order in which they were linked."""
        rows = self._base.execute("SELECT report, issue FROM links ORDER BY place")
        return tuple((report, f"ISS-{number}") for report, number in rows)

    def file_issue(
        self, title: str, file: str, line: int, severity: str, reports: Sequence[str]
    ) -> Issue:
        """Files a new issue with the next number; links nothing."""
        last = self.file(file).count("\n")
        if not title.strip():
            raise ServiceError("title: expected some words, got nothing")
        if not 1 <= line <= last:
            raise ServiceError(f"line: expected 1 to {last} of {file}, got {line}")
        if severity not in SEVERITIES:
            raise ServiceError(
                f"severity: expected one of {', '.join(SEVERITIES)}, got {severity!r:.80}"
            )
        evidence = tuple(dict.fromkeys(self.report(ident).id for ident in reports))
        number = 1 + int(self._one("SELECT coalesce(max(number), 0) FROM issues")[0])
        issue = Issue(f"ISS-{number}", title.strip(), file, line, severity, "open", evidence)
        self._insert(issue, before=False)
        return issue

    def link(self, report: str, issue: str) -> tuple[str, ...]:
        """Links a report to an open issue; the issues that it is linked to now."""
        known, wanted = self.report(report), self.issue(issue)
        if wanted.state != "open":
            raise ServiceError(f"issue {issue}: is {wanted.state}; no report can be linked to it")
        self._base.execute(
            "INSERT OR IGNORE INTO links (report, issue) VALUES (?, ?)",
            (known.id, _number(wanted.id)),
        )
        return tuple(issue for report, issue in self.links() if report == known.id)

    def run_reproduction(self, ident: str) -> str:
        """What the code attached to a report prints on the current sources, traceback included."""
        code = self.report(ident).reproduction
        if not code:
            raise ServiceError(f"report {ident}: no reproduction is attached to it")
        begun = perf_counter()
        try:
            return sandbox.execute(self.files(), code, self.time_limit)
        except sandbox.Stopped as error:
            raise ServiceError(f"the reproduction of {ident} {error}") from None
        finally:
            self._count("reproductions", 1)
            self._count("seconds", perf_counter() - begun)

    def save_note(self, name: str, text: str) -> tuple[str, ...]:
        """Saves a note, in place of one with the same name; the names of all notes."""
        self._base.execute("INSERT OR REPLACE INTO notes VALUES (?, ?)", (name, text))
        self._count("note_writes", 1)
        return self.note_names()

    def read_note(self, name: str) -> str:
        """The text of a note."""
        row = self._one("SELECT text FROM notes WHERE name = ?", name)
        if row is None:
            names = ", ".join(self.note_names()) or "none yet"
            raise ServiceError(f"note {name!r:.80}: there is none; there are: {names}")
        self._count("note_reads", 1)
        return str(row[0])

    def note_names(self) -> tuple[str, ...]:
        """The names of all notes, in order."""
        return tuple(row[0] for row in self._base.execute("SELECT name FROM notes ORDER BY name"))

    def counts(self) -> Counts:
        """How often notes and reproductions were used."""
        found = dict(self._base.execute("SELECT name, value FROM counts"))
        whole = {name: int(value) for name, value in found.items() if name != "seconds"}
        return Counts(**whole, seconds=found.get("seconds", 0.0))

    def _count(self, name: str, more: float) -> None:
        self._base.execute(
            "INSERT INTO counts VALUES (?, ?)"
            " ON CONFLICT (name) DO UPDATE SET value = value + excluded.value",
            (name, more),
        )


def _number(ident: str) -> int:
    return int(ident.removeprefix("ISS-"))


def _report(row: Sequence[Any]) -> Report:
    ident, received, title, text, reproduction, archived = row
    return Report(ident, received, title, text, reproduction, bool(archived))


def _issue(row: Sequence[Any]) -> Issue:
    number, title, file, line, severity, state, evidence = row[:7]
    reports = tuple(json.loads(evidence))
    return Issue(f"ISS-{number}", title, file, line, severity, state, reports)
