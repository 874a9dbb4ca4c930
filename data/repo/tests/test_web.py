"""Requests, routes, forms and the handlers behind them."""

from datetime import timedelta

import pytest

from auth.tokens import make_code
from billing.invoices import Invoice, Line, Payment
from billing.money import Money
from tests.helpers import NOW, Browser
from web import validation as v
from web.messages import (
    REASONS,
    BadRequest,
    Request,
    Response,
    clear_cookie,
    error,
    make_request,
    set_cookie,
)
from web.router import Router

DAY = NOW.date()


def answer(status):
    return lambda request, **names: Response(status, names)


@pytest.fixture
def router():
    router = Router()
    router.add("GET", "/", answer(200))
    router.add("GET", "/orders", answer(200))
    router.add("POST", "/orders", answer(201))
    router.add("GET", "/orders/{id}", answer(200))
    router.add("PUT", "/orders/{id}/lines/{sku}", answer(200))
    router.add("GET", "/files/{name}.pdf", answer(200))
    return router


@pytest.fixture
def paid(app):
    lines = (Line("Hand coffee mill", 1, Money(5900)),)
    invoice = app.book.issue(Invoice("inv_1", "cus_1001", "US-CA", lines), DAY)
    return app.book.pay(invoice.number, Payment(DAY, invoice.gross, "card"))


@pytest.mark.parametrize(
    "method, target, status, names",
    [
        ("GET", "/", 200, {}),
        ("GET", "/orders", 200, {}),
        ("GET", "/orders/", 200, {}),
        ("POST", "/orders", 201, {}),
        ("GET", "/orders/7", 200, {"id": "7"}),
        ("PUT", "/orders/7/lines/A-1", 200, {"id": "7", "sku": "A-1"}),
        ("GET", "/files/a.b.pdf", 200, {"name": "a.b"}),
    ],
)
def test_dispatch(router, method, target, status, names):
    response = router.dispatch(make_request(method, target))
    assert (response.status, response.data) == (status, names)


@pytest.mark.parametrize("target", ["/order", "/orders/7/lines", "/files/apdf", "/orders//lines/x"])
def test_not_found(router, target):
    assert router.dispatch(make_request("GET", target)).status == 404


@pytest.mark.parametrize(
    "method, target, allowed",
    [("PUT", "/orders", "GET, POST"), ("DELETE", "/orders/7", "GET"), ("POST", "/", "GET")],
)
def test_method_not_allowed(router, method, target, allowed):
    response = router.dispatch(make_request(method, target))
    assert (response.status, response.header("allow")) == (405, allowed)


@pytest.mark.parametrize(
    "method, pattern, reason",
    [("GET", "/orders", "is taken"), ("GET", "/a/{x}/b/{x}", "uses a name twice")],
)
def test_bad_route(router, method, pattern, reason):
    with pytest.raises(ValueError, match=reason):
        router.add(method, pattern, answer(200))


def test_route_table(router):
    assert router.table()[:3] == ["GET  /", "GET  /orders", "POST /orders"]


@pytest.mark.parametrize(
    "body, value",
    [(b"", {}), (b"{}", {}), (b'{"a": 1}', {"a": 1}), ('{"ü": "é"}'.encode(), {"ü": "é"})],
)
def test_request_json(body, value):
    assert Request("POST", "/", body=body).json() == value


@pytest.mark.parametrize("body", [b"{", b"[]", b"null", b"3", b"\xff"])
def test_request_bad_json(body):
    with pytest.raises(BadRequest):
        Request("POST", "/", body=body).json()


@pytest.mark.parametrize(
    "headers, token",
    [
        ({}, ""),
        ({"Cookie": "shop_session=abc"}, "abc"),
        ({"Cookie": "a=b; shop_session=abc; c=d"}, "abc"),
        ({"Cookie": "shop_session=abc; shop_session=def"}, "abc"),
        ({"Cookie": "shop_sessions=abc"}, ""),
        ({"Authorization": "Bearer abc"}, "abc"),
        ({"Authorization": "bearer  abc "}, "abc"),
        ({"Authorization": "Basic abc"}, ""),
        ({"Cookie": "shop_session=abc", "Authorization": "Bearer def"}, "abc"),
    ],
)
def test_request_token(headers, token):
    assert make_request("GET", "/", headers=headers).token == token


def test_request_query():
    request = make_request("get", "/products?q=green%20tea&tag=tea")
    assert (request.method, request.path) == ("GET", "/products")
    assert request.query == {"q": "green tea", "tag": "tea"}


@pytest.mark.parametrize("status", sorted(REASONS))
def test_status_line(status):
    assert Response(status).status_line == f"{status} {REASONS[status]}"


def test_response_body():
    assert Response(200, {"b": 1, "a": "é"}).body == '{"a": "é", "b": 1}'.encode()
    assert Response(204, {"a": 1}).body == b""
    assert error(404, "no_product", sku="X").data == {"error": "no_product", "sku": "X"}


def test_cookies():
    name, value = set_cookie("abc", 3600)
    assert name == "Set-Cookie"
    assert value == "shop_session=abc; Max-Age=3600; Path=/; HttpOnly; Secure; SameSite=Lax"
    assert "shop_session=; Max-Age=0;" in clear_cookie()[1]


@pytest.mark.parametrize(
    "check, value, result",
    [
        (v.text(), " tea ", "tea"),
        (v.text(0), "", ""),
        (v.number(1, 5), 5, 5),
        (v.email, "Ada@Example.COM", "Ada@example.com"),
        (v.email, " a.b+c@d-e.co.uk ", "a.b+c@d-e.co.uk"),
        (v.flag, False, False),
        (v.choice("tea", "coffee"), "tea", "tea"),
    ],
)
def test_check_accepts(check, value, result):
    assert check(value) == result


@pytest.mark.parametrize(
    "check, value, reason",
    [
        (v.text(), "  ", "at least 1"),
        (v.text(1, 3), "long", "at most 3"),
        (v.text(), 3, "should be text"),
        (v.number(1, 5), 6, "between 1 and 5"),
        (v.number(1, 5), "3", "whole number"),
        (v.number(0, 1), True, "whole number"),
        (v.email, "ada", "e-mail"),
        (v.email, "ada@localhost", "e-mail"),
        (v.email, "a b@example.com", "e-mail"),
        (v.flag, 1, "true or false"),
        (v.choice("tea", "coffee"), "milk", "one of tea, coffee"),
    ],
)
def test_check_refuses(check, value, reason):
    with pytest.raises(v.Invalid, match=reason):
        check(value)


def test_form_names_every_error():
    form = v.Form({"email": v.email, "pieces": v.number(1, 9)}, {"note": v.text()})
    with pytest.raises(v.InvalidForm) as caught:
        form.read({"email": "x", "note": "", "extra": 1})
    assert caught.value.errors == {
        "email": "should be an e-mail address",
        "extra": "is not known here",
        "note": "should have at least 1 characters",
        "pieces": "is missing",
    }


@pytest.mark.parametrize(
    "method, target",
    [
        ("GET", "/account"),
        ("GET", "/sessions"),
        ("GET", "/cart"),
        ("PUT", "/cart/BOOK-TEA"),
        ("POST", "/checkout"),
        ("GET", "/invoices"),
        ("GET", "/invoices/2026-00001"),
        ("POST", "/logout"),
        ("POST", "/password"),
    ],
)
def test_needs_a_session(browser, method, target):
    assert browser.send(method, target).status == 401


def test_account(browser):
    browser.sign_in("sam@lindenmart.example")
    assert browser.send("GET", "/account").data["role"] == "support"


@pytest.mark.parametrize(
    "target, skus",
    [
        ("/products?q=mill", ["MILL-HAND"]),
        ("/products?tag=books", ["BOOK-TEA"]),
        ("/products?q=nothing", []),
    ],
)
def test_products(browser, target, skus):
    rows = browser.send("GET", target).data["products"]
    assert [row["sku"] for row in rows] == skus


@pytest.mark.parametrize("region, price", [("US-CA", "$59.00"), ("DE", "$70.21"), ("GB", "$70.80")])
def test_product_prices(browser, region, price):
    (row,) = browser.send("GET", f"/products?q=mill&region={region}").data["products"]
    assert row["price"] == price


def test_product_page(browser):
    assert browser.send("GET", "/products/mint-tea-100-g").data["free"] == 10
    assert browser.send("GET", "/products/no-such-tea").status == 404


def test_buying(browser, app):
    browser.sign_in("ada@example.com")
    assert browser.send("GET", "/cart").data == {"pieces": {}, "total": "$0.00"}
    assert browser.send("PUT", "/cart/MILL-HAND", {"pieces": 2}).status == 200
    assert browser.send("GET", "/cart").data["goods"] == "$118.00"
    bought = browser.send("POST", "/checkout")
    assert (bought.status, bought.data["total"]) == (201, "$126.56")
    assert app.catalogue.free("MILL-HAND") == 3
    assert browser.send("POST", "/checkout").status == 409
    assert len(app.orders["cus_1001"]) == 1


@pytest.mark.parametrize(
    "sku, data, status",
    [
        ("MILL-HAND", {"pieces": 100}, 422),
        ("MILL-HAND", {}, 422),
        ("NO-SUCH", {"pieces": 1}, 404),
    ],
)
def test_cart_refuses(browser, sku, data, status):
    browser.sign_in("ada@example.com")
    assert browser.send("PUT", f"/cart/{sku}", data).status == status


def test_out_of_stock(browser):
    browser.sign_in("ada@example.com")
    browser.send("PUT", "/cart/COF-DECAF-500", {"pieces": 4})
    refused = browser.send("POST", "/checkout")
    assert refused.data == {"error": "out_of_stock", "sku": "COF-DECAF-500", "free": 3}


@pytest.mark.parametrize(
    "email, status",
    [("ada@example.com", 200), ("bo@example.com", 404), ("sam@lindenmart.example", 200)],
)
def test_who_sees_an_invoice(browser, paid, email, status):
    browser.sign_in(email)
    assert browser.send("GET", f"/invoices/{paid.number}").status == status


def test_own_invoices(browser, paid):
    browser.sign_in("ada@example.com")
    rows = browser.send("GET", "/invoices").data["invoices"]
    assert rows == [{"number": "2026-00001", "state": "paid", "total": "$63.28", "open": "$0.00"}]


@pytest.mark.parametrize(
    "email, cents, status",
    [
        ("ines@lindenmart.example", 1000, 200),
        ("ines@lindenmart.example", 9999, 409),
        ("sam@lindenmart.example", 1000, 403),
        ("ada@example.com", 1000, 403),
    ],
)
def test_refund(browser, paid, email, cents, status):
    browser.sign_in(email)
    form = {"cents": cents, "reason": "scratched"}
    assert browser.send("POST", f"/invoices/{paid.number}/refund", form).status == status


def test_reset_password(browser, app, settings):
    other = Browser(app)
    other.sign_in("ada@example.com")
    code = make_code("reset", "cus_1001", NOW + timedelta(hours=1), settings.secret)
    form = {"code": code, "password": "battery staple 2"}
    assert browser.send("POST", "/password/reset", form).data == {"ended": 2}
    assert other.send("GET", "/account").status == 401
    assert browser.send("POST", "/password/reset", form).status == 401


def test_reset_password_weak(browser, settings):
    code = make_code("reset", "cus_1001", NOW + timedelta(hours=1), settings.secret)
    refused = browser.send("POST", "/password/reset", {"code": code, "password": "short"})
    assert (refused.status, refused.data["error"]) == (422, "weak_password")


def test_bad_request(app):
    request = Request("POST", "/login", body=b"{")
    assert app.handle(request).status == 400


def test_log(browser, app):
    browser.send("GET", "/products")
    browser.send("GET", "/nowhere")
    assert app.log == ["GET /products 200", "GET /nowhere 404"]
