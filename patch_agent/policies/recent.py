"""Recent: the newest steps word for word, older ones left out. For a reader's experiments.

Unlike the policies for a run it takes out what it is told to, seen by the model or not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from patch_agent.policies.base import Built
from patch_agent.policies.history import layout, without_steps
from patch_agent.policies.limits import check_steps
from patch_agent.policies.state import PolicyState
from patch_agent.request import Request


@dataclass(frozen=True, slots=True)
class Recent:
    """Keeps the last `keep` steps that have a reply, and whatever comes after them.

    Where `frozen` is given, steps are counted back from that one, and all later ones stay.
    """

    keep: int
    frozen: int | None = None

    def __post_init__(self) -> None:
        check_steps(keep=self.keep)

    def build(self, request: Request, state: PolicyState) -> Built:
        """The request without older steps, those apart that have to stay."""
        whole = layout(request.conversation)
        older = whole.whole_steps(older_steps(whole.replied, self.keep, self.frozen))
        gone = frozenset(range(1, older + 1)) - whole.held()
        trimmed = whole.start(older) if older else 0
        return Built(without_steps(request, gone), replace(state, trimmed=trimmed))


def older_steps(replied: int, keep: int, frozen: int | None = None) -> int:
    """How many steps are older than the last `keep` of them."""
    return max(0, min(replied, replied if frozen is None else frozen) - keep)
