"""The shop's handlers: each turns a request into a response.

Handlers raise what the packages below them raise; `App.handle` turns those
errors into statuses, in one place.
"""

from dataclasses import dataclass, field

from auth.limits import Failures, TooManyFailures
from auth.passwords import WeakPassword, check_password, hash_password, matches, needs_rehash
from auth.roles import Forbidden, may_see, require, role_of
from auth.session import SessionError, Sessions
from auth.tokens import BadToken, UsedCodes, read_code
from billing.coupons import CouponRefused
from billing.invoices import Book, Invoice, InvoiceError, Payment
from billing.money import Money
from billing.tax import shown_price
from store.cart import Cart, EmptyCart, Order, check_out, quote
from store.catalogue import Catalogue, OutOfStock
from store.clock import Clock
from store.settings import Settings
from store.tables import Record, Table
from web import validation as v
from web.messages import (
    BadRequest,
    Request,
    Response,
    clear_cookie,
    error,
    set_cookie,
)
from web.router import Router

LOGIN = v.Form(
    {"email": v.email, "password": v.text(1, 200)},
    {"remember": v.flag, "device": v.text(1, 60)},
)
PASSWORD = v.Form({"old": v.text(1, 200), "new": v.text(1, 400)})
RESET = v.Form({"code": v.text(10, 400), "password": v.text(1, 400)})
PIECES = v.Form({"pieces": v.number(0, 99)})
REFUND = v.Form({"cents": v.number(1, 10_000_000), "reason": v.text(3, 200)})


@dataclass
class App:
    """The shop, put together."""

    settings: Settings
    clock: Clock
    customers: Table
    sessions: Sessions
    catalogue: Catalogue
    book: Book
    carts: dict[str, Cart] = field(default_factory=dict)
    orders: dict[str, list[Order]] = field(default_factory=dict)
    failures: Failures = field(default_factory=Failures)
    used: UsedCodes = field(default_factory=UsedCodes)
    log: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.router = Router()
        for method, pattern, handler in (
            ("POST", "/login", self.login),
            ("POST", "/logout", self.logout),
            ("GET", "/account", self.account),
            ("GET", "/sessions", self.devices),
            ("POST", "/password", self.change_password),
            ("POST", "/password/reset", self.reset_password),
            ("GET", "/products", self.search),
            ("GET", "/products/{slug}", self.product),
            ("GET", "/cart", self.show_cart),
            ("PUT", "/cart/{sku}", self.put_in_cart),
            ("POST", "/checkout", self.checkout),
            ("GET", "/invoices", self.invoices),
            ("GET", "/invoices/{number}", self.invoice),
            ("POST", "/invoices/{number}/refund", self.refund),
        ):
            self.router.add(method, pattern, handler)

    def handle(self, request: Request) -> Response:
        """Answer a request; errors that we know become responses."""
        try:
            response = self.router.dispatch(request)
        except BadRequest as problem:
            response = error(400, "bad_request", detail=str(problem))
        except v.InvalidForm as problem:
            response = error(422, "invalid", fields=problem.errors)
        except WeakPassword as problem:
            response = error(422, "weak_password", reasons=problem.reasons)
        except BadToken:
            response = error(401, "bad_token")
        except SessionError as problem:
            response = error(401, "no_session", reason=problem.reason)
        except Forbidden:
            response = error(403, "forbidden")
        except OutOfStock as problem:
            response = error(409, "out_of_stock", sku=problem.sku, free=problem.free)
        except (EmptyCart, InvoiceError, CouponRefused) as problem:
            response = error(409, "conflict", detail=str(problem))
        except TooManyFailures as problem:
            wait = int((problem.until - self.clock.now()).total_seconds())
            refusal = error(429, "wait", seconds=wait)
            response = Response(429, refusal.data, (("Retry-After", str(wait)),))
        self.log.append(f"{request.method} {request.path} {response.status}")
        return response

    # Signing in and out

    def login(self, request: Request) -> Response:
        """Sign in with a password, or again with the token the browser kept."""
        if request.token and not request.body:
            token = self.sessions.extend(request.token)
            customer = self.customers.get(self.sessions.resume(token)["customer"])
            return self._signed_in(customer, token)
        form = LOGIN.read(request.json())
        email = str(form["email"])
        now = self.clock.now()
        self.failures.check(email, now)
        found = self.customers.where(email=email)
        if not found or not matches(str(form["password"]), str(found[0]["password"])):
            self.failures.fail(email, now)
            return error(401, "bad_login")
        if found[0].get("blocked"):
            return error(403, "blocked")
        self.failures.succeed(email)
        customer = found[0]
        if needs_rehash(str(customer["password"]), self.settings.password_rounds):
            self._rehash(customer, str(form["password"]))
        remember = bool(form.get("remember", False))
        token = self.sessions.start(str(customer["id"]), remember, str(form.get("device", "")))
        return self._signed_in(customer, token)

    def logout(self, request: Request) -> Response:
        session = self.sessions.resume(request.token)
        self.sessions.end(str(session["id"]))
        self.carts.pop(str(session["id"]), None)
        return Response(204, None, (clear_cookie(),))

    def account(self, request: Request) -> Response:
        _, customer = self._who(request)
        shown = {name: customer[name] for name in ("id", "email", "name", "region")}
        return Response(200, {**shown, "role": role_of(customer, self.settings)})

    def devices(self, request: Request) -> Response:
        session, customer = self._who(request)
        live = self.sessions.live(str(customer["id"]))
        rows = [
            {"device": record["device"], "this": record["id"] == session["id"]} for record in live
        ]
        return Response(200, {"sessions": rows})

    def change_password(self, request: Request) -> Response:
        session, customer = self._who(request)
        form = PASSWORD.read(request.json())
        if not matches(str(form["old"]), str(customer["password"])):
            return error(403, "wrong_password")
        self._store_password(customer, str(form["new"]))
        ended = self.sessions.end_all(str(customer["id"]), keep=str(session["id"]))
        return Response(200, {"ended": ended})

    def reset_password(self, request: Request) -> Response:
        form = RESET.read(request.json())
        code, now = str(form["code"]), self.clock.now()
        read = read_code(code, "reset", self.settings.secret, now)
        customer = self.customers.get(read.subject)
        check_password(str(form["password"]), str(customer["email"]))
        self.used.redeem(code, read, now)
        self._store_password(customer, str(form["password"]))
        return Response(200, {"ended": self.sessions.end_all(read.subject)})

    # Browsing and buying

    def search(self, request: Request) -> Response:
        found = self.catalogue.search(request.query.get("q", ""), request.query.get("tag"))
        region = request.query.get("region", self.settings.country)
        rows = [
            {
                "sku": product.sku,
                "name": product.name,
                "slug": product.slug,
                "price": str(shown_price(product.price, region, product.rate)),
            }
            for product in found
        ]
        return Response(200, {"products": rows})

    def product(self, request: Request, slug: str) -> Response:
        product = self.catalogue.by_slug(slug)
        if product is None:
            return error(404, "no_product")
        free = self.catalogue.free(product.sku)
        return Response(200, {"sku": product.sku, "name": product.name, "free": min(free, 10)})

    def show_cart(self, request: Request) -> Response:
        session, customer = self._who(request)
        cart = self._cart(session)
        if not len(cart):
            return Response(200, {"pieces": {}, "total": str(Money(0, cart.currency))})
        order = quote(cart, self.catalogue, str(customer["region"]))
        return Response(200, {"pieces": cart.pieces, **_totals(order)})

    def put_in_cart(self, request: Request, sku: str) -> Response:
        session, _ = self._who(request)
        form = PIECES.read(request.json())
        if sku not in self.catalogue.products:
            return error(404, "no_product")
        self._cart(session).set(sku, int(str(form["pieces"])))
        return Response(200, {"pieces": self._cart(session).pieces})

    def checkout(self, request: Request) -> Response:
        session, customer = self._who(request)
        require(role_of(customer, self.settings), "orders:place")
        order = check_out(self._cart(session), self.catalogue, str(customer["region"]))
        self.orders.setdefault(str(customer["id"]), []).append(order)
        return Response(201, _totals(order))

    # Invoices

    def invoices(self, request: Request) -> Response:
        _, customer = self._who(request)
        rows = [_row(invoice) for invoice in self.book.of(str(customer["id"]))]
        return Response(200, {"invoices": rows})

    def invoice(self, request: Request, number: str) -> Response:
        _, customer = self._who(request)
        invoice = self.book.issued.get(number)
        role = role_of(customer, self.settings)
        if invoice is None or not may_see(role, str(customer["id"]), invoice.customer, "invoices"):
            return error(404, "no_invoice")
        return Response(200, _row(invoice))

    def refund(self, request: Request, number: str) -> Response:
        _, customer = self._who(request)
        require(role_of(customer, self.settings), "invoices:refund")
        form = REFUND.read(request.json())
        today = self.clock.today(self.settings.zone)
        currency = self.book.find(number).currency
        amount = Money(int(str(form["cents"])), currency)
        invoice = self.book.refund(number, Payment(today, amount, str(form["reason"])))
        return Response(200, _row(invoice))

    # What the handlers share

    def _who(self, request: Request) -> tuple[Record, Record]:
        session = self.sessions.resume(request.token)
        return session, self.customers.get(session["customer"])

    def _cart(self, session: Record) -> Cart:
        key = str(session["id"])
        return self.carts.setdefault(key, Cart(key, self.settings.currency))

    def _store_password(self, customer: Record, password: str) -> None:
        check_password(password, str(customer["email"]))
        self._rehash(customer, password)

    def _rehash(self, customer: Record, password: str) -> None:
        stored = hash_password(password, self.settings.password_rounds)
        self.customers.update(customer["id"], password=stored)

    def _signed_in(self, customer: Record, token: str) -> Response:
        remember = self.sessions.resume(token)["remember"]
        length = self.settings.remember_length if remember else self.settings.session_length
        cookie = set_cookie(token, int(length.total_seconds()))
        return Response(200, {"customer": customer["id"]}, (cookie,))


def _totals(order: Order) -> dict[str, str]:
    names: tuple[str, ...] = ("goods", "discount", "shipping", "tax", "total")
    return {name: str(getattr(order, name)) for name in names}


def _row(invoice: Invoice) -> dict[str, object]:
    return {
        "number": invoice.number,
        "state": invoice.state,
        "total": str(invoice.gross),
        "open": str(invoice.open),
    }
