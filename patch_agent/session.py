"""The session log: the conversation on disk, one JSON object on each line.

A record is ``{"message": <wire form>}`` with ``"id"`` and ``"usage"`` where there are any.
The log is append-only, and each record is on the disk before the run goes on; so a program
that is killed loses at most the record that it was writing. Reading goes on past a bad
record and reports it with its line number. Lines end at a line feed and nowhere else.

Saved outputs are in `tools.outputs`; what a run makes of an open call is in `agent`.
"""

from __future__ import annotations

import json
import os
from codecs import BOM_UTF8
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from patch_agent.messages import Message, Usage
from patch_agent.wire import MOST_TOKENS, WireError, from_wire, to_wire


@dataclass(frozen=True, slots=True)
class LogProblem:
    """A record that is not as it should be; `line` counts from 1."""

    line: int
    message: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.message}"


@dataclass(frozen=True, slots=True)
class Session:
    """A conversation as its log holds it; `lines` are the line numbers of its messages."""

    messages: tuple[Message, ...] = ()
    problems: tuple[LogProblem, ...] = ()
    lines: tuple[int, ...] = ()


class SessionLog:
    """The log in one file, which is made by the first record."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def append(self, message: Message) -> None:
        """Writes one message and returns when it is on the disk."""
        data = format_record(message).encode("utf-8") + b"\n"
        with self.path.open("a+b") as file:
            if file.tell():
                file.seek(-1, os.SEEK_END)
                if file.read(1) != b"\n":  # after a torn line, which stays as it is
                    data = b"\n" + data
            file.write(data)
            file.flush()
            os.fsync(file.fileno())

    def load(self) -> Session:
        """The conversation so far; an empty one where there is no file yet."""
        return read_session(self.path.read_bytes()) if self.path.exists() else Session()


def format_record(message: Message) -> str:
    """The record of a message: one line of JSON, without its line feed."""
    record: dict[str, Any] = {"message": to_wire(message)}
    if message.id is not None:
        record["id"] = message.id
    if message.usage is not None:
        record["usage"] = asdict(message.usage)
    text = json.dumps(record, ensure_ascii=False)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:  # a lone surrogate, which only an escape can hold
        return json.dumps(record)
    return text


def load_session(path: Path) -> Session:
    """The conversation in a log file. Raises FileNotFoundError."""
    return read_session(path.read_bytes())


def read_session(data: bytes) -> Session:
    """The conversation in the bytes of a log, and the problems found in it."""
    messages: list[Message] = []
    lines: list[int] = []
    problems: list[LogProblem] = []
    rows = data.removeprefix(BOM_UTF8).split(b"\n")
    for number, row in enumerate(rows, 1):
        if not row.strip():
            continue
        torn = number == len(rows)
        for found in _read_line(row, torn):
            if isinstance(found, str):
                problems.append(LogProblem(number, found))
            else:
                messages.append(found)
                lines.append(number)
    return Session(tuple(messages), tuple(problems), tuple(lines))


def _read_line(row: bytes, last: bool) -> Iterator[Message | str]:
    """The messages of one line, and what is wrong with it in words."""
    try:
        text = row.decode("utf-8").strip()
    except UnicodeDecodeError as error:
        yield "cut off" if last else f"not UTF-8 (byte {error.start:,})"
        return
    records, rest = _objects(text)
    if len(records) > 1:
        yield f"{len(records)} records on one line"
    for record in records:
        try:
            yield read_record(record)
        except WireError as error:
            yield str(error)
    if rest:
        yield "cut off" if last else f"not JSON: {rest[:60]!r}"


def _objects(text: str) -> tuple[list[Any], str]:
    """The JSON values that stand one after the other in a text, and what is left of it."""
    decoder = json.JSONDecoder()
    found = []
    place = 0
    while place < len(text):
        try:
            value, place = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            break
        found.append(value)
        while place < len(text) and text[place].isspace():
            place += 1
    return found, text[place:]


def read_record(record: Any) -> Message:
    """The message of one record. Raises WireError."""
    if not isinstance(record, dict) or not isinstance(record.get("message"), dict):
        raise WireError(f"expected an object with a message, got {record!r:.60}")
    message = from_wire(record["message"])
    ident, usage = record.get("id"), record.get("usage")
    if ident is not None and not isinstance(ident, str):
        raise WireError(f"id: expected a string, got {ident!r:.60}")
    return replace(message, id=ident, usage=None if usage is None else _usage(usage), raw=record)


def _usage(value: Any) -> Usage:
    names = [field.name for field in fields(Usage)]
    figures = {n: value.get(n, 0) for n in names} if isinstance(value, dict) else {}
    if not figures or any(
        type(n) is not int or not 0 <= n <= MOST_TOKENS for n in figures.values()
    ):
        raise WireError(f"usage: expected whole numbers of tokens, got {value!r:.60}")
    return Usage(**figures)
