"""The budget of one call: what is left of the window once the reply has its room."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Budget:
    """The input tokens that a call may use: window minus reserve. Raises ValueError."""

    window: int
    reserve: int = 16_000

    def __post_init__(self) -> None:
        for name, value in (("window", self.window), ("reserve", self.reserve)):
            if isinstance(value, bool) or not isinstance(value, int) or value < 0:
                raise ValueError(f"{name}: expected a whole number of tokens, got {value!r}")
        if self.reserve >= self.window:
            raise ValueError(
                f"reserve: expected fewer tokens than the window of {self.window:,},"
                f" got {self.reserve:,}"
            )

    @property
    def limit(self) -> int:
        """The budget itself, in tokens; every percentage is of this."""
        return self.window - self.reserve

    def share(self, tokens: int) -> float:
        """The part of the budget that `tokens` take, 1.0 being all of it."""
        return tokens / self.limit

    def room(self, tokens: int) -> int:
        """The tokens left beside `tokens`; negative when they do not fit."""
        return self.limit - tokens


class ContextTooLarge(Exception):
    """A call that cannot be made to fit: its size, the budget and each part's size, in tokens."""

    def __init__(self, size: int, budget: int, parts: Mapping[str, int]) -> None:
        self.size, self.budget, self.parts = size, budget, dict(parts)
        largest = max(self.parts, key=self.parts.__getitem__, default="nothing")
        share = f" Largest part: {largest}, {self.parts[largest]:,}." if self.parts else ""
        super().__init__(f"{size:,} tokens for a budget of {budget:,}.{share}")
