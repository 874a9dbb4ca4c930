"""CacheMarks: asks the provider to keep a request's beginning, which is kept the same."""

from __future__ import annotations

from dataclasses import dataclass

from patch_agent.policies.base import Built, Decision
from patch_agent.policies.state import PolicyState
from patch_agent.policies.view import View, view_of
from patch_agent.request import Request


@dataclass(frozen=True, slots=True)
class CacheMarks:
    """Sets a mark behind system prompt and task and one at the end of what only grows.

    Tool definitions are sorted by name. Set last, since earlier policies move what is marked.
    """

    def build(self, request: Request, state: PolicyState) -> Built:
        """The request with its marks."""
        return self.decide(view_of(request), state).built

    def decide(self, view: View, state: PolicyState) -> Decision:
        """Marks are places in the request that is sent in the end."""
        return Decision(view.marked(), state)
