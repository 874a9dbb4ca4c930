"""Carts and the checkout.

A cart belongs to a session, not to a customer, so that a guest can fill one.
The checkout reserves stock, works out the totals, and gives back an order that
no longer changes when a price does.
"""

from dataclasses import dataclass, field

from billing.coupons import Coupon, discount
from billing.money import Money, total
from billing.tax import tax_on
from store.catalogue import Catalogue, OutOfStock

MOST_PIECES = 99
FREE_SHIPPING_FROM = 7500  # cents
SHIPPING_STEPS = ((500, 395), (2000, 595), (10000, 995))  # up to grams, cents
HEAVY = 1995  # cents


class EmptyCart(ValueError):
    """There is nothing to check out."""


@dataclass(frozen=True)
class OrderLine:
    """One product of an order, at the price of that day."""

    sku: str
    name: str
    pieces: int
    each: Money
    rate: str

    @property
    def amount(self) -> Money:
        return self.each * self.pieces


@dataclass(frozen=True)
class Order:
    """What was bought, and what it comes to."""

    lines: tuple[OrderLine, ...]
    goods: Money
    discount: Money
    shipping: Money
    tax: Money

    @property
    def total(self) -> Money:
        return self.goods - self.discount + self.shipping + self.tax


@dataclass
class Cart:
    """Pieces by SKU."""

    session: str
    currency: str = "USD"
    pieces: dict[str, int] = field(default_factory=dict)
    coupon: Coupon | None = None

    def __len__(self) -> int:
        return sum(self.pieces.values())

    def add(self, sku: str, pieces: int = 1) -> int:
        """Put pieces into the cart; the number of that product in it then."""
        return self.set(sku, self.pieces.get(sku, 0) + pieces)

    def set(self, sku: str, pieces: int) -> int:
        """Have exactly this many pieces of a product; none takes it out."""
        if not 0 <= pieces <= MOST_PIECES:
            raise ValueError(f"{sku}: between 0 and {MOST_PIECES} pieces, not {pieces}")
        if pieces:
            self.pieces[sku] = pieces
        else:
            self.pieces.pop(sku, None)
        return pieces

    def merge(self, other: "Cart") -> None:
        """Take over what a guest had picked; the larger number counts."""
        for sku, pieces in other.pieces.items():
            self.set(sku, max(pieces, self.pieces.get(sku, 0)))
        self.coupon = self.coupon or other.coupon
        other.pieces.clear()

    def lines(self, catalogue: Catalogue) -> tuple[OrderLine, ...]:
        """The cart as lines of an order, in the order of picking."""
        lines = []
        for sku, pieces in self.pieces.items():
            product = catalogue.product(sku)
            lines.append(OrderLine(sku, product.name, pieces, product.price, product.rate))
        return tuple(lines)


def grams(cart: Cart, catalogue: Catalogue) -> int:
    """The weight of a cart."""
    return sum(catalogue.product(sku).grams * pieces for sku, pieces in cart.pieces.items())


def shipping_cost(weight: int, goods: Money) -> Money:
    """What sending a parcel of `weight` grams costs the customer."""
    if weight == 0 or goods.cents >= FREE_SHIPPING_FROM:
        return Money(0, goods.currency)
    for limit, cents in SHIPPING_STEPS:
        if weight <= limit:
            return Money(cents, goods.currency)
    return Money(HEAVY, goods.currency)


def quote(cart: Cart, catalogue: Catalogue, region: str) -> Order:
    """What a cart would come to if it were bought now; reserves nothing."""
    lines = cart.lines(catalogue)
    if not lines:
        raise EmptyCart(cart.session)
    goods = total([line.amount for line in lines], cart.currency)
    off = discount(cart.coupon, goods) if cart.coupon else Money(0, cart.currency)
    shipping = shipping_cost(grams(cart, catalogue), goods - off)
    taxes = []
    shares = off.split([line.amount.cents for line in lines])
    for line, share in zip(lines, shares, strict=True):
        taxes.append(tax_on(line.amount - share, region, line.rate))
    return Order(lines, goods, off, shipping, total(taxes, cart.currency))


def check_out(cart: Cart, catalogue: Catalogue, region: str) -> Order:
    """Reserve the stock for a cart, empty it, and return the order.

    Either everything is reserved or nothing: when one product is short, what
    was reserved before it is released again.
    """
    order = quote(cart, catalogue, region)
    held: list[OrderLine] = []
    try:
        for line in order.lines:
            catalogue.reserve(line.sku, line.pieces)
            held.append(line)
    except OutOfStock:
        for line in held:
            catalogue.release(line.sku, line.pieces)
        raise
    cart.pieces.clear()
    cart.coupon = None
    return order
