"""Numbers that a policy is given, checked where it is made: nonsense is named at once."""

from __future__ import annotations

from typing import Any


def check_steps(least: int = 0, **numbers: int) -> None:
    """Raises ValueError unless each is a whole number of steps, at least `least`."""
    for name, value in numbers.items():
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            wanted = f", at least {least}" if least else ""
            raise ValueError(f"{name}: expected a whole number of steps{wanted}, got {value!r}")


def given(**numbers: float | None) -> dict[str, Any]:
    """Those that are not left out."""
    return {name: value for name, value in numbers.items() if value is not None}


def check_tokens(**numbers: int) -> None:
    """Raises ValueError unless each is a whole number of tokens above 0."""
    for name, value in numbers.items():
        if isinstance(value, bool) or not isinstance(value, int) or value <= 0:
            raise ValueError(f"{name}: expected a whole number of tokens above 0, got {value!r}")


def check_shares(**numbers: float) -> None:
    """Raises ValueError unless each is a share of the budget, above 0 and at most 1."""
    for name, value in numbers.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 1:
            raise ValueError(f"{name}: expected a share of the budget, got {value!r}")


def check_below(trigger: str, high: float, low: float | None) -> None:
    """Raises ValueError where a target is above the size at which its policy begins to act."""
    if low is not None and low > high:
        raise ValueError(f"target: expected at most the {trigger} of {high:,}, got {low:,}")
