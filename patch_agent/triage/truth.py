"""The catalogue of truth: what is wrong in a world, and which reports tell of it.

Only grading and tests may look in here. A triage agent that did would not have to read.
"""

from __future__ import annotations

from dataclasses import dataclass

from patch_agent.triage.world_cases import Cause
from patch_agent.triage.world_make import make

__all__ = ["Cause", "Truth", "truth_of"]


@dataclass(frozen=True, slots=True)
class Truth:
    """The causes of the world of one seed."""

    seed: int
    causes: tuple[Cause, ...]

    @property
    def cause_of(self) -> dict[str, Cause]:
        """The cause of each open report of the world, by the report's number."""
        return {report: cause for cause in self.causes for report in cause.reports}

    def at(self, file: str, line: int) -> Cause | None:
        """The cause at a place of the current sources."""
        found = (cause for cause in self.causes if (cause.file, cause.line) == (file, line))
        return next(found, None)


def truth_of(seed: int) -> Truth:
    """The truth about the world of a seed."""
    return Truth(seed, make(seed).causes)
