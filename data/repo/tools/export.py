"""Reports as CSV, for the accountants' spreadsheet."""

import csv
import io
from collections.abc import Iterable
from datetime import date

from billing.invoices import Invoice
from billing.money import Money, total
from billing.tax import RATES

COLUMNS = ("number", "date", "customer", "region", "net", "tax", "gross", "paid", "state")


def parse_month(text: str) -> tuple[int, int]:
    """Year and month of a text such as `2026-02`."""
    year, hyphen, month = text.partition("-")
    if not (hyphen and year.isdigit() and month.isdigit() and 1 <= int(month) <= 12):
        raise ValueError(f"month {text!r} should look like 2026-02")
    return int(year), int(month)


def of_month(invoices: Iterable[Invoice], year: int, month: int) -> list[Invoice]:
    """The invoices issued in a month, in order of number."""
    found = [
        invoice
        for invoice in invoices
        if invoice.issued_on and (invoice.issued_on.year, invoice.issued_on.month) == (year, month)
    ]
    return sorted(found, key=lambda invoice: str(invoice.number))


def decimal_text(amount: Money) -> str:
    """An amount as spreadsheets like it: no symbol, no separators.

    >>> decimal_text(Money(-123456))
    '-1234.56'
    """
    sign = "-" if amount.cents < 0 else ""
    return f"{sign}{abs(amount.cents) // 100}.{abs(amount.cents) % 100:02d}"


def row(invoice: Invoice) -> dict[str, str]:
    """An invoice as a row of the report."""
    issued: date | None = invoice.issued_on
    return {
        "number": str(invoice.number),
        "date": issued.isoformat() if issued else "",
        "customer": invoice.customer,
        "region": invoice.region,
        "net": decimal_text(invoice.net),
        "tax": decimal_text(invoice.gross - invoice.net),
        "gross": decimal_text(invoice.gross),
        "paid": decimal_text(invoice.paid),
        "state": invoice.state,
    }


def to_csv(invoices: Iterable[Invoice]) -> str:
    """The report, with a line of column names."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(row(invoice) for invoice in invoices)
    return out.getvalue()


def tax_report(invoices: Iterable[Invoice]) -> dict[str, Money]:
    """Tax owed by region; void invoices and their credit notes cancel out."""
    owed: dict[str, Money] = {}
    for invoice in invoices:
        tax = invoice.gross - invoice.net
        owed[invoice.region] = owed.get(invoice.region, Money(0, tax.currency)) + tax
    return dict(sorted(owed.items()))


def untaxed(invoices: Iterable[Invoice]) -> list[Invoice]:
    """Invoices into regions for which we have no rates."""
    return [invoice for invoice in invoices if invoice.region not in RATES]


def turnover(invoices: Iterable[Invoice], currency: str = "USD") -> Money:
    """The net sum of invoices in a currency."""
    kept = [invoice.net for invoice in invoices if invoice.currency == currency]
    return total(kept, currency)
