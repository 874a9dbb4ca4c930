"""Where the shop gets the time from.

No other module asks the machine for the time: a clock is handed in, so that a
test can stand still at any moment it likes.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone


@dataclass
class Clock:
    """A clock whose hands are moved by `source`."""

    source: Callable[[], datetime]

    def now(self) -> datetime:
        """The present moment, in UTC."""
        moment = self.source()
        if moment.tzinfo is None:
            raise ValueError("a clock needs moments with a time zone")
        return moment.astimezone(UTC)

    def today(self, zone: timezone) -> date:
        """The calendar day it is in `zone`."""
        return self.now().astimezone(zone).date()


class StoppedClock(Clock):
    """A clock that moves only when it is told to."""

    def __init__(self, moment: datetime) -> None:
        self.moment = moment
        super().__init__(lambda: self.moment)

    def advance(self, **amount: float) -> None:
        """Move on by the keyword arguments of `timedelta`."""
        self.moment += timedelta(**amount)


def system_clock() -> Clock:
    """The clock of the machine, for use outside tests."""
    return Clock(lambda: datetime.now(UTC))


def month_end(day: date) -> date:
    """The last day of the month that `day` lies in."""
    first_of_next = (day.replace(day=1) + timedelta(days=32)).replace(day=1)
    return first_of_next - timedelta(days=1)


def add_months(day: date, months: int) -> date:
    """The same day `months` later, or the month's last day where there is no such day.

    >>> add_months(date(2026, 1, 31), 1)
    datetime.date(2026, 2, 28)
    """
    index = day.year * 12 + day.month - 1 + months
    first = date(index // 12, index % 12 + 1, 1)
    return first.replace(day=min(day.day, month_end(first).day))
