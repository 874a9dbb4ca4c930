"""Housekeeping that runs at night: drop what nobody can use any more.

Sessions stay for a while after their end, because support asks about them and
because billing looks at the session of a purchase. Guests' carts go sooner.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from auth.session import is_live
from store.cart import Cart
from store.settings import Settings
from store.tables import Record, Table

KEEP_SESSIONS = timedelta(days=60)


@dataclass(frozen=True)
class Report:
    """What a run of the cleanup removed."""

    sessions: int
    carts: int

    def __str__(self) -> str:
        return f"{self.sessions} sessions and {self.carts} carts removed"


def started(record: Record) -> datetime:
    """When a session was started."""
    return datetime.fromisoformat(str(record["started_at"])).replace(tzinfo=UTC)


def is_stale(record: Record, now: datetime, settings: Settings) -> bool:
    """Whether a session is over and was started long ago."""
    return not is_live(record, now, settings) and now - started(record) > KEEP_SESSIONS


def clean_up(sessions: Table, carts: dict[str, Cart], now: datetime, settings: Settings) -> Report:
    """Remove stale sessions, and the carts of sessions that are over."""
    live = {record["id"] for record in sessions if is_live(record, now, settings)}
    gone = [key for key in carts if key not in live]
    for key in gone:
        del carts[key]
    stale = sessions.select(lambda record: is_stale(record, now, settings))
    for record in stale:
        sessions.remove(record["id"])
    return Report(len(stale), len(gone))
