"""Finds identifiers in text: paths, test ids, call ids, issue numbers, error text.

An identifier is what lets the agent fetch detail again, so it is what a compaction must not
lose. Found by patterns, each linear in the text: a path is a name with an extension or with
a slash after it or in it, an error is a failed assertion or a named exception with its
message. What only looks like one (a version such as 1.2, a number with a fraction) is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Kind = Literal["test", "path", "call", "issue", "error"]


@dataclass(frozen=True, slots=True)
class Identifier:
    """One identifier as it stands in the text; `start` is its place, in code points."""

    kind: Kind
    text: str
    start: int


_NAME = r"[A-Za-z0-9_.\-]"
_FOLDERS = rf"(?:\.{{0,2}}/)?(?:{_NAME}{{1,80}}/)"
_FILE = rf"(?:{_FOLDERS}{{0,12}}{_NAME}{{0,80}}[A-Za-z0-9_]\.[A-Za-z][A-Za-z0-9]{{0,5}})"
_EDGE = r"(?<![\w./\-:])"

_PATTERNS: dict[Kind, re.Pattern[str]] = {
    "test": re.compile(rf"{_EDGE}{_FILE}(?:::[A-Za-z_]\w*)+(?:\[[^\]\n]{{0,80}}\])?"),
    "path": re.compile(rf"{_EDGE}(?:{_FILE}(?![\w/])|{_FOLDERS}{{1,12}}(?:{_NAME}{{0,80}}\w)?)"),
    "call": re.compile(r"\b(?:call|toolu|tool)_\w{1,64}\b"),
    "issue": re.compile(
        r"(?<![\w&/])#\d{1,7}\b|\b(?!(?:UTF|ISO|SHA|HTTP|AES|UTC|GMT)-)[A-Z][A-Z0-9]{1,9}-\d{1,7}\b"
    ),
    "error": re.compile(
        r"\bassert [^\n]{1,200}"
        r"|\b[A-Za-z_][\w.]{0,80}(?:Error|Exception)\b(?:: [^\n]{1,200})?"
    ),
}
_EXTENSIONS = frozenset(
    "py js ts jsx tsx go rs java c h cpp rb php sh sql md rst txt toml yaml yml json jsonl csv"
    " tsv ini cfg lock log html css xml ipynb png svg pdf env parquet".split()
)
"""What makes a bare `word.word` a file."""
_FOLDERS_ALONE = frozenset("tests test src lib docs doc data app scripts config spec".split())
"""What makes `word/word` a folder, where a reader would otherwise think of and/or."""


def identifiers(text: str) -> tuple[Identifier, ...]:
    """The identifiers of a text in reading order; a path inside a test id is not named twice."""
    found = [hit for kind in _PATTERNS for hit in _hits(kind, text)]
    tests = [(hit.start, hit.start + len(hit.text)) for hit in found if hit.kind == "test"]
    kept = [
        hit
        for hit in found
        if hit.kind != "path" or not any(start <= hit.start < end for start, end in tests)
    ]
    return tuple(sorted(kept, key=lambda hit: (hit.start, hit.kind)))


def paths(text: str) -> tuple[str, ...]:
    """The distinct paths of a text, test ids by their file, in reading order."""
    hits = (hit for hit in identifiers(text) if hit.kind in ("path", "test"))
    return tuple(dict.fromkeys(hit.text.split("::")[0] for hit in hits))


def _hits(kind: Kind, text: str) -> Iterator[Identifier]:
    for match in _PATTERNS[kind].finditer(text):
        value = match.group()
        if kind == "path":
            value = value.rstrip(".")
            if not _is_path(value):
                continue
        yield Identifier(kind, value, match.start())


def _is_path(value: str) -> bool:
    """False for what only looks like a path: `self.name`, `and/or`, `e.g`, `1.2`."""
    head, _, tail = value.rpartition("/")
    if not re.search(r"[A-Za-z]", value):
        return False
    if not head:
        return tail.rpartition(".")[2].lower() in _EXTENSIONS
    folders = head.strip("./").split("/")
    return not tail or "." in tail or len(folders) > 1 or folders[0] in _FOLDERS_ALONE
