"""What the tokens of one call cost at three prices: reused, new, and the reply's.

The chapter's own prices are here; tables with cache writes, minimum lengths, lifetimes and
tiers are in `tables`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices of input that is reused, of new input, and of the reply, each for `per` tokens."""

    reused: float
    new: float
    reply: float
    per: int = 1_000
    unit: str = "units"
    source: str = ""

    def __post_init__(self) -> None:
        for name in ("reused", "new", "reply", "per"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
                raise ValueError(f"{name}: expected a price of 0 or more, got {value!r}")
        if self.per == 0:
            raise ValueError("per: expected a number of tokens above 0, got 0")


CHAPTER = Prices(
    0.1, 1, 4, source='"Context", chapter 4 of a book on agent design; illustrative, no currency'
)
"""The chapter's illustrative prices."""


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of one call, by kind of token, in the unit of its prices."""

    reused: float
    new: float
    reply: float

    @property
    def total(self) -> float:
        """The whole cost."""
        return self.reused + self.new + self.reply


def cost(prices: Prices, reused: int, new: int, reply: int) -> Cost:
    """The cost of a call with so many tokens reused, new, and in its reply."""
    return Cost(
        prices.reused * reused / prices.per,
        prices.new * new / prices.per,
        prices.reply * reply / prices.per,
    )
