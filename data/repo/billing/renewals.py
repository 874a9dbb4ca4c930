"""Renewals: charging subscriptions when their next period begins.

Once a day the job `renew_all` charges the subscriptions that are due on that
billing day. The card that was saved at the purchase may be charged for as long
as the session of the purchase lasts; after that the customer has to sign in
again. A charge that fails is tried again some days later, and after the last
attempt the subscription ends.

Billing days are days in UTC, everywhere: a subscription must not be charged a
day early or late because the office has moved.
"""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Protocol

from auth.session import is_live
from billing.invoices import Book, Invoice, Line, Payment, add_line
from billing.money import Money
from billing.plans import Plan, period_end
from store.settings import Settings
from store.tables import Record, Sequence, Table

RETRY_DAYS = 3
NOTICE_DAYS = 7


class Gateway(Protocol):
    """The service that takes the money."""

    def charge(self, card: str, amount: Money, reference: str) -> bool:
        """Charge a saved card; False where the bank says no."""


@dataclass(frozen=True)
class Renewal:
    """What became of one subscription on one billing day."""

    subscription: str
    outcome: str
    reason: str = ""
    invoice: Invoice | None = None


def day_start(day: date, settings: Settings) -> datetime:
    """The moment at which a billing day begins."""
    return datetime.combine(day, time.min, tzinfo=settings.zone)


def billing_day(moment: datetime) -> date:
    """The billing day that a moment belongs to."""
    if moment.tzinfo is None:
        raise ValueError("a billing day needs a moment with a time zone")
    return moment.astimezone(UTC).date()


def is_due(subscription: Record, day: date) -> bool:
    """Whether a subscription is to be charged on a billing day."""
    if subscription["status"] not in ("active", "past_due"):
        return False
    return date.fromisoformat(str(subscription["next_charge"])) <= day


@dataclass
class Renewals:
    """The daily job, with all that it needs."""

    subscriptions: Table
    sessions: Table
    plans: dict[str, Plan]
    book: Book
    gateway: Gateway
    settings: Settings
    ids: Sequence

    def renew_all(self, day: date) -> list[Renewal]:
        """Charge all that is due; one failure does not stop the rest."""
        due = self.subscriptions.select(lambda record: is_due(record, day))
        return [self.renew(str(record["id"]), day) for record in due]

    def renew(self, subscription: str, day: date) -> Renewal:
        """Charge one subscription for its next period."""
        record = self.subscriptions.get(subscription)
        if not is_due(record, day):
            return Renewal(subscription, "skipped", "not due")
        if record["cancel_at_end"]:
            self.subscriptions.update(subscription, status="ended")
            return Renewal(subscription, "ended", "cancelled by the customer")
        plan = self.plans[str(record["plan"])]
        if plan.retired:
            self.subscriptions.update(subscription, status="ended")
            return Renewal(subscription, "ended", "plan is no longer offered")
        if not self.may_charge(record, day):
            return self._failed(record, day, "session of the saved card is over")
        draft = self.draft(record, plan, day)
        if not self.gateway.charge(str(record["card"]), draft.gross, draft.id):
            return self._failed(record, day, "declined by the bank")
        invoice = self.book.issue(draft, day)
        payment = Payment(day, invoice.gross, f"card {record['card']}")
        invoice = self.book.pay(str(invoice.number), payment)
        self._move_on(record, plan)
        return Renewal(subscription, "charged", "", invoice)

    def may_charge(self, record: Record, day: date) -> bool:
        """Whether the session of the purchase still lasts when the day begins."""
        session = self.sessions.find(record["session"])
        if session is None or session["customer"] != record["customer"]:
            return False
        return is_live(session, day_start(day, self.settings), self.settings)

    def draft(self, record: Record, plan: Plan, day: date) -> Invoice:
        """The invoice for the period that begins now."""
        start = date.fromisoformat(str(record["period_start"]))
        begins = period_end(start, plan)
        ends = period_end(begins, plan) - timedelta(days=1)
        text = f"{plan.name}, {begins.isoformat()} to {ends.isoformat()}"
        empty = Invoice(self.ids.take(), str(record["customer"]), str(record["region"]))
        return add_line(empty, Line(text, 1, plan.price, str(record.get("rate", "food"))))

    def _move_on(self, record: Record, plan: Plan) -> None:
        start = period_end(date.fromisoformat(str(record["period_start"])), plan)
        self.subscriptions.update(
            record["id"],
            status="active",
            attempts=0,
            period_start=start.isoformat(),
            next_charge=period_end(start, plan).isoformat(),
        )

    def _failed(self, record: Record, day: date, reason: str) -> Renewal:
        attempts = int(str(record["attempts"])) + 1
        if attempts >= self.settings.renewal_attempts:
            self.subscriptions.update(record["id"], status="ended", attempts=attempts)
            return Renewal(str(record["id"]), "ended", reason)
        again = (day + timedelta(days=RETRY_DAYS)).isoformat()
        self.subscriptions.update(
            record["id"], status="past_due", attempts=attempts, next_charge=again
        )
        return Renewal(str(record["id"]), "failed", reason)


def notices(subscriptions: Table, day: date) -> list[Record]:
    """Subscriptions whose customers are to be told today of the next charge."""
    wanted = (day + timedelta(days=NOTICE_DAYS)).isoformat()
    return [
        record
        for record in subscriptions.where(status="active", next_charge=wanted)
        if not record["cancel_at_end"]
    ]


def summary(renewals: list[Renewal]) -> dict[str, int]:
    """How many renewals had which outcome."""
    counts: dict[str, int] = {}
    for renewal in renewals:
        counts[renewal.outcome] = counts.get(renewal.outcome, 0) + 1
    return counts


def takings(renewals: list[Renewal], currency: str = "USD") -> Money:
    """What the charged renewals brought in, with tax."""
    result = Money(0, currency)
    for renewal in renewals:
        if renewal.invoice is not None and renewal.invoice.currency == currency:
            result = result + renewal.invoice.gross
    return result
