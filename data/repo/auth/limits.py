"""A brake on guessing: so many failures, then a pause.

Failures are counted per key, such as an e-mail address. Each further pause is
twice as long as the one before, up to a limit. A success clears the count.
"""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

FREE_FAILURES = 5
FIRST_PAUSE = timedelta(minutes=1)
LONGEST_PAUSE = timedelta(hours=1)
FORGET_AFTER = timedelta(hours=24)


class TooManyFailures(Exception):
    """No further attempt before `until`."""

    def __init__(self, until: datetime) -> None:
        super().__init__(f"wait until {until.isoformat()}")
        self.until = until


@dataclass
class Failures:
    """Failed attempts by key, with the time of the last one."""

    counts: dict[str, tuple[int, datetime]] = field(default_factory=dict)

    def check(self, key: str, now: datetime) -> None:
        """Raise TooManyFailures while a key has to wait."""
        until = self.until(key)
        if until is not None and now < until:
            raise TooManyFailures(until)

    def until(self, key: str) -> datetime | None:
        """The end of the pause of a key, if it has one."""
        count, last = self.counts.get(key, (0, None))
        if last is None or count < FREE_FAILURES:
            return None
        return last + pause(count)

    def fail(self, key: str, now: datetime) -> int:
        """Count a failure; the number of failures in a row."""
        count, last = self.counts.get(key, (0, now))
        if now - last > FORGET_AFTER:
            count = 0
        self.counts[key] = (count + 1, now)
        return count + 1

    def succeed(self, key: str) -> None:
        """Forget the failures of a key."""
        self.counts.pop(key, None)


def pause(failures: int) -> timedelta:
    """The pause after so many failures in a row."""
    if failures < FREE_FAILURES:
        return timedelta(0)
    doublings = min(failures - FREE_FAILURES, 10)
    return min(FIRST_PAUSE * 2**doublings, LONGEST_PAUSE)
