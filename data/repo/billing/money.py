"""Amounts of money, in whole cents.

There are no floating-point numbers here. Where a share does not come out even,
half a cent is rounded to the even cent, and `split` makes sure that the parts
add up to the whole.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal

SYMBOLS = {"USD": "$", "EUR": "€", "GBP": "£"}
AMOUNT = re.compile(r"(-?)(\d+|\d{1,3}(?:,\d{3})+)(?:\.(\d{2}))?")


class CurrencyMismatch(ValueError):
    """Two amounts in different currencies were put together."""


@dataclass(frozen=True, order=False)
class Money:
    """An amount; may be negative."""

    cents: int
    currency: str = "USD"

    def __add__(self, other: "Money") -> "Money":
        self._check(other)
        return Money(self.cents + other.cents, self.currency)

    def __sub__(self, other: "Money") -> "Money":
        self._check(other)
        return Money(self.cents - other.cents, self.currency)

    def __mul__(self, count: int) -> "Money":
        return Money(self.cents * count, self.currency)

    def __neg__(self) -> "Money":
        return Money(-self.cents, self.currency)

    def __bool__(self) -> bool:
        return self.cents != 0

    def __lt__(self, other: "Money") -> bool:
        self._check(other)
        return self.cents < other.cents

    def __le__(self, other: "Money") -> bool:
        self._check(other)
        return self.cents <= other.cents

    def __str__(self) -> str:
        sign = "-" if self.cents < 0 else ""
        units, cents = divmod(abs(self.cents), 100)
        symbol = SYMBOLS.get(self.currency, self.currency + " ")
        return f"{sign}{symbol}{units:,}.{cents:02d}"

    def share(self, part: Decimal) -> "Money":
        """A part of the amount, such as `Decimal("0.19")`."""
        exact = Decimal(self.cents) * part
        return Money(int(exact.quantize(Decimal(1), ROUND_HALF_EVEN)), self.currency)

    def prorate(self, used: int, whole: int) -> "Money":
        """The amount for `used` of `whole` days."""
        if not 0 <= used <= whole or whole == 0:
            raise ValueError(f"{used} of {whole} days")
        return self.share(Decimal(used) / Decimal(whole))

    def split(self, weights: Sequence[int]) -> list["Money"]:
        """Parts in proportion to the weights; the parts add up to the whole.

        Cents that are left over go to the largest remainders, first come first
        served.

        >>> [part.cents for part in Money(100).split([1, 1, 1])]
        [34, 33, 33]
        """
        whole = sum(weights)
        if whole <= 0 or min(weights) < 0:
            raise ValueError("weights must be positive")
        parts = [self.cents * weight // whole for weight in weights]
        remainders = [self.cents * weight % whole for weight in weights]
        order = sorted(range(len(parts)), key=lambda place: -remainders[place])
        for place in order[: self.cents - sum(parts)]:
            parts[place] += 1
        return [Money(part, self.currency) for part in parts]

    def _check(self, other: "Money") -> None:
        if self.currency != other.currency:
            raise CurrencyMismatch(f"{self.currency} and {other.currency}")


def total(amounts: Iterable[Money], currency: str = "USD") -> Money:
    """The sum of some amounts; nothing at all sums to zero of `currency`."""
    result = Money(0, currency)
    for amount in amounts:
        result = result + amount
    return result


def parse_money(text: str, currency: str = "USD") -> Money:
    """The amount that a person typed, such as `$1,250.00` or `-3`."""
    plain = text.strip()
    for code, symbol in SYMBOLS.items():
        if symbol in plain:
            currency = code
            plain = plain.replace(symbol, "", 1)
    match = AMOUNT.fullmatch(plain)
    if match is None:
        raise ValueError(f"{text!r} is not an amount of money")
    cents = int(match[2].replace(",", "")) * 100 + int(match[3] or 0)
    return Money(-cents if match[1] else cents, currency)
