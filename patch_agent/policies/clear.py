"""ClearResults: old tool outputs become a line that says how much went and where it is kept.

Calls and their arguments stay, and each keeps its result under the same id. The boundary
advances several steps at a time and is remembered, so that consecutive requests begin alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from patch_agent.messages import ToolCall, ToolResult, pairing
from patch_agent.policies.base import Built, PolicyState
from patch_agent.policies.carry import carried
from patch_agent.policies.history import layout, pinned_entries, with_results
from patch_agent.policies.recent import check_keep, older_steps
from patch_agent.request import Request
from patch_agent.summaries import pointer
from patch_agent.tokens import TokenCounter

_FORM = re.compile(r"\[cleared: [\d,]+ tokens; full text in \S+\]")


def placeholder(call_id: str, tokens: int) -> str:
    """What stands for a cleared output of so many tokens.

    >>> placeholder("call_9", 1400)
    '[cleared: 1,400 tokens; full text in .patch/outputs/call_9.log]'
    """
    return f"[cleared: {tokens:,} tokens; full text in {pointer(call_id)}]"


def is_placeholder(text: str) -> bool:
    """True for the text that stands for a cleared output."""
    return _FORM.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class ClearResults:
    """Clears outputs older than the last `keep` steps, `every` steps at a time.

    Where `limit` is given the boundary moves only while the request is larger, in tokens;
    what was cleared stays cleared. Outputs of the tools in `exclude` are left alone, and so is
    an output that its placeholder would not make smaller. With a `keep` of 0 even an output
    that the model has not seen is cleared: for a reader's experiments only.
    """

    counter: TokenCounter
    keep: int = 6
    every: int = 6
    limit: int | None = None
    exclude: frozenset[str] = frozenset()
    frozen: int | None = None

    def __post_init__(self) -> None:
        check_keep(self.keep)
        if self.every < 1:
            raise ValueError(f"every: expected at least 1 step, got {self.every!r}")

    def build(self, request: Request, state: PolicyState) -> Built:
        """The request with old outputs cleared, and the boundary in its state."""
        boundary = max(state.cleared, self._boundary(request, state))
        change = dict(self._cleared(request, boundary))
        if change:
            request = request.with_part(with_results(request.part("history"), change))
        return Built(request, replace(state, cleared=boundary))

    def _boundary(self, request: Request, state: PolicyState) -> int:
        if self.limit is not None:
            sent = dict(self._cleared(request, state.cleared))
            part = with_results(request.part("history"), sent)
            if carried(request.with_part(part), state).tokens(self.counter) <= self.limit:
                return 0
        whole = layout(request.conversation)
        older = older_steps(whole.replied, self.keep, self.frozen)
        number = older - older % self.every
        return whole.start(number) if number else 0

    def _cleared(
        self, request: Request, boundary: int
    ) -> Iterator[tuple[tuple[int, int], ToolResult]]:
        """The placeholders, by entry and block of the history, for results before `boundary`."""
        entries = request.part("history").entries
        spared = pinned_entries(request) | self._excluded(request)
        for place, entry in enumerate(entries):
            if entry.index is None or entry.index >= boundary or entry.index in spared:
                continue
            for position, block in enumerate(entry.message.blocks):
                if isinstance(block, ToolResult) and not block.pending:
                    size = self.counter.text(block.text)
                    text = placeholder(block.call_id, size)
                    if not is_placeholder(block.text) and self.counter.text(text) < size:
                        yield (place, position), replace(block, text=text)

    def _excluded(self, request: Request) -> frozenset[int]:
        """The messages, by index, with results of tools that are not to be cleared."""
        if not self.exclude:
            return frozenset()
        messages = request.conversation
        return frozenset(
            index
            for (place, position), refs in pairing(messages).results.items()
            for index, _ in refs
            if isinstance(call := messages[place].blocks[position], ToolCall)
            and call.name in self.exclude
        )
