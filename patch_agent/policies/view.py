"""What a request will be under decisions taken so far: its size at once, its messages on demand.

Policies of ours decide on a view: so many leading steps gone, results cleared up to a place, a
summary. Only the request that is sent at the end is ever put together. Where the history allows
it a step is taken out by slicing and a size is a difference of running totals (`sent`); where
steps are tangled (a late result beyond the cut, a pinned call) it is done one message at a time.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from patch_agent.policies.history import loose_pins, pinned_entries
from patch_agent.policies.index import Index
from patch_agent.policies.known import indexed
from patch_agent.policies.lines import Lines, is_plain, lines_of
from patch_agent.policies.marks import marked, sorted_tools
from patch_agent.policies.placeholders import Form
from patch_agent.policies.sent import Sent
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
    known: dict[TokenCounter, dict[str, int]] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )

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
        if counter in self.known:
            return self.known[counter]
        sizes = {
            part.id: _part_tokens(part, counter, self.index)
            for part in self.request.parts
            if part.id != "history"
        }
        if self.summary is not None:
            sizes["summary"] = counter.message(self.summary.message)
        if self.entries:
            sizes["history"] = self._sent(counter).tokens()
        ordered = {part: sizes[part] for part in PARTS if part in sizes}
        self.known[counter] = ordered
        return ordered

    def render(self) -> Request:
        """The request itself; the one that was given where nothing was decided."""
        request = self.request
        if self.gone or self.cleared or self.form.cap is not None:
            entries = self._sent(self._counter()).entries()
            if entries != self.entries:
                request = request.with_part(Part("history", entries))
        if self.summary is not None:
            request = request.with_part(fixed_part("summary", [self.summary.message]))
        return marked(request) if self.marks else request

    def _sent(self, counter: TokenCounter) -> Sent:
        lines = self.lines(counter)
        return Sent(lines, len(self.entries), self.spared, self.cleared, self.gone, self.note)

    def with_state(self, state: PolicyState) -> View:
        """The view with the summary so far and without the steps that are gone by now."""
        for name, reach in (("covered", state.covered), ("trimmed", state.trimmed)):
            if reach > len(self.index.messages):
                raise ValueError(
                    f"{name}: the state reaches message {reach} of a conversation"
                    f" of {len(self.index.messages)}"
                )
        covered = state.covered if state.summary is not None else 0
        gone = self.index.before(max(covered, state.trimmed))
        if state.summary is self.summary and gone <= self.gone:
            return self
        return replace(self, summary=state.summary, gone=max(self.gone, gone))

    def marked(self) -> View:
        """The view with tools in order and cache marks, which take no tokens."""
        view = replace(self, request=sorted_tools(self.request), marks=True)
        if view.request is self.request:
            view.known.update(self.known)
        return view

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
        if old.counter is counter and exclude in (None, old.exclude) and cap in (None, old.cap):
            return self
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
    if asked is None or asked in view.spared:
        return view
    return replace(view, spared=view.spared | {asked})


def _part_tokens(part: Part, counter: TokenCounter, index: Index) -> int:
    known: dict[int, tuple[Any, ...]] = index.cache.setdefault("parts", {})
    found = known.get(id(part))
    if found is None or found[0] is not part or found[1] is not counter:
        if len(known) > 100:
            known.clear()
        found = known[id(part)] = (part, counter, part.tokens(counter))
    return int(found[2])
