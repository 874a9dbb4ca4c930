"""The stand-in: a program in the model's seat, with a window of its own.

It is given a request as plain JSON and nothing else, nothing in one request changes what it says
to another, and it is no language model. A request that is too large or has a broken pair is
refused, the way a provider would refuse it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from patch_agent.budget import RESERVE, WINDOW, Budget
from patch_agent.check import pair_problems
from patch_agent.stand_in import plan, reader
from patch_agent.stand_in.evidence import Answer, Evidence, Wire
from patch_agent.tokens import TokenCounter, exact
from patch_agent.wire import WireError, load_wire


class StandIn:
    """Answers probes and chooses the next action from the JSON of one request."""

    def __init__(
        self, window: int = WINDOW, reserve: int = RESERVE, counter: TokenCounter | None = None
    ) -> None:
        self._budget = Budget(window, reserve)
        self._counter = counter

    def refusal(self, request: Wire) -> str | None:
        """Why a provider would refuse the request; None where it would not."""
        given, tools = request.get("messages") or (), request.get("tools") or ()
        if not isinstance(given, (list, tuple)):
            return "Refused: messages: expected a list."
        if not isinstance(tools, (list, tuple)) or not all(isinstance(t, Mapping) for t in tools):
            return "Refused: tools: expected a list of objects."
        try:
            messages = load_wire(given)
        except WireError as error:
            return f"Refused: {error}."
        for problem in pair_problems(messages):
            return f"Refused: {problem.message}."
        if self._counter is None:
            self._counter = exact()
        size = self._counter.messages(messages)
        size += sum(self._counter.tool(tool) for tool in tools)
        over = size - self._budget.limit
        if over > 0:
            return f"Refused: {size:,} tokens, {over:,} over the budget of {self._budget.limit:,}."
        return None

    def answer(self, request: Wire, probe: Mapping[str, Any]) -> Answer:
        """The answer to one probe. Raises ValueError for a probe that it does not know."""
        refused = self.refusal(request)
        if refused:
            return Answer(refused, refused=refused)
        return reader.answer(probe, request)

    def reply(self, request: Wire) -> dict[str, Any]:
        """The next assistant message, with one call or none. A refused request gets the reason."""
        refused = self.refusal(request)
        return plan.reply(request, plan.Move(refused) if refused else plan.next_move(request))

    def explain(self, request: Wire) -> tuple[Evidence, ...]:
        """What in the request decided the next action."""
        return () if self.refusal(request) else plan.next_move(request).because
