"""ClearResults: old tool outputs become a line that says how much went and where it is kept.

Calls and their arguments stay, and each keeps its result under the same id. The boundary
advances several steps at a time and is remembered, so that consecutive requests begin alike.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from patch_agent.policies.base import Built, Decision
from patch_agent.policies.limits import check_steps, check_tokens, given
from patch_agent.policies.placeholders import is_placeholder, placeholder
from patch_agent.policies.recent import older_steps
from patch_agent.policies.state import PolicyState
from patch_agent.policies.view import View, view_of
from patch_agent.policies.worth import Worth
from patch_agent.request import Request
from patch_agent.tokens import TokenCounter

__all__ = ["ClearResults", "is_placeholder", "placeholder"]


@dataclass(frozen=True, slots=True)
class ClearResults:
    """Clears outputs older than the last `keep` steps, `every` steps at a time.

    Where `limit` is given the boundary moves only while the request is larger, in tokens;
    what was cleared stays cleared. Outputs of the tools in `exclude` are left alone, and so is
    an output that its placeholder would not make smaller. With `worth` the boundary stays where
    the cached tokens that a move invalidates cost more than it saves. An output that the model
    has not seen is left alone, but where a reader's experiment is `frozen` at a step.
    """

    counter: TokenCounter
    keep: int = 6
    every: int = 6
    limit: int | None = None
    exclude: frozenset[str] = frozenset()
    frozen: int | None = None
    worth: Worth | None = None

    def __post_init__(self) -> None:
        check_steps(keep=self.keep)
        check_steps(least=1, every=self.every)
        check_tokens(**given(limit=self.limit))

    def build(self, request: Request, state: PolicyState) -> Built:
        """The request with old outputs cleared, and the boundary in its state."""
        return self.decide(view_of(request, self.counter), state).built

    def decide(self, view: View, state: PolicyState) -> Decision:
        """Where the boundary is now."""
        view = view.using(self.counter, self.exclude)
        before = _at(view, max(view.cleared, state.cleared))
        if self.limit is not None and before.with_state(state).size(self.counter) <= self.limit:
            return _decided(before, state)
        after = _at(before, max(before.cleared, self._boundary(view)))
        if self.worth is not None and after is not before:
            freed, broken = self._edit(before, after)
            if not self.worth.pays(freed, broken):
                note = f"not cleared: {freed:,} tokens freed, {broken:,} invalidated"
                return _decided(before, state, (note,))
        return _decided(after, state)

    def _boundary(self, view: View) -> int:
        index = view.index
        older = older_steps(index.replied, self.keep, self.frozen)
        number = older - older % self.every
        place = index.start(number) if number else 0
        return place if self.frozen is not None else min(place, index.seen + 1)

    def _edit(self, before: View, after: View) -> tuple[int, int]:
        """Tokens that a move of the boundary frees, and those behind its first change."""
        lines, end = before.lines(self.counter), len(before.entries)
        last = lines.at(after.cleared, end)
        lines.read_cleared(last)
        first = lines.at(before.cleared, end)
        while first < last and lines.cleared[first] is lines.sent[first]:
            first += 1
        broken = lines.sent_sum[end] - lines.sent_sum[first]
        return before.size(self.counter) - after.size(self.counter), broken


def _at(view: View, place: int) -> View:
    return view if place == view.cleared else replace(view, cleared=place)


def _decided(view: View, state: PolicyState, notes: tuple[str, ...] = ()) -> Decision:
    moved = view.cleared != state.cleared
    return Decision(view, replace(state, cleared=view.cleared) if moved else state, notes=notes)
