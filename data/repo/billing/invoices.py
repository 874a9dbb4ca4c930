"""Invoices: drafts, issued ones, payments and refunds.

A draft can be changed. An issued invoice has a number and never changes again:
what was wrong is put right by a credit note. Numbers run through without a gap
in each year, because the tax office asks for that.
"""

from dataclasses import dataclass, field, replace
from datetime import date, timedelta

from billing.money import Money, total
from billing.tax import rate, tax_on

TERMS_DAYS = 14
REMINDERS = (3, 10, 24)  # days after the due date


class InvoiceError(ValueError):
    """Something that cannot be done with an invoice in its present state."""


@dataclass(frozen=True)
class Line:
    """One line of an invoice; the price is net."""

    text: str
    count: int
    each: Money
    rate: str = "standard"

    @property
    def net(self) -> Money:
        return self.each * self.count


@dataclass(frozen=True)
class Payment:
    """Money that came in, or went back where the amount is negative."""

    day: date
    amount: Money
    reference: str


@dataclass(frozen=True)
class Invoice:
    """An invoice in one of the states draft, issued, paid or void."""

    id: str
    customer: str
    region: str
    lines: tuple[Line, ...] = ()
    number: str | None = None
    issued_on: date | None = None
    payments: tuple[Payment, ...] = ()
    credits: str | None = None
    voided: bool = False

    @property
    def currency(self) -> str:
        return self.lines[0].each.currency if self.lines else "USD"

    @property
    def net(self) -> Money:
        return total([line.net for line in self.lines], self.currency)

    @property
    def taxes(self) -> dict[str, Money]:
        """Tax by the name of its rate; worked out per rate, not per line."""
        nets: dict[str, Money] = {}
        for line in self.lines:
            nets[line.rate] = nets.get(line.rate, Money(0, self.currency)) + line.net
        return {name: tax_on(net, self.region, name) for name, net in nets.items()}

    @property
    def gross(self) -> Money:
        return self.net + total(self.taxes.values(), self.currency)

    @property
    def paid(self) -> Money:
        return total([payment.amount for payment in self.payments], self.currency)

    @property
    def open(self) -> Money:
        return self.gross - self.paid

    @property
    def due_on(self) -> date | None:
        return self.issued_on + timedelta(days=TERMS_DAYS) if self.issued_on else None

    @property
    def state(self) -> str:
        if self.voided:
            return "void"
        if self.number is None:
            return "draft"
        return "issued" if self.open else "paid"


def add_line(invoice: Invoice, line: Line) -> Invoice:
    """A draft with one more line."""
    _expect(invoice, "draft")
    if line.count < 1:
        raise InvoiceError(f"{line.text}: at least one")
    return replace(invoice, lines=(*invoice.lines, line))


def remove_line(invoice: Invoice, place: int) -> Invoice:
    """A draft without one of its lines, counted from nought."""
    _expect(invoice, "draft")
    if not 0 <= place < len(invoice.lines):
        raise InvoiceError(f"{invoice.id} has no line {place}")
    return replace(invoice, lines=invoice.lines[:place] + invoice.lines[place + 1 :])


@dataclass
class Book:
    """Hands out invoice numbers and keeps the issued invoices."""

    issued: dict[str, Invoice] = field(default_factory=dict)
    _last: dict[int, int] = field(default_factory=dict)

    def issue(self, invoice: Invoice, day: date) -> Invoice:
        """Give a draft its number and its date."""
        _expect(invoice, "draft")
        if not invoice.lines:
            raise InvoiceError(f"{invoice.id} has no lines")
        self._last[day.year] = self._last.get(day.year, 0) + 1
        number = f"{day.year}-{self._last[day.year]:05d}"
        done = replace(invoice, number=number, issued_on=day)
        self.issued[number] = done
        return done

    def pay(self, number: str, payment: Payment) -> Invoice:
        """Book a payment; more than is open is refused."""
        invoice = self.find(number)
        _expect(invoice, "issued")
        if invoice.open < payment.amount:
            raise InvoiceError(f"{number}: {payment.amount} is more than {invoice.open}")
        return self._keep(replace(invoice, payments=(*invoice.payments, payment)))

    def refund(self, number: str, payment: Payment) -> Invoice:
        """Pay back part of what was paid; `payment` holds a positive amount."""
        invoice = self.find(number)
        if payment.amount.cents <= 0 or invoice.paid < payment.amount:
            raise InvoiceError(f"{number}: cannot pay back {payment.amount}")
        back = replace(payment, amount=-payment.amount)
        return self._keep(replace(invoice, payments=(*invoice.payments, back)))

    def credit(self, number: str, day: date) -> Invoice:
        """Issue a credit note that cancels an unpaid invoice, and void it."""
        invoice = self.find(number)
        _expect(invoice, "issued")
        if invoice.paid:
            raise InvoiceError(f"{number} was paid in part: refund it first")
        lines = tuple(replace(line, each=-line.each) for line in invoice.lines)
        draft = Invoice(f"{invoice.id}-c", invoice.customer, invoice.region, lines)
        note = self.issue(replace(draft, credits=number), day)
        self._keep(replace(invoice, voided=True))
        return note

    def find(self, number: str) -> Invoice:
        """An issued invoice by its number."""
        if number not in self.issued:
            raise InvoiceError(f"no invoice {number}")
        return self.issued[number]

    def of(self, customer: str) -> list[Invoice]:
        """The issued invoices of a customer, the newest first."""
        found = [invoice for invoice in self.issued.values() if invoice.customer == customer]
        return sorted(found, key=lambda invoice: str(invoice.number), reverse=True)

    def overdue(self, day: date) -> list[tuple[Invoice, int]]:
        """Open invoices that are past their date, with the days they are late."""
        late = []
        for invoice in self.issued.values():
            if invoice.state == "issued" and invoice.due_on and invoice.due_on < day:
                late.append((invoice, (day - invoice.due_on).days))
        return sorted(late, key=lambda pair: -pair[1])

    def _keep(self, invoice: Invoice) -> Invoice:
        self.issued[str(invoice.number)] = invoice
        return invoice


def reminders_sent(days_late: int) -> int:
    """How many reminders a customer who is this late has had by now."""
    return sum(days_late >= after for after in REMINDERS)


def render(invoice: Invoice) -> str:
    """An invoice as plain text, as it is put into letters."""
    rows = [f"Invoice {invoice.number or '(draft)'}"]
    if invoice.issued_on:
        rows.append(f"Date {invoice.issued_on.isoformat()}")
    if invoice.credits:
        rows.append(f"Cancels invoice {invoice.credits}")
    rows.append("")
    for line in invoice.lines:
        rows.append(f"{line.count:>3} x {line.text:<32}{line.net!s:>12}")
    rows.append(f"{'Net':<38}{invoice.net!s:>12}")
    for name, tax in invoice.taxes.items():
        percent = f"{rate(invoice.region, name) * 100:f}".rstrip("0").rstrip(".") or "0"
        rows.append(f"{f'Tax {percent}% ({name})':<38}{tax!s:>12}")
    rows.append(f"{'Total':<38}{invoice.gross!s:>12}")
    return "\n".join(rows)


def _expect(invoice: Invoice, state: str) -> None:
    if invoice.state != state:
        raise InvoiceError(f"{invoice.number or invoice.id} is {invoice.state}, not {state}")
