"""What several test modules share: recorded data, a bank, a client, and checks.

The files in `fixtures/` are one small shop on 2 March 2026, three in the
afternoon UTC. The auth tests and the billing tests read the same customers and
the same sessions.
"""

import json
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

from auth.session import Sessions, write_stamp
from billing.money import Money
from billing.renewals import Renewal, Renewals, day_start
from store.catalogue import Catalogue, Product
from store.settings import Settings
from store.tables import Table, load_table
from web.app import App
from web.messages import COOKIE, Response, make_request

FIXTURES = Path(__file__).parent / "fixtures"
NOW = datetime(2026, 3, 2, 15, 0, tzinfo=UTC)
PASSWORDS = {
    "ada@example.com": "correct horse 1",
    "bo@example.com": "ginger & lime 22",
    "carla@example.org": "zitronenmelisse",
    "dev@example.net": "two sugars please",
    "emil@example.com": "darjeeling-first",
    "fay@example.com": "old but still good",
    "sam@lindenmart.example": "support desk no 4",
    "ines@lindenmart.example": "ledger & ledger 9",
}


def recorded(name: str) -> Table:
    """A fresh table from a file in `fixtures/`."""
    return load_table(FIXTURES / f"{name}.json", name)


def recorded_catalogue() -> Catalogue:
    """The products in `fixtures/`, with their stock."""
    catalogue = Catalogue()
    for row in json.loads((FIXTURES / "products.json").read_text(encoding="utf-8")):
        price = Money(row["cents"])
        tags = tuple(row["tags"])
        product = Product(row["sku"], row["name"], price, row["grams"], row["rate"], tags)
        catalogue.add(product, row["on_hand"])
    return catalogue


@dataclass
class Bank:
    """A gateway that refuses cards called `empty-...` and notes every charge."""

    charges: list[tuple[str, str, str]] = field(default_factory=list)

    def charge(self, card: str, amount: Money, reference: str) -> bool:
        self.charges.append((card, str(amount), reference))
        return not card.startswith("empty")


@dataclass
class Browser:
    """A client that keeps its cookie, as a browser does."""

    app: App
    cookie: str = ""

    def send(self, method: str, target: str, data: object = None) -> Response:
        headers = {"Cookie": f"{COOKIE}={self.cookie}"} if self.cookie else {}
        response = self.app.handle(make_request(method, target, data, headers))
        cookie = response.header("Set-Cookie")
        if cookie is not None:
            self.cookie = cookie.partition(";")[0].partition("=")[2]
        return response

    def sign_in(self, email: str, **more: object) -> Response:
        """Sign in with the password that belongs to the e-mail address."""
        return self.send("POST", "/login", {"email": email, "password": PASSWORDS[email], **more})


def session_that_ended(sessions: Sessions, customer: str, ago: timedelta) -> str:
    """A token whose session ran out some time ago."""
    token = sessions.start(customer)
    session = token.partition(".")[0]
    ended = sessions.clock.now() - ago
    sessions.table.update(session, expires_at=write_stamp(ended))
    return token


def assert_charged(renewal: Renewal, renewals: Renewals, day: date) -> None:
    """Check that a subscription was charged; if not, say what would let it be."""
    __tracebackhide__ = True
    if renewal.outcome != "charged":
        raise AssertionError("\n".join(explain(renewal, renewals, day)))


def explain(renewal: Renewal, renewals: Renewals, day: date) -> list[str]:
    """Why a renewal was not charged, and the changes that come into question."""
    subscription = renewals.subscriptions.get(renewal.subscription)
    session = renewals.sessions.get(subscription["session"])
    start = day_start(day, renewals.settings)
    stamp = str(session["expires_at"])
    lines = [
        f"{renewal.subscription} {renewal.outcome}, not charged: {renewal.reason}",
        f"{session['id']} expires at {stamp}, billing day {day} begins at {write_stamp(start)}",
    ]
    if stamp <= write_stamp(start):
        longer = write_stamp(start + timedelta(minutes=30))
        lines.append(
            change("tests/fixtures/sessions.json", expiry_field(stamp), expiry_field(longer))
        )
    if start != datetime.combine(day, time.min, tzinfo=UTC):
        line = "return datetime.combine(day, time.min, tzinfo={})"
        lines.append(
            change("billing/renewals.py", line.format("settings.zone"), line.format("UTC"))
        )
    return lines


def change(path: str, old: str, new: str) -> str:
    """A sentence that proposes an edit."""
    path, old, new = (f"`{text}`" for text in (path, old, new))
    return f"In {path} replace {old} with {new}."


def expiry_field(stamp: str) -> str:
    """The field of a session as it stands in its file."""
    return f'"expires_at": "{stamp}"'


def make_settings() -> Settings:
    """Settings with few password rounds, for speed."""
    return Settings(b"not a secret, only long enough", password_rounds=1000)
