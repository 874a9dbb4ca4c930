"""The catalogue, carts and the checkout."""

from datetime import timedelta

import pytest

from billing.coupons import Coupon
from billing.money import Money
from store.cart import (
    MOST_PIECES,
    Cart,
    EmptyCart,
    check_out,
    grams,
    quote,
    shipping_cost,
)
from store.catalogue import OutOfStock, Product, slugify
from tests.helpers import NOW
from tools.cleanup import KEEP_SESSIONS, clean_up, is_stale


@pytest.fixture
def cart():
    cart = Cart("ses_1001")
    cart.add("TEA-ASSAM-250", 2)
    cart.add("POT-GLASS-1L")
    return cart


@pytest.mark.parametrize(
    "name, slug",
    [
        ("Mint tea, 100 g", "mint-tea-100-g"),
        ("Crème de safran, 1 g", "creme-de-safran-1-g"),
        ("  Earl   Grey!  ", "earl-grey"),
        ("Tee & Kaffee", "tee-kaffee"),
        ("50% off", "50-off"),
        ("茶", ""),
    ],
)
def test_slugify(name, slug):
    assert slugify(name) == slug


@pytest.mark.parametrize(
    "words, tag, found",
    [
        ("tea", None, ["TEA-ASSAM-250", "POT-GLASS-1L", "TEA-MINT-100", "BOOK-TEA"]),
        ("leaf tea", None, ["TEA-ASSAM-250"]),
        ("TEA", "ware", ["POT-GLASS-1L"]),
        ("beans", "decaf", ["COF-DECAF-500"]),
        ("", "spice", ["SPICE-SAFFRON"]),
        ("creme", None, ["SPICE-SAFFRON"]),
        ("hot chocolate", None, []),
    ],
)
def test_search(catalogue, words, tag, found):
    assert [product.sku for product in catalogue.search(words, tag)] == found


def test_by_slug(catalogue):
    assert catalogue.by_slug("hand-coffee-mill").sku == "MILL-HAND"
    assert catalogue.by_slug("hand-coffee-grinder") is None


def test_product_is_added_once(catalogue):
    with pytest.raises(ValueError, match="on sale already"):
        catalogue.add(Product("MILL-HAND", "Another mill", Money(1)))


@pytest.mark.parametrize("sku", ["", "mill-hand", "NOTHING"])
def test_unknown_product(catalogue, sku):
    with pytest.raises(KeyError, match="no product"):
        catalogue.free(sku)


def test_reserve_release_ship(catalogue):
    catalogue.reserve("MILL-HAND", 3)
    assert catalogue.free("MILL-HAND") == 2
    catalogue.release("MILL-HAND", 1)
    catalogue.ship("MILL-HAND", 2)
    assert (catalogue.free("MILL-HAND"), catalogue.levels["MILL-HAND"].on_hand) == (3, 3)


@pytest.mark.parametrize("sku, pieces, free", [("SPICE-SAFFRON", 1, 0), ("COF-DECAF-500", 4, 3)])
def test_reserve_too_many(catalogue, sku, pieces, free):
    with pytest.raises(OutOfStock) as caught:
        catalogue.reserve(sku, pieces)
    assert (caught.value.wanted, caught.value.free) == (pieces, free)


def test_release_too_many(catalogue):
    with pytest.raises(ValueError, match="only 0 are reserved"):
        catalogue.release("MILL-HAND", 1)


def test_receive(catalogue):
    assert catalogue.receive("SPICE-SAFFRON", 12) == 12
    with pytest.raises(ValueError, match="at least one"):
        catalogue.receive("SPICE-SAFFRON", 0)


@pytest.mark.parametrize(
    "limit, found",
    [
        (1, [("SPICE-SAFFRON", 0)]),
        (6, [("SPICE-SAFFRON", 0), ("COF-DECAF-500", 3), ("MILL-HAND", 5)]),
        (0, []),
    ],
)
def test_running_low(catalogue, limit, found):
    assert catalogue.running_low(limit) == found


def test_cart_counts(cart):
    assert len(cart) == 3
    assert cart.add("TEA-ASSAM-250") == 3
    assert cart.set("TEA-ASSAM-250", 0) == 0
    assert cart.pieces == {"POT-GLASS-1L": 1}


@pytest.mark.parametrize("pieces", [-1, MOST_PIECES + 1])
def test_cart_limits(cart, pieces):
    with pytest.raises(ValueError, match="between 0 and 99"):
        cart.set("TEA-ASSAM-250", pieces)


def test_merge_takes_the_larger_number(cart):
    guest = Cart("ses_1005", coupon=Coupon("SPRING10", percent=10))
    guest.add("TEA-ASSAM-250", 1)
    guest.add("BOOK-TEA", 2)
    cart.merge(guest)
    assert cart.pieces == {"TEA-ASSAM-250": 2, "POT-GLASS-1L": 1, "BOOK-TEA": 2}
    assert cart.coupon.code == "SPRING10"
    assert len(guest) == 0


def test_grams(cart, catalogue):
    assert grams(cart, catalogue) == 2 * 270 + 780


@pytest.mark.parametrize(
    "weight, goods, cents",
    [
        (0, 1000, 0),
        (1, 1000, 395),
        (500, 1000, 395),
        (501, 1000, 595),
        (2000, 7499, 595),
        (2000, 7500, 0),
        (10000, 1000, 995),
        (10001, 1000, 1995),
    ],
)
def test_shipping_cost(weight, goods, cents):
    assert shipping_cost(weight, Money(goods)) == Money(cents)


@pytest.mark.parametrize(
    "region, tax, total",
    [("US-CA", 246, 6741), ("US-NY", 136, 6631), ("DE", 821, 7316), ("US-OR", 0, 6495)],
)
def test_quote(cart, catalogue, region, tax, total):
    order = quote(cart, catalogue, region)
    assert (order.goods, order.shipping) == (Money(5900), Money(595))
    assert (order.tax, order.total) == (Money(tax), Money(total))


def test_quote_with_coupon(cart, catalogue):
    cart.coupon = Coupon("SPRING10", percent=10)
    order = quote(cart, catalogue, "DE")
    assert (order.discount, order.tax) == (Money(590), Money(739))
    assert order.total == Money(5900 - 590 + 595 + 739)


def test_quote_reserves_nothing(cart, catalogue):
    quote(cart, catalogue, "DE")
    assert catalogue.free("POT-GLASS-1L") == 12


def test_check_out(cart, catalogue):
    order = check_out(cart, catalogue, "DE")
    assert [line.pieces for line in order.lines] == [2, 1]
    assert catalogue.free("TEA-ASSAM-250") == 38
    assert len(cart) == 0


def test_check_out_all_or_nothing(cart, catalogue):
    cart.add("SPICE-SAFFRON")
    with pytest.raises(OutOfStock):
        check_out(cart, catalogue, "DE")
    assert catalogue.free("TEA-ASSAM-250") == 40
    assert len(cart) == 4


def test_check_out_empty(catalogue):
    with pytest.raises(EmptyCart):
        check_out(Cart("ses_1001"), catalogue, "DE")


@pytest.mark.parametrize(
    "session, days, stale",
    [("ses_1001", 0, False), ("ses_1003", 0, False), ("ses_1003", 50, True), ("ses_1009", 0, True)],
)
def test_is_stale(sessions, settings, session, days, stale):
    record = sessions.table.get(session)
    assert is_stale(record, NOW + timedelta(days=days), settings) is stale


def test_clean_up(sessions, settings):
    carts = {name: Cart(name) for name in ("ses_1001", "ses_1003", "ses_1005", "ses_9")}
    report = clean_up(sessions.table, carts, NOW, settings)
    assert str(report) == "1 sessions and 2 carts removed"
    assert sorted(carts) == ["ses_1001", "ses_1005"]
    assert "ses_1009" not in sessions.table


def test_clean_up_much_later(sessions, settings):
    report = clean_up(sessions.table, {}, NOW + 3 * KEEP_SESSIONS, settings)
    assert report.sessions == 12
