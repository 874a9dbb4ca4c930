"""Summarised: a summary of all older steps on demand, for a reader who compares forms."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from patch_agent.policies.base import Built, PolicyState
from patch_agent.policies.carry import carried, proposal
from patch_agent.policies.history import layout
from patch_agent.policies.recent import check_keep, older_steps
from patch_agent.request import Request
from patch_agent.summaries import LIMIT, SummaryWriter, careful
from patch_agent.tokens import TokenCounter


@dataclass(frozen=True, slots=True)
class Summarised:
    """Sums up all steps but the last `keep`, wanted or not: a reader's choice, no policy of cost.

    Steps after `frozen` stay as they are.
    """

    counter: TokenCounter
    keep: int
    write: SummaryWriter = field(default=careful)
    limit: int = LIMIT
    frozen: int | None = None

    def __post_init__(self) -> None:
        check_keep(self.keep)

    def build(self, request: Request, state: PolicyState) -> Built:
        """The request with its older steps summed up."""
        whole = layout(request.conversation)
        _, through = whole.cut(older_steps(whole.replied, self.keep, self.frozen))
        written = proposal(self.write, request, state, through, self.counter, self.limit)
        if isinstance(written, str):
            return Built(carried(request, state), state, notes=(written,))
        after = replace(state, summary=written, covered=through)
        return Built(carried(request, after), after, written.usage)
