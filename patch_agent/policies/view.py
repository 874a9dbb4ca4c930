"""What a request will be under decisions taken so far: its size at once, its messages on demand.

Policies of ours decide on a view: so many leading steps gone, results cleared up to a place, a
summary. Only the request that is sent at the end is ever put together. Where the history allows
it a step is taken out by slicing and a size is a difference of running totals; where steps are
tangled (a late result beyond the cut, a pinned call) it is done one message at a time, with the
same outcome.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from patch_agent.messages import Message, system
from patch_agent.policies.history import (
    is_tangled,
    loose_pins,
    pinned_entries,
    staying,
    without,
)
from patch_agent.policies.index import Index
from patch_agent.policies.known import indexed
from patch_agent.policies.lines import Lines, is_plain, lines_of
from patch_agent.policies.marks import marked
from patch_agent.policies.placeholders import Form
from patch_agent.policies.state import PolicyState
from patch_agent.request import PARTS, Entry, Part, Request, fixed_part
from patch_agent.summaries import Summary
from patch_agent.tokens import TokenCounter


@dataclass(frozen=True, slots=True)
class View:
    """A request with decisions that are not yet carried out.

    `entries` are those of the history before any decision. The results of messages before
    `cleared` are cleared; the first `gone` steps are left out, all but those that have to stay
    and the messages in `spared`, which are sent as they are.
    """

    request: Request
    entries: tuple[Entry, ...]
    index: Index
    form: Form
    spared: frozenset[int] = frozenset()
    cleared: int = 0
    gone: int = 0
    note: str = ""
    summary: Summary | None = None
    marks: bool = False

    def lines(self, counter: TokenCounter) -> Lines:
        """The running totals of the history, by this counter, read to its end."""
        lines = lines_of(self.entries, self.index, self.form, counter)
        lines.read(len(self.entries))
        return lines

    def size(self, counter: TokenCounter) -> int:
        """Tokens of the whole request."""
        return sum(self.sizes(counter).values())

    def sizes(self, counter: TokenCounter) -> dict[str, int]:
        """Tokens of each part."""
        sizes = {
            part.id: _part_tokens(part, counter, self.index)
            for part in self.request.parts
            if part.id != "history"
        }
        if self.summary is not None:
            sizes["summary"] = counter.message(self.summary.message)
        if self.entries:
            sizes["history"] = self._history(counter)
        return {part: sizes[part] for part in PARTS if part in sizes}

    def _history(self, counter: TokenCounter) -> int:
        if is_tangled(self.index, self.gone, self.spared):
            return counter.messages(entry.message for entry in self._slow())
        lines = self.lines(counter)
        start, clear, end = self._stretches(lines)
        total = lines.cleared_sum[clear] - lines.cleared_sum[start]
        total += lines.sent_sum[end] - lines.sent_sum[clear]
        for place in self._spared(lines, end):
            if place >= start:
                sums = lines.cleared_sum if place < clear else lines.sent_sum
                total += counter.message(self.entries[place].message)
                total -= sums[place + 1] - sums[place]
        early = self._early(lines, start)
        total += sum(counter.message(entry.message) for entry in early)
        return total + (counter.message(self._note().message) if self.note else 0)

    def render(self) -> Request:
        """The request itself; the one that was given where nothing was decided."""
        request = self.request
        if self.gone or self.cleared or self.form.cap is not None:
            entries = self._rendered()
            if entries != self.entries:
                request = request.with_part(Part("history", entries))
        if self.summary is not None:
            request = request.with_part(fixed_part("summary", [self.summary.message]))
        return marked(request) if self.marks else request

    def _rendered(self) -> tuple[Entry, ...]:
        if is_tangled(self.index, self.gone, self.spared):
            return self._slow()
        lines = self.lines(self._counter())
        start, clear, end = self._stretches(lines)
        sent = [*lines.cleared[start:clear], *lines.sent[clear:end]]
        for place in self._spared(lines, end):
            if place >= start:
                sent[place - start] = self.entries[place]
        note = [self._note()] if self.note else []
        return (*self._early(lines, start), *note, *sent)

    def _stretches(self, lines: Lines) -> tuple[int, int, int]:
        """Where the history begins that is sent, where it is sent uncleared, and where it ends."""
        end = len(self.entries)
        start = lines.at(self.index.start(self.gone), end) if self.gone else 0
        clear = max(start, lines.at(self.cleared, end))
        lines.read_cleared(clear)
        return start, clear, end

    def _early(self, lines: Lines, start: int) -> list[Entry]:
        """The entries before the first `start` that stay."""
        if not start:
            return []
        clear = lines.at(self.cleared, start)
        spared = {place for place in self._spared(lines, start) if place < start}
        kept = spared.union(lines.loose[: bisect_left(lines.loose, start)])
        systems = self.index.systems
        wanted = systems[: bisect_left(systems, self.index.start(self.gone))]
        wanted += [
            place
            for step in staying(self.index, self.gone)
            for place in self.index.members[step - 1]
        ]
        positions = (lines.position(place, start) for place in wanted)
        kept.update(position for position in positions if position is not None)
        lines.read_cleared(clear)
        return [
            self.entries[place]
            if place in spared
            else (lines.cleared if place < clear else lines.sent)[place]
            for place in sorted(kept)
        ]

    def _spared(self, lines: Lines, end: int) -> Iterator[int]:
        places = (lines.position(place, end) for place in self.spared)
        return (place for place in places if place is not None)

    def _slow(self) -> tuple[Entry, ...]:
        lines, end = self.lines(self._counter()), len(self.entries)
        clear = lines.at(self.cleared, end)
        lines.read_cleared(clear)
        sent = [*lines.cleared[:clear], *lines.sent[clear:end]]
        for place in self._spared(lines, end):
            sent[place] = self.entries[place]
        gone = frozenset(range(1, self.gone + 1)) - staying(self.index, self.gone)
        kept = without(tuple(sent), self.index, gone, self.spared)
        if not self.note:
            return kept
        start = self.index.start(self.gone)
        first = (n for n, entry in enumerate(kept) if (entry.index or 0) >= start)
        at = next(first, len(kept))
        return (*kept[:at], self._note(), *kept[at:])

    def with_state(self, state: PolicyState) -> View:
        """The view with the summary so far and without the steps that are gone by now."""
        if state.covered > len(self.index.messages) or state.trimmed > len(self.index.messages):
            raise ValueError(
                f"covered: the summary reaches message {state.covered} of a conversation"
                f" of {len(self.index.messages)}"
            )
        covered = state.covered if state.summary is not None else 0
        gone = self.index.before(max(covered, state.trimmed))
        return replace(self, summary=state.summary, gone=max(self.gone, gone))

    def _counter(self) -> TokenCounter:
        if self.form.counter is None:
            raise ValueError("view: no counter was given")
        return self.form.counter

    def using(
        self,
        counter: TokenCounter,
        exclude: frozenset[str] | None = None,
        cap: int | None = None,
    ) -> View:
        """The view with this counter for what is shortened from now on.

        Another form than the one by which results were shortened before is taken up from the
        request as it then is.
        """
        old = self.form
        shortened = self.cleared > 0 or old.cap is not None
        form = Form(
            old.counter if shortened and old.counter else counter,
            old.exclude if exclude is None else exclude,
            old.cap if cap is None else cap,
        )
        if form == old:
            return self
        lasting = (form.exclude, form.counter) == (old.exclude, old.counter)
        if shortened and not (lasting and old.cap is None):
            return view_of(self.render(), counter).using(counter, exclude, cap)
        return replace(self, form=form)

    def _note(self) -> Entry:
        return Entry(note_message(self.note))


def note_message(text: str) -> Message:
    """A note of the harness's in the history: a system message, never a turn of the user's."""
    return system(text, name="history")


def view_of(request: Request, counter: TokenCounter | None = None) -> View:
    """The view of a request before any decision; its pinned messages are spared."""
    index = indexed(request.conversation)
    entries = request.part("history").entries
    if is_plain(entries, index):
        carriers = (index.carrier(pin, len(entries)) for pin in loose_pins(request))
        spared = frozenset(place for place in carriers if place is not None)
    else:
        spared = pinned_entries(request)
    return View(request, entries, index, Form(counter), spared)


def sparing_latest(view: View) -> View:
    """The view with the user's latest words spared, wherever they stand."""
    asked = view.index.asked
    return view if asked is None else replace(view, spared=view.spared | {asked})


def _part_tokens(part: Part, counter: TokenCounter, index: Index) -> int:
    known: dict[int, tuple[Any, ...]] = index.cache.setdefault("parts", {})
    found = known.get(id(part))
    if found is None or found[0] is not part or found[1] is not counter:
        if len(known) > 100:
            known.clear()
        found = known[id(part)] = (part, counter, part.tokens(counter))
    return int(found[2])
