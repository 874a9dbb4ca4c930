"""Compact: a summary in the place of older steps, written from the originals.

A summary is a proposal. It is taken only where it is whole and makes the request smaller; what
it has to hold and does not is appended by code. A writer that fails or refuses changes nothing,
and no text of its failure is ever sent. What a summary covers is remembered, so that no step is
sent beside its own summary and none is lost between the summary and the recent steps; the next
summary is written from this one and what came after.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from patch_agent.budget import Budget, ContextTooLarge
from patch_agent.messages import Usage
from patch_agent.policies.base import Built, Decision
from patch_agent.policies.carry import Proposal, proposal
from patch_agent.policies.demands import Demands, Finder, completed, demands, invented, names_in
from patch_agent.policies.limits import (
    check_below,
    check_shares,
    check_steps,
    check_tokens,
    given,
)
from patch_agent.policies.recent import older_steps
from patch_agent.policies.state import PolicyState
from patch_agent.policies.view import View, sparing_latest, view_of
from patch_agent.request import VOLATILITY, Request
from patch_agent.summaries import LIMIT, Summary, SummaryWriter, careful
from patch_agent.tokens import TokenCounter, message_texts

Notes = tuple[str, ...]
_FIXED = frozenset(part for part, how in VOLATILITY.items() if how != "grows")


@dataclass(frozen=True, slots=True)
class Compact:
    """Over `threshold` of the budget, puts a summary in the place of all but the newest steps.

    `keeps` are tried in order, each from the same start, until the request is down to `target`
    (a share of the budget; the whole of it unless given), so a call never sees more than one
    rewrite. A summary has to free more than `progress` of the budget. After a compaction, tried
    or done, `pause` steps pass before the next, twice as many after each that failed, unless
    the request would not fit. `find` finds identifiers; without it nothing is demanded of a
    summary. Where the parts that no summary can shorten are over the threshold by themselves,
    nothing is summed up while the request fits, and a note names the largest; where they are over
    the budget, it raises ContextTooLarge.
    """

    counter: TokenCounter
    budget: Budget
    write: SummaryWriter = field(default=careful)
    threshold: float = 0.8
    keeps: tuple[int, ...] = (6, 3, 1)
    limit: int = LIMIT
    target: float | None = None
    progress: float = 0.0
    pause: int = 0
    find: Finder | None = names_in

    def __post_init__(self) -> None:
        for keep in self.keeps:
            check_steps(keep=keep)
        check_steps(pause=self.pause)
        check_tokens(limit=self.limit)
        check_shares(threshold=self.threshold, **given(target=self.target))
        check_below("threshold", self.threshold, self.target)
        if not isinstance(self.progress, int | float) or not 0 <= self.progress < 1:
            raise ValueError(f"progress: expected a share of the budget, got {self.progress!r}")

    def build(self, request: Request, state: PolicyState) -> Built:
        """The request as it is below the threshold, else with a new summary."""
        return self.decide(view_of(request, self.counter), state).built

    def decide(self, view: View, state: PolicyState) -> Decision:
        """The summary so far, or a new one."""
        view = sparing_latest(view).using(self.counter).with_state(state)
        size, trigger = view.size(self.counter), int(self.threshold * self.budget.limit)
        if size <= trigger or self._waits(view, state, size):
            return Decision(view, state)
        fixed = self._fixed(view)
        if sum(fixed.values()) > trigger and size <= self.budget.limit:
            return Decision(view, state, notes=(_cramped(fixed, trigger),))
        made = self._best(view, state, size)
        return replace(made, state=self._noted(view, made.state, made.state is not state))

    def _waits(self, view: View, state: PolicyState, size: int) -> bool:
        """True while the pause after the last attempt lasts and the request fits as it is."""
        if not self.pause or not state.attempted or size > self.budget.limit:
            return False
        doubled: int = 2 ** min(state.failed, 20)
        return view.index.replied < state.attempted + self.pause * doubled

    def _noted(self, view: View, state: PolicyState, taken: bool) -> PolicyState:
        if not self.pause:
            return state
        failed = 0 if taken else state.failed + 1
        return replace(state, attempted=view.index.replied, failed=failed)

    def _fixed(self, view: View) -> dict[str, int]:
        """Tokens of the parts that no summary can shorten. Raises ContextTooLarge."""
        sizes = view.sizes(self.counter)
        fixed = {name: size for name, size in sizes.items() if name in _FIXED}
        if sum(fixed.values()) > self.budget.limit:
            raise ContextTooLarge(sum(sizes.values()), self.budget.limit, sizes, _FIXED)
        return fixed

    def _best(self, view: View, state: PolicyState, size: int) -> Decision:
        """The first attempt that is down to the target, else the smallest that gains enough."""
        best, smallest = Decision(view, state), size
        spent, notes = Usage(), list[str]()
        aim = self.budget.limit if self.target is None else int(self.target * self.budget.limit)
        gain = int(self.progress * self.budget.limit)
        for keep, tried in self._attempts(view, state, aim):
            spent, reasons = spent + tried.usage, list(tried.notes)
            if tried.state is not state:
                after = tried.view.size(self.counter)
                if after < smallest and size - after > gain:
                    best, smallest = tried, after
                elif after >= smallest:
                    reasons.append("the summary was not smaller than what it replaces")
                else:
                    reasons.append(f"the summary frees {size - after:,} tokens, too few")
            notes += [f"keep {keep}: {reason}" for reason in reasons]
            if smallest <= aim:
                break
        if smallest > aim and best.state is not state:
            notes.append(f"{smallest:,} tokens are left, {aim:,} were wanted")
        return replace(best, usage=spent, notes=tuple(notes))

    def _attempts(self, view: View, state: PolicyState, aim: int) -> Iterator[tuple[int, Decision]]:
        """A decision for each number of steps kept; its state is the old one without a summary.

        Where not even an empty summary would do, the writer is asked for fewer steps at once.
        """
        last = -1
        for keep in self.keeps:
            _, through = view.index.cut(older_steps(view.index.replied, keep))
            if through == last and through > state.covered:
                continue
            bare = replace(view, gone=view.index.before(through), summary=None)
            if keep != self.keeps[-1] and through > state.covered:
                if bare.size(self.counter) > aim:
                    continue
            last = through
            yield keep, self._tried(view, state, through)

    def _tried(self, view: View, state: PolicyState, through: int) -> Decision:
        conversation = view.request.conversation
        made = proposal(self.write, conversation, state, through, self.counter, self.limit)
        if made.summary is None:
            return Decision(view, state, made.usage, (made.reason,))
        if self.find is None:
            return self._decision(view, state, made.summary, made.usage, ())
        wanted, beside = demands(conversation[:through], self.find), view.index.beside
        if beside is not None and beside < through:
            wanted = replace(wanted, rules=(*wanted.rules, conversation[beside].text))
        lacking = wanted.without(made.summary.text)
        missing = lacking.without(self._sent_anyway(view, through))
        made_up = invented(made.summary, view.request.messages + conversation, self.find)
        kept = len(wanted.names) - len(lacking.names)
        notes = [f"{kept} of {len(wanted.names)} identifiers kept"] if wanted.names else []
        notes += [f"{missing} appended"] if missing else []
        notes += [f"no step names {', '.join(made_up)}, which the summary does"] if made_up else []
        return self._fitted(view, state, made, missing, tuple(notes))

    def _fitted(
        self, view: View, state: PolicyState, made: Proposal, missing: Demands, notes: Notes
    ) -> Decision:
        """The summary with what is missing; names used last first where not all of them fit."""
        assert made.summary is not None
        high = len(missing.names)
        while True:
            summary = completed(made.summary, missing, high)
            whole = self._decision(view, state, summary, made.usage, notes)
            if high == 0 or whole.view.size(self.counter) <= self.budget.limit:
                break
            high //= 2
        if high < len(missing.names):
            out = len(missing.names) - high
            whole = replace(whole, notes=(*notes, f"{out} identifiers did not fit"))
        return whole

    def _decision(
        self, view: View, state: PolicyState, summary: Summary, usage: Usage, notes: Notes
    ) -> Decision:
        after = replace(state, summary=summary, covered=summary.through)
        return Decision(view.with_state(after), after, usage, notes)

    def _sent_anyway(self, view: View, through: int) -> str:
        """The texts that are sent beside the summary in any case: all other parts, and pins."""
        request = view.request
        parts = (part for part in request.parts if part.id not in ("history", "summary"))
        messages = [entry.message for part in parts for entry in part.entries]
        messages += [view.index.messages[place] for place in view.spared if place < through]
        return "\n".join(text for message in messages for text in message_texts(message))


def _cramped(fixed: dict[str, int], trigger: int) -> str:
    """That the fixed parts leave no room, with the largest of them."""
    largest, total = max(fixed, key=fixed.__getitem__), sum(fixed.values())
    return (
        f"no summary can help: the fixed parts alone take {total:,} tokens, and the threshold is"
        f" {trigger:,}; largest: {largest}, {fixed[largest]:,}"
    )
