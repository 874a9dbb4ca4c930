"""What the shop sells, and how much of it is there.

Stock is counted three ways: on hand, reserved by carts on their way through
the checkout, and free, which is the difference. Nothing is ever sold that is
not free.
"""

import re
import unicodedata
from dataclasses import dataclass, field

from billing.money import Money


class OutOfStock(Exception):
    """Fewer pieces are free than were asked for."""

    def __init__(self, sku: str, wanted: int, free: int) -> None:
        super().__init__(f"{sku}: {wanted} wanted, {free} free")
        self.sku = sku
        self.wanted = wanted
        self.free = free


@dataclass(frozen=True)
class Product:
    """Something that can be bought; `rate` names its tax rate."""

    sku: str
    name: str
    price: Money
    grams: int = 0
    rate: str = "standard"
    tags: tuple[str, ...] = ()

    @property
    def slug(self) -> str:
        """The name as it stands in an address."""
        return slugify(self.name)


def slugify(text: str) -> str:
    """Lower-case ASCII words with hyphens between them.

    >>> slugify("Crème brûlée torch, 2nd edition")
    'creme-brulee-torch-2nd-edition'
    """
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")


@dataclass
class Level:
    """The stock of one product."""

    on_hand: int = 0
    reserved: int = 0

    @property
    def free(self) -> int:
        return self.on_hand - self.reserved


@dataclass
class Catalogue:
    """Products by SKU, with their stock."""

    products: dict[str, Product] = field(default_factory=dict)
    levels: dict[str, Level] = field(default_factory=dict)

    def add(self, product: Product, on_hand: int = 0) -> None:
        """Put a product on sale."""
        if product.sku in self.products:
            raise ValueError(f"{product.sku} is on sale already")
        self.products[product.sku] = product
        self.levels[product.sku] = Level(on_hand)

    def product(self, sku: str) -> Product:
        """One product; raises KeyError for an unknown SKU."""
        if sku not in self.products:
            raise KeyError(f"no product {sku}")
        return self.products[sku]

    def by_slug(self, slug: str) -> Product | None:
        """The product whose name reads like this in an address."""
        for product in self.products.values():
            if product.slug == slug:
                return product
        return None

    def search(self, words: str, tag: str | None = None) -> list[Product]:
        """Products whose name holds all the words, in order of name."""
        wanted = slugify(words).split("-") if words.strip() else []
        found = [
            product
            for product in self.products.values()
            if (tag is None or tag in product.tags) and all(word in product.slug for word in wanted)
        ]
        return sorted(found, key=lambda product: product.name)

    def free(self, sku: str) -> int:
        """How many pieces can be promised to a customer."""
        self.product(sku)
        return self.levels[sku].free

    def receive(self, sku: str, pieces: int) -> int:
        """Book a delivery; the new number on hand."""
        if pieces < 1:
            raise ValueError("a delivery has at least one piece")
        self.product(sku)
        self.levels[sku].on_hand += pieces
        return self.levels[sku].on_hand

    def reserve(self, sku: str, pieces: int) -> None:
        """Hold pieces for a checkout."""
        free = self.free(sku)
        if pieces > free:
            raise OutOfStock(sku, pieces, free)
        self.levels[sku].reserved += pieces

    def release(self, sku: str, pieces: int) -> None:
        """Let go of pieces that were reserved."""
        level = self.levels[sku]
        if pieces > level.reserved:
            raise ValueError(f"{sku}: only {level.reserved} are reserved")
        level.reserved -= pieces

    def ship(self, sku: str, pieces: int) -> None:
        """Send off reserved pieces."""
        self.release(sku, pieces)
        self.levels[sku].on_hand -= pieces

    def running_low(self, limit: int) -> list[tuple[str, int]]:
        """SKUs of which fewer than `limit` are free, the scarcest first."""
        scarce = [(sku, level.free) for sku, level in self.levels.items() if level.free < limit]
        return sorted(scarce, key=lambda pair: (pair[1], pair[0]))
