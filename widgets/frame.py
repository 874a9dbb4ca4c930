"""What is sent in a state of the widget, read off the catalogue by Python's own rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from patch_agent.catalogue.segments import Segment, present
from patch_agent.catalogue.state import State, parse_state

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Frame:
    """A state of the catalogue, and the segments that are sent in it."""

    catalogue: Json
    state: State
    sent: tuple[Segment, ...]

    @classmethod
    def of(cls, catalogue: Json, fragment: str) -> Frame:
        """The frame of a link's fragment. Raises ValueError where it cannot be read."""
        state, steps = parse_state(fragment), catalogue["session"]["steps"]
        if state.k > steps:
            raise ValueError(f"link: steps {state.k}, expected 0 to {steps}")
        segments = [
            Segment(one["id"], one["part"], step=one["step"], when=one["when"])
            for one in catalogue["segments"]
        ]
        own = catalogue.get("own")  # one call, made by a builder of the reader's own
        return cls(catalogue, state, tuple(segments) if own else present(segments, state, steps))

    @property
    def words(self) -> Json:
        """The texts that a reader sees."""
        words: Json = self.catalogue["words"]
        return words

    @property
    def steps(self) -> int:
        """Recorded steps."""
        return int(self.catalogue["session"]["steps"])

    @property
    def older(self) -> int:
        """Steps that are older than the recent ones."""
        return self.steps - self.state.k

    @property
    def sizes(self) -> dict[str, int]:
        """Tokens of each part."""
        tokens = {one["id"]: one["tokens"] for one in self.catalogue["segments"]}
        sizes = {part["id"]: 0 for part in self.catalogue["parts"]}
        for segment in self.sent:
            sizes[segment.part] += tokens[segment.id]
        return sizes

    @property
    def fits(self) -> bool:
        """False where the call is over the budget and so is not sent."""
        return sum(self.sizes.values()) <= self.catalogue["budget"]
