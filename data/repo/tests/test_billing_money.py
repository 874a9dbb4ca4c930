"""Amounts, tax and coupons."""

from datetime import date
from decimal import Decimal

import pytest

from billing.coupons import Coupon, CouponRefused, best, check_coupon, discount, tidy_code
from billing.money import CurrencyMismatch, Money, parse_money, total
from billing.tax import (
    RATES,
    is_tax_id,
    rate,
    reverse_charge,
    shown_price,
    tax_on,
    tax_within,
)

DAY = date(2026, 3, 2)
TEN = Coupon("SPRING10", percent=10)
FIVER = Coupon("FIVER", amount=Money(500), least=Money(2000))
LATE = Coupon("APRIL25", percent=25, first=date(2026, 4, 1), last=date(2026, 4, 30))


@pytest.mark.parametrize(
    "cents, currency, shown",
    [
        (0, "USD", "$0.00"),
        (5, "USD", "$0.05"),
        (-5, "USD", "-$0.05"),
        (123456, "USD", "$1,234.56"),
        (-100000000, "EUR", "-€1,000,000.00"),
        (999, "GBP", "£9.99"),
        (999, "CHF", "CHF 9.99"),
    ],
)
def test_money_as_text(cents, currency, shown):
    assert str(Money(cents, currency)) == shown


@pytest.mark.parametrize(
    "typed, amount",
    [
        ("0", Money(0)),
        ("12", Money(1200)),
        ("12.50", Money(1250)),
        ("$1,250.00", Money(125000)),
        (" -3 ", Money(-300)),
        ("€9.99", Money(999, "EUR")),
        ("£1,000", Money(100000, "GBP")),
        ("1234567.89", Money(123456789)),
    ],
)
def test_parse_money(typed, amount):
    assert parse_money(typed) == amount


@pytest.mark.parametrize("typed", ["", "ten", "1.5", "1.234", "1,23", "12,3456", "--1", "$", "1e3"])
def test_parse_money_refuses(typed):
    with pytest.raises(ValueError, match="is not an amount of money"):
        parse_money(typed)


@pytest.mark.parametrize("cents", [-1050, -1, 0, 1, 99, 100, 1250, 99999])
def test_parse_reads_what_is_shown(cents):
    shown = str(Money(cents))
    if cents < 0:
        shown = "-" + shown.removeprefix("-$")
    assert parse_money(shown) == Money(cents)


def test_arithmetic():
    assert Money(250) + Money(50) - Money(100) == Money(200)
    assert Money(250) * 3 == Money(750)
    assert -Money(250) == Money(-250)
    assert bool(Money(0)) is False
    assert Money(1) < Money(2) <= Money(2)
    assert total([], "EUR") == Money(0, "EUR")
    assert total([Money(1), Money(2)]) == Money(3)


@pytest.mark.parametrize("mix", [lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a < b])
def test_currencies_do_not_mix(mix):
    with pytest.raises(CurrencyMismatch, match="USD and EUR"):
        mix(Money(1), Money(1, "EUR"))


@pytest.mark.parametrize(
    "cents, part, result",
    [
        (1000, "0.19", 190),
        (50, "0.01", 0),
        (150, "0.01", 2),
        (250, "0.01", 2),
        (-150, "0.01", -2),
        (999, "1", 999),
    ],
)
def test_share_rounds_half_to_even(cents, part, result):
    assert Money(cents).share(Decimal(part)) == Money(result)


@pytest.mark.parametrize(
    "used, whole, cents", [(0, 30, 0), (15, 30, 1500), (1, 31, 97), (31, 31, 3000)]
)
def test_prorate(used, whole, cents):
    assert Money(3000).prorate(used, whole) == Money(cents)


@pytest.mark.parametrize("used, whole", [(1, 0), (-1, 30), (31, 30)])
def test_prorate_refuses(used, whole):
    with pytest.raises(ValueError, match="days"):
        Money(3000).prorate(used, whole)


@pytest.mark.parametrize(
    "cents, weights, parts",
    [
        (100, [1, 1, 1], [34, 33, 33]),
        (100, [1, 2], [33, 67]),
        (0, [5, 5], [0, 0]),
        (7, [0, 3, 4], [0, 3, 4]),
        (1, [1, 1], [1, 0]),
        (1001, [250, 250, 500], [250, 250, 501]),
    ],
)
def test_split(cents, weights, parts):
    assert [part.cents for part in Money(cents).split(weights)] == parts


@pytest.mark.parametrize("cents", range(0, 100, 7))
def test_split_adds_up(cents):
    assert total(Money(cents).split([3, 1, 4, 1, 5])) == Money(cents)


@pytest.mark.parametrize("weights", [[0], [0, 0], [2, -1]])
def test_split_refuses(weights):
    with pytest.raises(ValueError, match="weights"):
        Money(100).split(weights)


@pytest.mark.parametrize(
    "region, name, percent",
    [
        ("US-CA", "standard", "7.25"),
        ("US-CA", "food", "0"),
        ("US-NY", "books", "4"),
        ("DE", "standard", "19"),
        ("DE", "food", "7"),
        ("FR", "books", "5.5"),
        ("GB", "unheard of", "20"),
        ("US-OR", "standard", "0"),
    ],
)
def test_rate(region, name, percent):
    assert rate(region, name) * 100 == Decimal(percent)


@pytest.mark.parametrize("region", sorted(RATES))
@pytest.mark.parametrize("name", ["standard", "food", "books"])
def test_tax_within_adds_up(region, name):
    taxed = tax_within(Money(1999), region, name)
    assert taxed.gross == Money(1999)
    assert abs(tax_on(taxed.net, region, name).cents - taxed.tax.cents) <= 1


@pytest.mark.parametrize(
    "region, cents", [("US-CA", 1000), ("DE", 1190), ("GB", 1200), ("US-OR", 1000)]
)
def test_shown_price(region, cents):
    assert shown_price(Money(1000), region) == Money(cents)


@pytest.mark.parametrize(
    "region, typed, fine",
    [
        ("DE", "DE123456789", True),
        ("DE", "de 123 456 789", True),
        ("DE", "DE12345678", False),
        ("FR", "FRXX123456789", True),
        ("GB", "GB123456789012", True),
        ("GB", "GB1234567890", False),
        ("US-CA", "US123456789", False),
    ],
)
def test_is_tax_id(region, typed, fine):
    assert is_tax_id(region, typed) is fine


@pytest.mark.parametrize(
    "home, region, tax_id, reverse",
    [
        ("US", "DE", "DE123456789", True),
        ("DE", "DE", "DE123456789", False),
        ("US", "DE", "", False),
        ("US", "US-CA", "DE123456789", False),
    ],
)
def test_reverse_charge(home, region, tax_id, reverse):
    assert reverse_charge(home, region, tax_id) is reverse


@pytest.mark.parametrize("typed", ["spring10", "SPRING-10", " spring 10 ", "Spring10"])
def test_tidy_code(typed):
    assert tidy_code(typed) == TEN.code


@pytest.mark.parametrize(
    "coupon, goods, cents",
    [(TEN, 2000, 200), (TEN, 5, 0), (TEN, 0, 0), (FIVER, 2000, 500), (FIVER, 300, 300)],
)
def test_discount(coupon, goods, cents):
    assert discount(coupon, Money(goods)) == Money(cents)


@pytest.mark.parametrize(
    "coupon, goods, day, used, reason",
    [
        (LATE, 5000, date(2026, 3, 31), 0, "not valid yet"),
        (LATE, 5000, date(2026, 5, 1), 0, "no longer valid"),
        (FIVER, 1999, DAY, 0, "orders of \\$20.00 or more"),
        (Coupon("ONCE", percent=50, uses=1), 5000, DAY, 1, "used up"),
    ],
)
def test_coupon_refused(coupon, goods, day, used, reason):
    with pytest.raises(CouponRefused, match=reason):
        check_coupon(coupon, Money(goods), day, used)


@pytest.mark.parametrize("day", [date(2026, 4, 1), date(2026, 4, 15), date(2026, 4, 30)])
def test_coupon_accepted(day):
    check_coupon(LATE, Money(1), day)


@pytest.mark.parametrize(
    "goods, day, code",
    [(1000, DAY, "SPRING10"), (3000, DAY, "FIVER"), (3000, date(2026, 4, 2), "APRIL25")],
)
def test_best_coupon(goods, day, code):
    found = best([TEN, FIVER, LATE], Money(goods), day)
    assert found is not None and found.code == code


def test_no_coupon_fits():
    assert best([LATE], Money(1000), DAY) is None


@pytest.mark.parametrize(
    "code, fields",
    [
        ("ABC", {"percent": 10}),
        ("lower", {"percent": 10}),
        ("NOTHING", {}),
        ("BOTH", {"percent": 10, "amount": Money(1)}),
        ("TOOMUCH", {"percent": 101}),
    ],
)
def test_bad_coupon(code, fields):
    with pytest.raises(ValueError):
        Coupon(code, **fields)
