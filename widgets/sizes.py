"""The sizes that the chapter talks about: those of its source, and those of our session.

Both have one shape, so every total, share and difference on the page is computed in the same
way for both. Source of the illustrative sizes: "Context", chapter 4 of a book on agent design.
"""

from __future__ import annotations

from dataclasses import dataclass

from patch_agent.budget import Budget


@dataclass(frozen=True, slots=True)
class Sizes:
    """Tokens of the regions of Patch's call at one step, and of what can stand in their place."""

    window: int
    reserve: int
    steps: int
    old_steps: int
    front: int
    """System prompt and tool definitions: what stands before AGENTS.md."""
    stable: int
    """Everything before the history, `front` included."""
    now: int
    """The current file and the user's new message."""
    old_words: int
    """Calls and user messages of the old steps."""
    old_outputs: int
    """Tool outputs of the old steps."""
    recent: int
    """The recent steps, calls and outputs."""
    placeholders: int
    """What stands for the outputs of the old steps once they are cleared."""
    summary: int
    team_tools: int
    """What all tools of the team take beyond Patch's own."""

    @property
    def budget(self) -> Budget:
        """The budget of the call."""
        return Budget(self.window, self.reserve)

    @property
    def fixed(self) -> int:
        """All parts but history and summary."""
        return self.stable + self.now

    @property
    def history(self) -> int:
        """All steps, word for word."""
        return self.old_words + self.old_outputs + self.recent

    @property
    def total(self) -> int:
        """The call with everything sent."""
        return self.fixed + self.history

    @property
    def cleared(self) -> int:
        """The call with old outputs cleared."""
        return self.fixed + self.old_words + self.placeholders + self.recent

    @property
    def summarised(self) -> int:
        """The call with the old steps summed up."""
        return self.fixed + self.summary + self.recent

    @property
    def with_team(self) -> int:
        """The call with everything sent and all tools of the team."""
        return self.total + self.team_tools

    @property
    def per_step(self) -> int:
        """A step's size on average, to the nearest ten tokens."""
        return round(self.history / self.steps, -1)

    @property
    def room_steps(self) -> int:
        """Steps of average size for which there is still room."""
        return self.budget.room(self.total) // self.per_step


ILLUSTRATIVE = Sizes(
    window=128_000,
    reserve=16_000,
    steps=48,
    old_steps=42,
    front=3_600,
    stable=7_800,
    now=1_660,
    old_words=5_090,
    old_outputs=75_620,
    recent=6_590,
    placeholders=1_260,
    summary=1_400,
    team_tools=23_600,
)
