"""Summarised: a summary of all older steps on demand, for a reader who compares forms."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from patch_agent.policies.base import Built, Decision
from patch_agent.policies.carry import proposal
from patch_agent.policies.limits import check_steps
from patch_agent.policies.recent import older_steps
from patch_agent.policies.state import PolicyState
from patch_agent.policies.view import View, view_of
from patch_agent.request import Request
from patch_agent.summaries import LIMIT, SummaryWriter, careful
from patch_agent.tokens import TokenCounter


@dataclass(frozen=True, slots=True)
class Summarised:
    """Sums up all steps but the last `keep`, wanted or not: a reader's choice, no policy of cost.

    Steps after `frozen` stay as they are. The summary is taken as it was written, since what a
    bad one loses is what a reader wants to see.
    """

    counter: TokenCounter
    keep: int
    write: SummaryWriter = field(default=careful)
    limit: int = LIMIT
    frozen: int | None = None

    def __post_init__(self) -> None:
        check_steps(keep=self.keep)

    def build(self, request: Request, state: PolicyState) -> Built:
        """The request with its older steps summed up."""
        return self.decide(view_of(request, self.counter), state).built

    def decide(self, view: View, state: PolicyState) -> Decision:
        """The summary, and what it covers."""
        view = view.using(self.counter)
        older = older_steps(view.index.replied, self.keep, self.frozen)
        _, through = view.index.cut(older, unseen=True)
        conversation = view.request.conversation
        made = proposal(self.write, conversation, state, through, self.counter, self.limit)
        if made.summary is None:
            return Decision(view.with_state(state), state, made.usage, (made.reason,))
        after = replace(state, summary=made.summary, covered=through)
        return Decision(view.with_state(after), after, made.usage)
