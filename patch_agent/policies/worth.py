"""Is an edit of the prefix worth it? What it saves on later calls against what it makes new.

An edit makes all that follows it new: those tokens are paid in full once where they would have
been read from the cache. What it takes out is no longer read on each later call.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Worth:
    """Prices of a token read from the cache and of a new one, and the calls still expected.

    >>> Worth(reused=0.1, new=1.0, calls=20).pays(freed=50_000, invalidated=60_000)
    True
    >>> Worth(reused=0.1, new=1.0, calls=20).pays(freed=500, invalidated=30_000)
    False
    """

    reused: float
    new: float
    calls: int

    def __post_init__(self) -> None:
        for name in ("reused", "new", "calls"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:
                raise ValueError(f"{name}: expected 0 or more, got {value!r}")

    def pays(self, freed: int, invalidated: int) -> bool:
        """True where the later calls save more than this one loses."""
        left = max(invalidated - freed, 0)
        saved = freed * self.reused * (self.calls + 1)
        return saved > left * (self.new - self.reused)
