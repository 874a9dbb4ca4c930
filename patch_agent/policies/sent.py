"""What of a history is sent: its tokens by subtraction, its entries by slicing.

Where steps are tangled they are taken out one message at a time, with the same outcome.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from patch_agent.messages import Message, system
from patch_agent.policies.history import is_tangled, staying, without
from patch_agent.policies.lines import Lines
from patch_agent.request import Entry


def note_message(text: str) -> Message:
    """A note of the harness's in the history: a system message, never a turn of the user's."""
    return system(text, name="history")


@dataclass(slots=True)
class Sent:
    """The first `end` entries of `lines` without the first `gone` steps.

    Results of messages before `cleared` are cleared, messages in `spared` sent as they are;
    `note` stands where the gap is.
    """

    lines: Lines
    end: int
    spared: frozenset[int]
    cleared: int
    gone: int
    note: str

    def tokens(self) -> int:
        """Tokens of what is sent, by the counter of the lines."""
        lines, counter = self.lines, self.lines.counter
        if is_tangled(lines.index, self.gone, self.spared):
            return counter.messages(entry.message for entry in self._one_by_one())
        start, clear = self._stretches()
        total = lines.cleared_sum[clear] - lines.cleared_sum[start] if clear > start else 0
        total += lines.sent_sum[self.end] - lines.sent_sum[clear]
        for place in self._spared(self.end):
            if place >= start:
                sums = lines.cleared_sum if place < clear else lines.sent_sum
                total += counter.message(lines.entries[place].message)
                total -= sums[place + 1] - sums[place]
        total += sum(counter.message(entry.message) for entry in self._early(start))
        return total + (counter.message(note_message(self.note)) if self.note else 0)

    def entries(self) -> tuple[Entry, ...]:
        """What is sent."""
        lines = self.lines
        if is_tangled(lines.index, self.gone, self.spared):
            return self._one_by_one()
        start, clear = self._stretches()
        sent = self._early(start)
        if self.note:
            sent.append(Entry(note_message(self.note)))
        shift = len(sent) - start
        sent += lines.cleared[start:clear]
        sent += lines.sent[clear : self.end]
        for place in self._spared(self.end):
            if place >= start:
                sent[place + shift] = lines.entries[place]
        return tuple(sent)

    def _stretches(self) -> tuple[int, int]:
        """Where the history begins that is sent, and where it is sent uncleared."""
        lines = self.lines
        start = lines.at(lines.index.start(self.gone), self.end) if self.gone else 0
        clear = lines.at(self.cleared, self.end)
        if clear <= start:
            return start, start
        lines.read_cleared(clear)
        return start, clear

    def _early(self, start: int) -> list[Entry]:
        """The entries before the first `start` that stay."""
        if not start:
            return []
        lines, index = self.lines, self.lines.index
        clear = lines.at(self.cleared, start)
        lines.read_cleared(clear)
        spared = {place for place in self._spared(start) if place < start}
        kept = spared.union(lines.loose[: bisect_left(lines.loose, start)])
        wanted = index.systems[: bisect_left(index.systems, index.start(self.gone))]
        wanted += [p for step in staying(index, self.gone) for p in index.members[step - 1]]
        positions = (lines.position(place, start) for place in wanted)
        kept.update(position for position in positions if position is not None)
        return [
            lines.entries[place]
            if place in spared
            else (lines.cleared if place < clear else lines.sent)[place]
            for place in sorted(kept)
        ]

    def _spared(self, end: int) -> Iterator[int]:
        """The positions of the messages that are sent as they are."""
        places = (self.lines.position(place, end) for place in self.spared)
        return (place for place in places if place is not None)

    def _one_by_one(self) -> tuple[Entry, ...]:
        lines, index = self.lines, self.lines.index
        clear = lines.at(self.cleared, self.end)
        lines.read_cleared(clear)
        sent = [*lines.cleared[:clear], *lines.sent[clear : self.end]]
        for place in self._spared(self.end):
            sent[place] = lines.entries[place]
        gone = frozenset(range(1, self.gone + 1)) - staying(index, self.gone)
        kept = without(tuple(sent), index, gone, self.spared)
        if not self.note:
            return kept
        start = index.start(self.gone)
        first = (n for n, entry in enumerate(kept) if (entry.index or 0) >= start)
        at = next(first, len(kept))
        return (*kept[:at], Entry(note_message(self.note)), *kept[at:])
