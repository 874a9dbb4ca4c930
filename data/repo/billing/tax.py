"""Sales tax by region.

Rates are kept as text so that no rounding creeps in before the last step. A
region that is not listed is charged nothing; the accountants have a report of
orders into such regions.
"""

import re
from dataclasses import dataclass
from decimal import Decimal

from billing.money import Money

RATES = {
    "US-CA": {"standard": "0.0725", "food": "0", "books": "0.0725"},
    "US-NY": {"standard": "0.04", "food": "0", "books": "0.04"},
    "US-TX": {"standard": "0.0625", "food": "0", "books": "0.0625"},
    "DE": {"standard": "0.19", "food": "0.07", "books": "0.07"},
    "FR": {"standard": "0.20", "food": "0.055", "books": "0.055"},
    "GB": {"standard": "0.20", "food": "0", "books": "0"},
}
INCLUDED = frozenset({"DE", "FR", "GB"})
TAX_IDS = {
    "DE": re.compile(r"DE\d{9}"),
    "FR": re.compile(r"FR[0-9A-Z]{2}\d{9}"),
    "GB": re.compile(r"GB(\d{9}|\d{12})"),
}


@dataclass(frozen=True)
class Taxed:
    """A price taken apart; `net` and `tax` add up to `gross`."""

    net: Money
    tax: Money

    @property
    def gross(self) -> Money:
        return self.net + self.tax


def rate(region: str, name: str = "standard") -> Decimal:
    """The tax rate of a kind of goods in a region; nothing where we owe no tax."""
    rates = RATES.get(region, {})
    return Decimal(rates.get(name, rates.get("standard", "0")))


def tax_on(net: Money, region: str, name: str = "standard") -> Money:
    """The tax that comes on top of a net price."""
    return net.share(rate(region, name))


def tax_within(gross: Money, region: str, name: str = "standard") -> Taxed:
    """A price that includes its tax, taken apart."""
    share = rate(region, name)
    net = gross.share(1 / (1 + share))
    return Taxed(net, gross - net)


def shown_price(net: Money, region: str, name: str = "standard") -> Money:
    """The price on the shop's pages: with tax where the law wants it so."""
    if region in INCLUDED:
        return net + tax_on(net, region, name)
    return net


def is_tax_id(region: str, text: str) -> bool:
    """Whether a text has the form of a tax number of this region."""
    pattern = TAX_IDS.get(region)
    return pattern is not None and pattern.fullmatch(text.replace(" ", "").upper()) is not None


def reverse_charge(home: str, region: str, tax_id: str) -> bool:
    """Whether a business abroad accounts for the tax itself."""
    return region != home and region in TAX_IDS and is_tax_id(region, tax_id)
