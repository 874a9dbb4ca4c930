"""The source files of a world, in each version of its app.

A file is about one thing that the app keeps. It begins with the record of that thing; then come
parts from `texts`, some of them with their flaw. Parts that a version did not have yet are left
out of it, so lines stand elsewhere in older versions, as they do in real ones.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from patch_agent.triage.texts import Component, Theme, Thing, components, fill

FILES = 18
CAUSES = 23
VERSIONS = 3
SIZE = 7_370
"""Characters of a file, about 2,180 tokens once its lines are numbered."""
_ATTEMPTS = 30
_DEFINED = re.compile(r"^ *(?:def|class) (\w+)", re.MULTILINE)

HEADER = "The $items of $app: what one of them is, and what can be done with several."
ABOUT = (
    "Part of an app that $about. A $item is kept with its $label, the $group it belongs to and,"
    " where known, its $amount."
)

IMPORTS = ("from dataclasses import dataclass", "from datetime import date")

RECORD = '''
@dataclass(frozen=True)
class $Item:
    """One $item as it is stored; what nobody has entered is None."""

    id: str
    $label: str
    $group: str
    $amount: float | None = None
    day: date | None = None
'''


@dataclass(frozen=True, slots=True)
class Place:
    """A part at its place in a file; `since` is the first version that has it, from 0."""

    component: Component
    words: dict[str, str]
    flawed: bool
    since: int = 0

    @property
    def code(self) -> str:
        """The part as it stands in the file."""
        text = self.component.code
        if self.flawed:
            text = f"\n{text}\n".replace(self.component.good, self.component.flawed).strip("\n")
        return fill(text, self.words)


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file as the parts that it is made of."""

    path: str
    thing: Thing
    words: dict[str, str]
    places: tuple[Place, ...]

    def text(self, version: int = VERSIONS - 1) -> str:
        """The source in one version of the app."""
        there = [place for place in self.places if place.since <= version]
        imports = _merged([*IMPORTS, *(line for p in there for line in p.component.imports)])
        about = textwrap.fill(fill(ABOUT, self.words), 88)
        head = f'"""{fill(HEADER, self.words)}\n\n{about}\n"""\n\n{imports}'
        parts = [head, fill(RECORD, self.words), *(place.code for place in there)]
        return "\n\n\n".join(part.strip("\n") for part in parts) + "\n"


def _merged(lines: Sequence[str]) -> str:
    """Import lines in order, the names of one module in one line."""
    plain = sorted({line for line in lines if line.startswith("import ")})
    names: dict[str, set[str]] = {}
    for line in lines:
        if line.startswith("from "):
            module, _, imported = line.removeprefix("from ").partition(" import ")
            names.setdefault(module, set()).update(imported.split(", "))
    chosen = [f"from {module} import {', '.join(sorted(found))}" for module, found in names.items()]
    return "\n".join(plain + sorted(chosen))


def make_files(theme: Theme, random: Random) -> tuple[SourceFile, ...]:
    """The files of a world, in the order of their paths; the flaws are CAUSES different ones."""
    things = random.sample(theme.things, FILES)
    flaws = random.sample(components(), CAUSES)
    homes = [*range(FILES), *random.sample(range(FILES), CAUSES - FILES)]
    uses = dict.fromkeys((component.id for component in components()), 0)
    files = []
    for number, thing in enumerate(things):
        here = [flaw for flaw, home in zip(flaws, homes, strict=True) if home == number]
        files.append(_make_file(theme, thing, here, uses, random))
    return tuple(sorted(files, key=lambda file: file.path))


def _make_file(
    theme: Theme, thing: Thing, flaws: Sequence[Component], uses: dict[str, int], random: Random
) -> SourceFile:
    """The file whose size comes nearest to SIZE among some drawn at random."""
    path = f"{theme.package}/{random.choice(theme.folders)}/{thing.items}.py"
    words = {**thing.words, "app": theme.app, "about": theme.about}
    best: SourceFile | None = None
    for _ in range(_ATTEMPTS):
        places = _draw_places(thing, flaws, uses, random)
        file = SourceFile(path, thing, words, places)
        if best is None or _miss(file) < _miss(best):
            best = file
    assert best is not None
    for place in best.places:
        uses[place.component.id] += 1
    return best


def _miss(file: SourceFile) -> float:
    text = file.text()
    names = _DEFINED.findall(text.replace("__init__", "self.init"))
    clash = len(names) - len(set(names))
    return abs(len(text) - SIZE) + 10_000 * clash


def _draw_places(
    thing: Thing, flaws: Sequence[Component], uses: dict[str, int], random: Random
) -> tuple[Place, ...]:
    """The flaws and some other parts in a random order; parts used less often come first."""
    known = {flaw.id for flaw in flaws}
    others = [component for component in components() if component.id not in known]
    others.sort(key=lambda component: (uses[component.id] + 2 * random.random(), component.id))
    size, chosen = sum(len(flaw.code) for flaw in flaws) + 700, []
    for component in others:
        if size + len(component.code) / 2 > SIZE:
            break
        chosen.append(component)
        size += len(component.code)
    drawn = [_place(part, thing, part.id in known, random) for part in (*flaws, *chosen)]
    random.shuffle(drawn)
    return tuple(drawn)


def _place(component: Component, thing: Thing, flawed: bool, random: Random) -> Place:
    picks = {name: random.choice(words) for name, words in sorted(component.picks.items())}
    since = 0 if flawed else random.choice((0, 0, 1, 2))
    return Place(component, thing.words | picks, flawed, since)
