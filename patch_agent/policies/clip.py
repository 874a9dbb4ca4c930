"""Clip: a result of more than so many tokens is sent as its head and its tail.

One output larger than the window would make every other policy run in vain, since it is the
newest and has to stay. It is clipped from the first request that carries it, so that consecutive
requests begin alike; the notice stands at its head and names the file with the full text.
"""

from __future__ import annotations

from dataclasses import dataclass

from patch_agent.policies.base import Built, Decision
from patch_agent.policies.limits import check_tokens
from patch_agent.policies.state import PolicyState
from patch_agent.policies.view import View, view_of
from patch_agent.request import Request
from patch_agent.tokens import TokenCounter


@dataclass(frozen=True, slots=True)
class Clip:
    """Sends at most `cap` tokens of any result; pinned messages are left alone."""

    counter: TokenCounter
    cap: int

    def __post_init__(self) -> None:
        check_tokens(cap=self.cap)

    def build(self, request: Request, state: PolicyState) -> Built:
        """The request with its long results clipped."""
        return self.decide(view_of(request, self.counter), state).built

    def decide(self, view: View, state: PolicyState) -> Decision:
        """Nothing to weigh: the cap holds for every result."""
        return Decision(view.using(self.counter, cap=self.cap), state)
