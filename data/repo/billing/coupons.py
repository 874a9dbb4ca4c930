"""Coupons: a percentage or an amount off, with limits."""

import re
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from billing.money import Money

CODE = re.compile(r"[A-Z0-9]{4,16}")


class CouponRefused(ValueError):
    """A coupon that cannot be used; the text may be shown to the customer."""


@dataclass(frozen=True)
class Coupon:
    """Give either `percent` or `amount`, not both."""

    code: str
    percent: int = 0
    amount: Money | None = None
    least: Money | None = None
    first: date | None = None
    last: date | None = None
    uses: int | None = None

    def __post_init__(self) -> None:
        if not CODE.fullmatch(self.code):
            raise ValueError(f"bad coupon code {self.code!r}")
        if (self.percent > 0) == (self.amount is not None):
            raise ValueError(f"{self.code}: either percent or amount")
        if not 0 <= self.percent <= 100:
            raise ValueError(f"{self.code}: {self.percent} percent")


def tidy_code(text: str) -> str:
    """A code as a customer may type it, brought into its usual form."""
    return re.sub(r"[\s-]+", "", text).upper()


def check_coupon(coupon: Coupon, goods: Money, day: date, used: int = 0) -> None:
    """Raise CouponRefused unless a coupon can be used on `day`."""
    if coupon.first is not None and day < coupon.first:
        raise CouponRefused(f"{coupon.code} is not valid yet")
    if coupon.last is not None and day > coupon.last:
        raise CouponRefused(f"{coupon.code} is no longer valid")
    if coupon.uses is not None and used >= coupon.uses:
        raise CouponRefused(f"{coupon.code} has been used up")
    if coupon.least is not None and goods < coupon.least:
        raise CouponRefused(f"{coupon.code} is for orders of {coupon.least} or more")


def discount(coupon: Coupon, goods: Money) -> Money:
    """What a coupon takes off; never more than the goods cost."""
    if coupon.amount is not None:
        return min(coupon.amount, goods)
    return goods.share(Decimal(coupon.percent) / 100)


def best(coupons: list[Coupon], goods: Money, day: date) -> Coupon | None:
    """The coupon that saves the most on `day`; the first of equals."""
    usable = []
    for coupon in coupons:
        try:
            check_coupon(coupon, goods, day)
        except CouponRefused:
            continue
        usable.append(coupon)
    return max(usable, key=lambda coupon: discount(coupon, goods).cents, default=None)
