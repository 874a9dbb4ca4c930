"""Paths and test ids in running text, and which path covers which."""

from __future__ import annotations

import re
from dataclasses import dataclass

_PATH = re.compile(
    r"(?<![\w/.:-])(?:\./)?(?=[^\s]*[/.])\.?[\w-][\w.\-<>{}]*(?:/(?:[\w.\-<>{}]|\*)+)*/?"
)
_EXTENSION = re.compile(
    r"[\w-]\.(?:py|pyi|ipynb|js|mjs|ts|tsx|jsx|md|rst|txt|json|jsonl|toml|ya?ml|cfg|ini|html?|css|"
    r"sql|csv|log|lock|sh|xml|c|h|cc|cpp|hpp|java|go|rs|rb|php|kt|cs|swift)$"
)
"""Endings by which a word without a slash is a file; `datetime.now` is none."""
_SAME = re.compile(r"/(?:\.?/)+")
_GLOB = re.compile(r"/\*{1,2}(?:\.\w+)?$|/$")
_TEST = re.compile(
    r"(?P<file>[\w./-]+\.py)::(?P<name>[\w:]+(?:\[[^\]\s]*\])?)"
    r"|\b(?P<bare>test_\w+)\b(?!\.|/)(?:`?\s+in\s+`?(?P<infile>[\w./-]+\.py))?"
)


@dataclass(frozen=True, slots=True)
class Mention:
    """A path or test id that a text names, with its place in that text."""

    name: str
    start: int
    end: int


def paths(text: str) -> list[Mention]:
    """The paths in a text: words with a slash in them, or with a file's ending.

    >>> [m.name for m in paths("See `docs/a.md`, tests/ and x.py; not this.")]
    ['docs/a.md', 'tests/', 'x.py']
    """
    found = []
    for match in _PATH.finditer(text):
        name = match[0].rstrip(".,") if not match[0].endswith("/") else match[0]
        if "/" in name or _EXTENSION.search(name):
            found.append(Mention(name, match.start(), match.start() + len(name)))
    return found


def tests(text: str) -> list[Mention]:
    """The test ids in a text; a name "in" a file is joined with it.

    >>> [m.name for m in tests("test_a in tests/test_b.py, or tests/test_c.py::test_d")]
    ['tests/test_b.py::test_a', 'tests/test_c.py::test_d']
    """
    found = []
    for match in _TEST.finditer(text):
        file = match["file"] or match["infile"]
        name = (match["name"] or match["bare"]).rstrip(":")
        found.append(Mention(f"{file}::{name}" if file else name, match.start(), match.end()))
    return found


def same_test(one: str, other: str) -> bool:
    """True for the same test, one of them perhaps without its file or folder."""
    left, right = one.rpartition("::"), other.rpartition("::")
    if left[2] != right[2]:
        return False
    shorter, longer = sorted((left[0], right[0]), key=len)
    return not shorter or longer == shorter or longer.endswith(f"/{shorter}")


def clean(path: str) -> str:
    """A path without `./`, double and closing slashes, or a pattern for all of its files.

    >>> clean("./a/./b//c/"), clean("a/*.py")
    ('a/b/c', 'a')
    """
    return _GLOB.sub("", _SAME.sub("/", path.strip()).removeprefix("./"))


def covers(rule: str, asked: str) -> bool:
    """True where a rule about one path holds for another: itself, or anything below it.

    >>> covers("tests/fixtures/", "tests/fixtures/a.json"), covers("tests/fix/", "tests/fixtures/")
    (True, False)
    """
    rule, asked = clean(rule), clean(asked)
    return bool(rule) and (asked == rule or asked.startswith(f"{rule}/"))


def spoken_of(text: str, path: str) -> list[Mention]:
    """Where a text speaks of a folder by its last name alone: "the fixtures", "fixture files"."""
    last = clean(path).rpartition("/")[2]
    if "/" not in clean(path) or "." in last:
        return []
    name = re.escape(last)
    one = re.escape(last.removesuffix("s"))
    pattern = (
        rf"(?<![\w/])(?:the|our|any|all|these|those|test|your|my) "
        rf"`?(?P<a>{name})`?(?![\w/:.-]*[\w/])"
        rf"|(?<![\w/])`?(?P<b>{name}|{one})`? (?:files?|folder|directory|data)\b"
    )
    return [
        Mention(path, m.start("a") if m["a"] else m.start("b"), m.end())
        for m in re.finditer(pattern, text, re.IGNORECASE)
    ]
