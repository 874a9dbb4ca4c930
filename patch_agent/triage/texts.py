"""The texts that a world is made of: parts of source files, apps, what people write.

They lie in ``data/triage``; nothing here draws or decides anything. A part of a source file is
code in its right form, together with the one piece of it that a flaw takes the place of.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from patch_agent.data import data_path


@dataclass(frozen=True, slots=True)
class Component:
    """A few functions or a class that belong together.

    `code` with `good` replaced by `flawed` makes `reproduction` raise. `picks` are the words
    of which each place in a world has one; `symptoms` is what people notice.
    """

    id: str
    imports: tuple[str, ...]
    picks: Mapping[str, tuple[str, ...]]
    code: str
    good: str
    flawed: str
    reproduction: str
    symptoms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Thing:
    """What one source file is about, and the names of its fields."""

    item: str
    items: str
    label: str
    group: str
    amount: str

    @property
    def words(self) -> dict[str, str]:
        """The words for `fill`."""
        item = self.item.capitalize()
        return {
            "item": self.item,
            "items": self.items,
            "Item": item,
            "label": self.label,
            "group": self.group,
            "amount": self.amount,
        }


@dataclass(frozen=True, slots=True)
class Theme:
    """An app with the things that it keeps."""

    app: str
    package: str
    about: str
    folders: tuple[str, ...]
    labels: tuple[str, ...]
    groups: tuple[str, ...]
    things: tuple[Thing, ...]


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads(data_path("triage", name).read_text(encoding="utf-8"))


@lru_cache(maxsize=1)
def components() -> tuple[Component, ...]:
    """All parts of source files, in the order of their files."""
    files = sorted(data_path("triage", "code").glob("*.toml"))
    rows = [row for file in files for row in _read(f"code/{file.name}")["component"]]
    return tuple(
        Component(
            id=row["id"],
            imports=tuple(row.get("imports", ())),
            picks={name: tuple(words) for name, words in row.get("pick", {}).items()},
            code=row["code"].strip("\n"),
            good=row["good"],
            flawed=row["flawed"],
            reproduction=row["repro"].lstrip("\n"),
            symptoms=tuple(row["symptoms"]),
        )
        for row in rows
    )


@lru_cache(maxsize=1)
def themes() -> tuple[Theme, ...]:
    """All apps."""
    return tuple(
        Theme(
            app=row["app"],
            package=row["package"],
            about=row["about"],
            folders=tuple(row["folders"]),
            labels=tuple(row["labels"]),
            groups=tuple(row["groups"]),
            things=tuple(Thing(*line.split()) for line in row["things"]),
        )
        for row in _read("themes.toml")["theme"]
    )


@lru_cache(maxsize=1)
def phrases() -> dict[str, Any]:
    """The sentences of reports by kind, and the four impacts."""
    return _read("reports.toml")


@lru_cache(maxsize=1)
def prompts() -> dict[str, str]:
    """The system prompt and the task."""
    return _read("prompt.toml")


def fill(text: str, words: Mapping[str, str]) -> str:
    """The text with each `$word` and `${word}` replaced, the longest name that fits winning.

    >>> fill("$items_of_$item and ${items}x", {"item": "seed", "items": "seeds"})
    'seeds_of_seed and seedsx'
    """
    return _WORD.sub(lambda match: _filled(match, words), text)


_WORD = re.compile(r"\$(?:\{(\w+)\}|(\w+))")


def _filled(match: re.Match[str], words: Mapping[str, str]) -> str:
    if match[1]:
        return words[match[1]]
    run = match[2]
    for end in range(len(run), 0, -1):
        if run[:end] in words:
            return words[run[:end]] + run[end:]
    raise KeyError(match[0])
