"""Sessions: who is signed in, and until when.

A session is a record in the `sessions` table. Its times are stored as stamps:
ISO text in UTC, without an offset, such as `2026-03-01T04:30:00`. A session is
started at sign-in, found again through the token that the browser keeps, and
ended by signing out, by the clock, or by a change of password.

Billing reads sessions too: a subscription that was bought in a session with a
saved card may be renewed for as long as that session lasts.
"""

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime

from auth.tokens import make_token, read_token
from store.clock import Clock
from store.settings import Settings
from store.tables import Record, Sequence, Table

# A customer who signs in on one more device is signed out on the oldest.
MOST_SESSIONS = 5


class SessionError(Exception):
    """A session that cannot be used; `reason` is safe to show."""

    reason = "session"


class UnknownSession(SessionError):
    reason = "unknown session"


class EndedSession(SessionError):
    reason = "session was ended"


class ExpiredSession(SessionError):
    reason = "session has expired"


def write_stamp(moment: datetime) -> str:
    """The stamp of a moment, to the second."""
    if moment.tzinfo is None:
        raise ValueError("a stamp needs a moment with a time zone")
    utc = moment.astimezone(UTC).replace(tzinfo=None, microsecond=0)
    return utc.isoformat()


def read_stamp(stamp: str, settings: Settings) -> datetime:
    """The moment that a stamp stands for."""
    return datetime.fromisoformat(stamp).replace(tzinfo=settings.zone)


def is_live(record: Record, moment: datetime, settings: Settings) -> bool:
    """Whether a session can be used at a moment."""
    if record.get("ended_at") is not None:
        return False
    return moment < read_stamp(str(record["expires_at"]), settings)


@dataclass
class Sessions:
    """The sessions of the shop."""

    table: Table
    settings: Settings
    clock: Clock
    ids: Sequence

    def start(self, customer: str, remember: bool = False, device: str = "") -> str:
        """Open a session for a customer and return its token."""
        now = self.clock.now()
        self._make_room(customer)
        length = self.settings.session_length
        if remember:
            length = self.settings.remember_length
        session = self.ids.take()
        self.table.add(
            {
                "id": session,
                "customer": customer,
                "started_at": write_stamp(now),
                "expires_at": write_stamp(now + length),
                "ended_at": None,
                "remember": remember,
                "device": device or "unknown device",
            }
        )
        return make_token(session, now, self.settings.secret)

    def resume(self, token: str) -> Record:
        """The live session that a token belongs to.

        Raises BadToken for a token that we did not make, and a SessionError
        for a session that is unknown, ended or expired.
        """
        now = self.clock.now()
        claims = read_token(token, self.settings.secret, now)
        record = self.table.find(claims.session)
        if record is None:
            raise UnknownSession(claims.session)
        if record["ended_at"] is not None:
            raise EndedSession(claims.session)
        if not is_live(record, now, self.settings):
            raise ExpiredSession(claims.session)
        return record

    def extend(self, token: str) -> str:
        """Give a live session its full length again and return a new token."""
        record = self.resume(token)
        now = self.clock.now()
        length = self.settings.session_length
        if record["remember"]:
            length = self.settings.remember_length
        self.table.update(record["id"], expires_at=write_stamp(now + length))
        return make_token(str(record["id"]), now, self.settings.secret)

    def end(self, session: str) -> None:
        """Sign out; ending a session twice keeps the first time."""
        record = self.table.find(session)
        if record is None:
            raise UnknownSession(session)
        if record["ended_at"] is None:
            self.table.update(session, ended_at=write_stamp(self.clock.now()))

    def end_all(self, customer: str, keep: str | None = None) -> int:
        """End every open session of a customer but `keep`; the number ended."""
        open_ones = [
            str(record["id"])
            for record in self.table.where(customer=customer, ended_at=None)
            if record["id"] != keep
        ]
        for session in open_ones:
            self.end(session)
        return len(open_ones)

    def live(self, customer: str) -> list[Record]:
        """The live sessions of a customer, the newest first."""
        now = self.clock.now()
        records = self.table.where(customer=customer)
        usable = [record for record in records if is_live(record, now, self.settings)]
        return sorted(usable, key=lambda record: str(record["started_at"]), reverse=True)

    def devices(self, customer: str) -> Counter[str]:
        """How many open sessions a customer has on each kind of device."""
        records = self.table.where(customer=customer, ended_at=None)
        return Counter(str(record["device"]) for record in records)

    def adopt(self, session: str, customer: str) -> Record:
        """Hand a guest's session to the customer that the guest turned out to be.

        The cart comes along. A customer's session stays with that customer.
        """
        record = self.table.find(session)
        if record is None:
            raise UnknownSession(session)
        if record["ended_at"] is not None:
            raise EndedSession(session)
        if not str(record["customer"]).startswith("guest_"):
            raise SessionError(f"{session} is not a guest's")
        return self.table.update(session, customer=customer)

    def _make_room(self, customer: str) -> None:
        records = self.table.where(customer=customer, ended_at=None)
        records.sort(key=lambda record: str(record["started_at"]))
        for record in records[: max(0, len(records) - MOST_SESSIONS + 1)]:
            self.end(str(record["id"]))
