"""The budget of one call: what is left of the window once the reply has its room."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

RESERVE = 16_000
"""Tokens that are kept free for the reply unless told otherwise."""
WINDOW = 128_000
"""Tokens that the chapter's model can hold, input and reply together."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The input tokens that a call may use: window minus reserve. Raises ValueError."""

    window: int
    reserve: int = RESERVE

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
    """A call that cannot be made to fit: its size, the budget and each part's size, in tokens.

    Its text names the largest part; where the fault lies with the parts in `region`, the largest
    of those, and what they take together.
    """

    def __init__(
        self, size: int, budget: int, parts: Mapping[str, int], region: Collection[str] = ()
    ) -> None:
        self.size, self.budget, self.parts = size, budget, dict(parts)
        among = [part for part in self.parts if part in region]
        text = f"{size:,} tokens for a budget of {budget:,}."
        if among:
            fixed = sum(self.parts[part] for part in among)
            text += f" {fixed:,} of them are in parts that no summary shortens."
        if self.parts:
            largest = max(among or self.parts, key=self.parts.__getitem__)
            which = "Largest of these" if among else "Largest part"
            text += f" {which}: {largest}, {self.parts[largest]:,}."
        super().__init__(text)
