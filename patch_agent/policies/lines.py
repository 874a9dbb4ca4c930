"""The entries of a history in the forms in which they may be sent, with running totals.

Each entry is read once. The totals make the size of any stretch of a history one subtraction,
so that a policy can weigh one cut against another without counting again.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from operator import attrgetter

from patch_agent.policies.index import Index
from patch_agent.policies.placeholders import Form
from patch_agent.request import Entry
from patch_agent.tokens import TokenCounter

_INDEX, _MESSAGE = attrgetter("index"), attrgetter("message")
_KEPT = 8


class Lines:
    """Entries as they are sent whole (long results clipped) and with their results cleared.

    `sent_sum[n]` and `cleared_sum[n]` are the tokens of the first n. `places[n]` is the place of
    entry n in the conversation; one that has none takes that of the entry before it, and is
    among the `loose`. `plain` where the entries are the conversation's own from its start.
    """

    def __init__(
        self, entries: Sequence[Entry], index: Index, form: Form, counter: TokenCounter, plain: bool
    ) -> None:
        self.entries, self.index, self.form, self.counter = entries, index, form, counter
        self.sent: list[Entry] = []
        self.cleared: list[Entry] = []
        self.sent_sum, self.cleared_sum = [0], [0]
        self.plain = plain
        self.loose = [n for n, entry in enumerate(entries) if entry.index is None and not plain]
        self.places: list[int] = [] if plain else _places(entries)

    def read(self, end: int) -> None:
        """Reads the first `end` entries."""
        for entry in self.entries[len(self.sent) : end]:
            sent = self.form.sent(entry, self.index)
            self.sent.append(sent)
            self.sent_sum.append(self.sent_sum[-1] + self.counter.message(sent.message))

    def read_cleared(self, end: int) -> None:
        """Reads the first `end` entries and what they are with their results cleared."""
        self.read(end)
        for place in range(len(self.cleared), end):
            entry, sent = self.entries[place], self.sent[place]
            cleared = self.form.cleared(entry, sent, self.index)
            size = self.counter.message(cleared.message)
            self.cleared.append(cleared)
            self.cleared_sum.append(self.cleared_sum[-1] + size)

    def is_sound(self) -> bool:
        """False where reading was interrupted between an entry and its size."""
        return len(self.sent) + 1 == len(self.sent_sum) and (
            len(self.cleared) + 1 == len(self.cleared_sum)
        )

    def at(self, place: int, end: int) -> int:
        """The position of the first entry, of `end`, that stands at this place or after it."""
        return min(place, end) if self.plain else bisect_left(self.places, place, 0, end)

    def position(self, place: int, end: int) -> int | None:
        """The position of the message with this place; None where it is not there."""
        if self.plain:
            return place if place < end else None
        at = bisect_left(self.places, place, 0, end)
        found = at < end and self.entries[at].index == place
        return at if found else None


def _places(entries: Sequence[Entry]) -> list[int]:
    places, last = [], -1
    for entry in entries:
        last = last if entry.index is None else entry.index
        places.append(last)
    return places


def lines_of(entries: tuple[Entry, ...], index: Index, form: Form, counter: TokenCounter) -> Lines:
    """The lines of these entries; those of a conversation's own entries are kept and carried on."""
    plain = is_plain(entries, index)
    known: list[Lines] = index.cache.setdefault("lines", [])
    for place, one in enumerate(known):
        same = one.plain if plain else one.entries is entries
        if same and one.counter is counter and one.form == form and one.is_sound():
            known.insert(0, known.pop(place))
            return one
    source = index.entries if plain else entries
    known.insert(0, Lines(source, index, form, counter, plain))
    del known[_KEPT:]
    return known[0]


def is_plain(entries: tuple[Entry, ...], index: Index) -> bool:
    """True for the first entries of the conversation, just as they are in it."""
    known: list[tuple[Entry, ...]] = index.cache.setdefault("plain", [])
    if any(one is entries for one in known):
        return True
    count = len(entries)
    if (
        count > len(index.messages)
        or list(map(_INDEX, entries)) != list(range(count))
        or list(map(_MESSAGE, entries)) != index.messages[:count]
    ):
        return False
    note_plain(entries, index)
    return True


def note_plain(entries: tuple[Entry, ...], index: Index) -> None:
    """Remembers that these are the first entries of the conversation."""
    known: list[tuple[Entry, ...]] = index.cache.setdefault("plain", [])
    known.insert(0, entries)
    del known[_KEPT:]
