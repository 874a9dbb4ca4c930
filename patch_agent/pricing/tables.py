"""Price tables: what a provider charges, when it caches, and what a learner's own file says.

A table is dated, since prices change. `data/prices.toml` explains the keys; a file of your own
has the same form. A missing or negative price is refused with the file, the table and the key.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from patch_agent.data import data_path


class PriceError(ValueError):
    """A price table that cannot be used: where, and what was expected."""


@dataclass(frozen=True, slots=True)
class Tier:
    """Above so many tokens of input all prices of a call are so many times higher."""

    above: int
    times: float


@dataclass(frozen=True, slots=True)
class PriceTable:
    """Prices for `per` tokens in `unit`, and how the provider caches.

    With `marks` only what stands before a mark is kept, at the price `cache_write`; without it
    the provider keeps every request, unasked and for the price of input. Fewer than `minimum`
    tokens are not kept, and nothing longer than `lifetime` seconds after its last use.
    """

    name: str
    input: float
    output: float
    cache_read: float
    cache_write: float
    per: int = 1_000_000
    unit: str = "dollars"
    minimum: int = 0
    lifetime: float = math.inf
    marks: bool = False
    tiers: tuple[Tier, ...] = ()
    dated: str = ""
    source: str = ""

    def times(self, tokens: int) -> float:
        """The factor on all prices for a request with so many tokens of input."""
        return max((tier.times for tier in self.tiers if tokens > tier.above), default=1.0)


LARGEST = 10**12
"""No number of a table is above it, so that what they come to can be written."""
_PRICES = ("input", "output", "cache_read", "cache_write")
_COUNTS = {"per": 1, "minimum": 0}
_WORDS = ("unit", "dated", "source")


def price_tables(path: Path | None = None) -> dict[str, PriceTable]:
    """The tables of a TOML file, by name; the project's own where no path is given.

    Raises PriceError.
    """
    file = path or Path(str(data_path("prices.toml")))
    try:
        data = tomllib.loads(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise PriceError(f"{file}: cannot be read ({error})") from None
    except (ValueError, RecursionError) as error:  # no TOML, too many digits, or too deep
        raise PriceError(f"{file}: {error}") from None
    if not data:
        raise PriceError(f"{file}: expected at least one table such as [mine]")
    try:
        return {name: price_table(name, table) for name, table in data.items()}
    except PriceError as error:
        raise PriceError(f"{file}: {error}") from None


def own_prices(path: Path) -> PriceTable:
    """The table of a file that holds one and no other. Raises PriceError."""
    found = price_tables(path)
    if len(found) > 1:
        raise PriceError(f"{path}: expected one table, got {', '.join(found)}")
    return next(iter(found.values()))


def price_table(name: str, data: Any) -> PriceTable:
    """The table that these keys and values describe. Raises PriceError."""
    if not isinstance(data, Mapping):
        raise PriceError(f"{name}: expected a table of prices, got {data!r}")
    marks = data.get("marks", False)
    if not isinstance(marks, bool):
        raise PriceError(f"{name}: marks: expected true or false, got {marks!r}")
    known = {*_PRICES, *_COUNTS, *_WORDS, "lifetime", "marks", "tiers"}
    for key in data:
        if key not in known:
            raise PriceError(f"{name}: {key}: expected one of {', '.join(sorted(known))}")
    given = dict(data) if marks else {"cache_write": data.get("input"), **data}
    prices: dict[str, Any] = {key: _number(name, key, given) for key in _PRICES}
    rest: dict[str, Any] = {key: _words(name, key, data[key]) for key in _WORDS if key in data}
    for key, least in _COUNTS.items():
        if key in data:
            rest[key] = _count(name, key, data, least)
    lifetime = _number(name, "lifetime", data) if "lifetime" in data else math.inf
    return PriceTable(
        name,
        **prices,
        **rest,
        lifetime=lifetime,
        marks=marks,
        tiers=_tiers(name, data.get("tiers", [])),
    )


def _number(name: str, key: str, data: Mapping[str, Any]) -> float:
    value = data.get(key)
    if value is None:
        raise PriceError(f"{name}: {key} is missing")
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
        raise PriceError(f"{name}: {key}: expected a number of 0 or more, got {value!r}")
    _check_size(name, key, value)
    return float(value)


def _count(name: str, key: str, data: Mapping[str, Any], least: int) -> int:
    value = data[key]
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise PriceError(f"{name}: {key}: expected a whole number from {least}, got {value!r}")
    _check_size(name, key, value)
    return value


def _check_size(name: str, key: str, value: float) -> None:
    if value > LARGEST:
        raise PriceError(f"{name}: {key}: expected at most {LARGEST:,}")


def _words(name: str, key: str, value: Any) -> str:
    if not isinstance(value, str | date):
        raise PriceError(f"{name}: {key}: expected words or a date, got {value!r}")
    return str(value)


def _tiers(name: str, data: Any) -> tuple[Tier, ...]:
    if not isinstance(data, list):
        raise PriceError(f"{name}: tiers: expected a list, got {data!r}")
    tiers = tuple(_tier(name, tier) for tier in data)
    for place, tier in enumerate(tiers):
        if any(tier.above == other.above for other in tiers[:place]):
            raise PriceError(f"{name}: tiers: above = {tier.above:,} is given twice")
    return tiers


def _tier(name: str, data: Any) -> Tier:
    if not isinstance(data, Mapping) or set(data) != {"above", "times"}:
        raise PriceError(
            f"{name}: tiers: expected {{above = tokens, times = factor}}, got {data!r}"
        )
    times = _number(name, "times", data)
    if times == 0:
        raise PriceError(f"{name}: times: expected a number above 0, got {data['times']!r}")
    return Tier(_count(name, "above", data, 0), times)
