"""Compact: a summary in the place of older steps, written from the originals.

A summary is a proposal. It is taken only where it is not empty and makes the request smaller;
a writer that fails changes nothing, and no text of its failure is ever sent. What a summary
covers is remembered, so that no step is sent beside its own summary and none is lost between
the summary and the recent steps; the next summary is written from this one and what came after.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from patch_agent.budget import Budget, ContextTooLarge
from patch_agent.messages import Usage
from patch_agent.policies.base import Built, PolicyState
from patch_agent.policies.carry import carried, proposal
from patch_agent.policies.history import layout
from patch_agent.policies.recent import check_keep, older_steps
from patch_agent.request import VOLATILITY, Request
from patch_agent.summaries import LIMIT, SummaryWriter, careful
from patch_agent.tokens import TokenCounter


@dataclass(frozen=True, slots=True)
class Compact:
    """Over `threshold` of the budget, puts a summary in the place of all but the newest steps.

    `keeps` are tried in order until the request fits the budget, each from the same start, so
    a call never sees more than one rewrite. Raises ContextTooLarge where the parts that no
    summary can shorten are over the threshold by themselves.
    """

    counter: TokenCounter
    budget: Budget
    write: SummaryWriter = field(default=careful)
    threshold: float = 0.8
    keeps: tuple[int, ...] = (6, 3, 1)
    limit: int = LIMIT

    def __post_init__(self) -> None:
        for keep in self.keeps:
            check_keep(keep)
        if not 0 < self.threshold <= 1:
            raise ValueError(f"threshold: expected a share of the budget, got {self.threshold!r}")

    def build(self, request: Request, state: PolicyState) -> Built:
        """The request as it is below the threshold, else with a new summary."""
        sent = carried(request, state)
        trigger = int(self.threshold * self.budget.limit)
        if sent.tokens(self.counter) <= trigger:
            return Built(sent, state)
        self._check_fixed(sent, trigger)
        best, spent = Built(sent, state), Usage()
        notes: list[str] = []
        for keep in self.keeps:
            tried = self._tried(request, state, keep)
            spent, notes = spent + tried.usage, [*notes, *tried.notes]
            if tried.request.tokens(self.counter) < best.request.tokens(self.counter):
                best = tried
            elif not tried.notes:
                notes.append(f"keep {keep}: the summary was not smaller than what it replaces")
            if best.request.tokens(self.counter) <= self.budget.limit:
                break
        return replace(best, usage=spent, notes=tuple(notes))

    def _check_fixed(self, request: Request, trigger: int) -> None:
        sizes = request.sizes(self.counter)
        fixed = {name: size for name, size in sizes.items() if name in _FIXED}
        if sum(fixed.values()) > trigger:
            raise ContextTooLarge(sum(fixed.values()), trigger, fixed)

    def _tried(self, request: Request, state: PolicyState, keep: int) -> Built:
        """The request with a summary that leaves `keep` steps, or as it was without one."""
        whole = layout(request.conversation)
        _, through = whole.cut(older_steps(whole.replied, keep))
        written = proposal(self.write, request, state, through, self.counter, self.limit)
        if isinstance(written, str):
            return Built(carried(request, state), state, notes=(f"keep {keep}: {written}",))
        after = replace(state, summary=written, covered=through)
        return Built(carried(request, after), after, written.usage)


_FIXED = frozenset(part for part, how in VOLATILITY.items() if how in ("fixed", "per task"))
