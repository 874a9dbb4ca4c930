"""Trim: past a limit the oldest steps go, and a note says so.

Turns before the current one go as a whole. A coding run is often one message of the user's and
hundreds of steps, so inside the current turn single steps go. The note is there so that the
model reads again what it needs, and does not believe that it never looked.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace

from patch_agent.policies.base import Built, Decision
from patch_agent.policies.history import staying
from patch_agent.policies.index import Index
from patch_agent.policies.limits import check_below, check_steps, check_tokens, given
from patch_agent.policies.state import PolicyState
from patch_agent.policies.view import View, sparing_latest, view_of
from patch_agent.request import Request
from patch_agent.tokens import TokenCounter


def trim_note(steps: int, tokens: int) -> str:
    """What stands in the place of so many steps."""
    what = "1 earlier step was" if steps == 1 else f"{steps:,} earlier steps were"
    return (
        f"[{what} left out here by the harness, {tokens:,} tokens. What they showed is not in"
        " this request; to see it, call the tools again.]"
    )


@dataclass(frozen=True, slots=True)
class Trim:
    """Over `limit` tokens, leaves out the oldest steps until `target` is reached.

    `target` is half of the limit unless given, so that the next requests begin alike. System
    messages, pins and the user's latest words stay, and at least the last `keep` steps; a step
    that waits for a result stays too.
    """

    counter: TokenCounter
    limit: int
    target: int | None = None
    keep: int = 2

    def __post_init__(self) -> None:
        check_tokens(limit=self.limit, **given(target=self.target))
        check_steps(least=2, keep=self.keep)
        check_below("limit", self.limit, self.target)

    def build(self, request: Request, state: PolicyState) -> Built:
        """The request without its oldest steps, and the cut in its state."""
        return self.decide(view_of(request, self.counter), state).built

    def decide(self, view: View, state: PolicyState) -> Decision:
        """Where the cut is now."""
        view = sparing_latest(view).using(self.counter)
        if state.trimmed:
            view = self._cut(view, view.index.before(state.trimmed))
        if view.size(self.counter) <= self.limit:
            return Decision(view, state)
        gone = self._fewest(view)
        if gone <= view.gone:
            return Decision(view, state)
        return Decision(self._cut(view, gone), replace(state, trimmed=view.index.start(gone)))

    def _fewest(self, view: View) -> int:
        """The fewest steps that have to go for the target, or as many as may go at all."""
        index = view.index
        target = self.limit // 2 if self.target is None else self.target
        most = index.whole_steps(max(0, index.replied - self.keep))
        low, high = view.gone, most
        while low < high:
            middle = (low + high) // 2
            size = self._cut(view, _whole_turns(index, middle, most)).size(self.counter)
            low, high = (low, middle) if size <= target else (middle + 1, high)
        return _whole_turns(index, low, most)

    def _cut(self, view: View, gone: int) -> View:
        """The view without the first `gone` steps, and with the note that stands for them."""
        if gone <= view.gone and not view.note:
            return view
        start = 0 if view.note else view.gone
        tokens = self._left_out(view, start, gone)
        note, beside = trim_note(gone - start, tokens), view.index.beside
        if beside is not None and view.index.home[beside] <= gone:
            note += f' The user\'s latest words: "{view.index.messages[beside].text}"'
        return replace(view, gone=gone, note=note)

    def _left_out(self, view: View, start: int, gone: int) -> int:
        """Tokens that the steps after `start` up to `gone` take, but for what of them stays.

        The same for every later request, as long as the same of them stays.
        """
        lines = view.lines(self.counter)
        known: dict[object, int] = view.index.cache.setdefault("left out", {})
        stays = frozenset(staying(view.index, gone))
        key = (self.counter, view.form, start, gone, view.spared, stays)
        lasting = lines.plain and not view.index.odd
        if not lasting or key not in known:
            whole = replace(view, gone=start, note="", cleared=0)
            tokens = whole.size(self.counter) - replace(whole, gone=gone).size(self.counter)
            if not lasting:
                return tokens
            if len(known) > 100:
                known.clear()
            known[key] = tokens
        return known[key]


def _whole_turns(index: Index, number: int, most: int) -> int:
    """At least `number` steps, at most `most`: turns that end before `most` go as a whole."""
    starts = index.turns
    after = bisect_right(starts, number)
    end = starts[after] - 1 if after < len(starts) else most + 1
    if number == 0 or number == end:
        return number
    return index.whole_steps(end if end <= most else number)
