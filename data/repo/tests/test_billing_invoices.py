"""Invoices from draft to credit note, and their reports."""

from datetime import date, timedelta

import pytest

from billing.invoices import (
    TERMS_DAYS,
    Book,
    Invoice,
    InvoiceError,
    Line,
    Payment,
    add_line,
    reminders_sent,
    remove_line,
    render,
)
from billing.money import Money
from tools.export import (
    COLUMNS,
    decimal_text,
    of_month,
    parse_month,
    tax_report,
    to_csv,
    turnover,
    untaxed,
)

DAY = date(2026, 3, 2)
TEA = Line("Assam leaf tea, 250 g", 2, Money(1250), "food")
POT = Line("Glass teapot, 1 l", 1, Money(3400))


def draft(region="DE", *lines, customer="cus_1003"):
    return Invoice("inv_1", customer, region, lines or (TEA, POT))


@pytest.fixture
def book():
    return Book()


@pytest.fixture
def issued(book):
    return book.issue(draft(), DAY)


@pytest.mark.parametrize(
    "region, tax, gross",
    [
        ("DE", {"food": 175, "standard": 646}, 6721),
        ("FR", {"food": 138, "standard": 680}, 6718),
        ("GB", {"food": 0, "standard": 680}, 6580),
        ("US-CA", {"food": 0, "standard": 246}, 6146),
        ("US-OR", {"food": 0, "standard": 0}, 5900),
    ],
)
def test_sums(region, tax, gross):
    invoice = draft(region)
    assert invoice.net == Money(5900)
    assert {name: amount.cents for name, amount in invoice.taxes.items()} == tax
    assert invoice.gross == Money(gross)


def test_tax_is_worked_out_per_rate():
    lines = [Line(f"sample {number}", 1, Money(7), "standard") for number in range(10)]
    assert draft("DE", *lines).gross == Money(83)


def test_draft_lines():
    invoice = add_line(Invoice("inv_1", "cus_1003", "DE"), TEA)
    invoice = add_line(invoice, POT)
    assert remove_line(invoice, 0).lines == (POT,)
    assert remove_line(invoice, 1).lines == (TEA,)


@pytest.mark.parametrize("place", [-1, 2, 99])
def test_remove_line_that_is_not_there(place):
    with pytest.raises(InvoiceError, match="has no line"):
        remove_line(draft(), place)


@pytest.mark.parametrize("count", [0, -1])
def test_add_line_needs_one(count):
    with pytest.raises(InvoiceError, match="at least one"):
        add_line(draft(), Line("nothing", count, Money(1)))


def test_issued_invoice_does_not_change(issued):
    with pytest.raises(InvoiceError, match="2026-00001 is issued, not draft"):
        add_line(issued, TEA)


def test_empty_draft_is_not_issued(book):
    with pytest.raises(InvoiceError, match="has no lines"):
        book.issue(Invoice("inv_1", "cus_1003", "DE"), DAY)


def test_numbers_run_through(book):
    days = [date(2025, 12, 30), date(2025, 12, 31), date(2026, 1, 1), date(2026, 1, 1)]
    numbers = [book.issue(draft(), day).number for day in days]
    assert numbers == ["2025-00001", "2025-00002", "2026-00001", "2026-00002"]


def test_payment_in_two_parts(book, issued):
    half = book.pay(issued.number, Payment(DAY, Money(3000), "transfer"))
    assert (half.state, half.open) == ("issued", Money(3721))
    full = book.pay(issued.number, Payment(DAY, Money(3721), "transfer"))
    assert (full.state, full.open) == ("paid", Money(0))


@pytest.mark.parametrize("region", ["DE", "FR", "GB", "US-CA", "US-OR"])
@pytest.mark.parametrize("parts", [1, 2, 3])
def test_instalments_close_an_invoice(book, region, parts):
    invoice = book.issue(draft(region), DAY)
    for amount in invoice.gross.split([1] * parts):
        assert invoice.state == "issued"
        invoice = book.pay(invoice.number, Payment(DAY, amount, "transfer"))
    assert (invoice.state, len(invoice.payments)) == ("paid", parts)


@pytest.mark.parametrize("cents", [6722, 10000])
def test_payment_too_large(book, issued, cents):
    with pytest.raises(InvoiceError, match="is more than"):
        book.pay(issued.number, Payment(DAY, Money(cents), "transfer"))


def test_refund(book, issued):
    book.pay(issued.number, Payment(DAY, issued.gross, "card"))
    back = book.refund(issued.number, Payment(DAY, Money(1000), "broken pot"))
    assert (back.paid, back.state) == (Money(5721), "issued")


@pytest.mark.parametrize("cents", [0, -5, 6722])
def test_refund_refused(book, issued, cents):
    book.pay(issued.number, Payment(DAY, issued.gross, "card"))
    with pytest.raises(InvoiceError, match="cannot pay back"):
        book.refund(issued.number, Payment(DAY, Money(cents), "no"))


def test_credit_note(book, issued):
    note = book.credit(issued.number, DAY)
    assert note.gross == -issued.gross
    assert note.credits == issued.number
    assert book.find(issued.number).state == "void"


def test_no_credit_note_for_a_paid_invoice(book, issued):
    book.pay(issued.number, Payment(DAY, Money(1), "transfer"))
    with pytest.raises(InvoiceError, match="refund it first"):
        book.credit(issued.number, DAY)


def test_unknown_number(book):
    with pytest.raises(InvoiceError, match="no invoice 2026-09999"):
        book.find("2026-09999")


def test_invoices_of_a_customer(book):
    for customer in ("cus_1001", "cus_1003", "cus_1001"):
        book.issue(draft(customer=customer), DAY)
    assert [invoice.number for invoice in book.of("cus_1001")] == ["2026-00003", "2026-00001"]


@pytest.mark.parametrize("days, late", [(0, 0), (TERMS_DAYS, 0), (TERMS_DAYS + 1, 1), (60, 46)])
def test_overdue(book, issued, days, late):
    found = book.overdue(DAY + timedelta(days=days))
    assert [number_of_days for _, number_of_days in found] == ([late] if late else [])


@pytest.mark.parametrize("days, sent", [(0, 0), (2, 0), (3, 1), (9, 1), (10, 2), (24, 3), (99, 3)])
def test_reminders(days, sent):
    assert reminders_sent(days) == sent


def test_render(issued):
    assert render(issued).splitlines() == [
        "Invoice 2026-00001",
        "Date 2026-03-02",
        "",
        "  2 x Assam leaf tea, 250 g                 $25.00",
        "  1 x Glass teapot, 1 l                     $34.00",
        "Net                                         $59.00",
        "Tax 7% (food)                                $1.75",
        "Tax 19% (standard)                           $6.46",
        "Total                                       $67.21",
    ]


def test_render_credit_note(book, issued):
    assert "Cancels invoice 2026-00001" in render(book.credit(issued.number, DAY))


def test_render_draft():
    assert render(draft()).startswith("Invoice (draft)\n\n")


@pytest.mark.parametrize("typed, month", [("2026-02", (2026, 2)), ("1999-12", (1999, 12))])
def test_parse_month(typed, month):
    assert parse_month(typed) == month


@pytest.mark.parametrize("typed", ["", "2026", "2026-13", "2026-00", "02-2026-01", "last"])
def test_parse_month_refuses(typed):
    with pytest.raises(ValueError, match="should look like"):
        parse_month(typed)


@pytest.mark.parametrize(
    "cents, shown", [(0, "0.00"), (5, "0.05"), (-5, "-0.05"), (123456, "1234.56")]
)
def test_decimal_text(cents, shown):
    assert decimal_text(Money(cents)) == shown


def test_csv(book, issued):
    book.issue(draft("US-OR", POT), date(2026, 4, 1))
    march = of_month(book.issued.values(), 2026, 3)
    assert to_csv(march).splitlines() == [
        ",".join(COLUMNS),
        "2026-00001,2026-03-02,cus_1003,DE,59.00,8.21,67.21,0.00,issued",
    ]


def test_reports(book, issued):
    book.issue(draft("US-OR", POT), DAY)
    book.credit(issued.number, DAY)
    invoices = list(book.issued.values())
    assert tax_report(invoices) == {"DE": Money(0), "US-OR": Money(0)}
    assert [invoice.region for invoice in untaxed(invoices)] == ["US-OR"]
    assert turnover(invoices) == Money(3400)
