"""The state of the widget's controls, and the link that holds it.

A link's fragment is `cb=<version>.<k>.<older>.<vs>.<tools>.<off>`: k recent steps word for
word, what becomes of the older ones, a second form to compare with or `-`, the tools, and the
parts that are off, joined by commas, or `-`.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

from patch_agent.request import PARTS
from patch_agent.task import FORMS, SWITCHABLE, TOOLS, Choices

VERSION = "1"


@dataclass(frozen=True, slots=True)
class State:
    """What the controls are set to; `vs` is None where nothing is compared."""

    k: int
    older: str = "drop"
    vs: str | None = None
    tools: str = "6"
    off: frozenset[str] = frozenset()

    @property
    def choices(self) -> Choices:
        """The same for the context builder."""
        return Choices(self.k, self.older, self.tools, self.off)


def format_state(state: State) -> str:
    """The fragment of a link to this state."""
    off = ",".join(part for part in PARTS if part in state.off) or "-"
    fields = (VERSION, state.k, state.older, state.vs or "-", state.tools, off)
    return "cb=" + ".".join(map(str, fields))


def parse_state(fragment: str) -> State:
    """The state that a fragment holds. Raises ValueError, naming the field."""
    head, _, rest = fragment.removeprefix("#").partition("=")
    fields = rest.split(".")
    if head != "cb" or len(fields) != 6:
        raise ValueError(f"link: expected cb= and 6 fields, got {fragment!r:.80}")
    version, k, older, vs, tools, off = fields
    if version != VERSION:
        raise ValueError(f"link: version {version!r:.80}, expected {VERSION}")
    if not re.fullmatch(r"[0-9]{1,6}", k):
        raise ValueError(f"link: steps {k!r:.80}, expected a whole number")
    others = ["-", *(form for form in FORMS if form != older)]
    if vs not in others:
        raise ValueError(f"link: compare with {vs!r:.80}, expected one of {', '.join(others)}")
    parts = frozenset() if off == "-" else frozenset(off.split(","))
    state = State(int(k), older, None if vs == "-" else vs, tools, parts)
    _ = state.choices
    return state


def random_state(source: random.Random, steps: int) -> State:
    """A state drawn at random, each control by itself."""
    off = frozenset(part for part in sorted(SWITCHABLE) if source.random() < 0.5)
    k = source.randint(0, steps)
    return State(k, source.choice(FORMS), None, source.choice(TOOLS), off)
