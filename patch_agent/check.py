"""What is wrong with a request, before a provider says so.

Works on anyone's request. A provider refuses a call without its result, a result without
its call, and anything over the window; a lost pin or a changed order is refused by nobody
and noticed by nobody, which is worse.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from patch_agent.budget import Budget
from patch_agent.messages import Message, ToolCall, ToolResult, pairing
from patch_agent.request import PARTS, Request
from patch_agent.tokens import TokenCounter, message_texts


@dataclass(frozen=True, slots=True)
class Problem:
    """One defect. `kind` is pair, order, pin or fit; `where` the place of the message or part."""

    kind: str
    message: str
    where: str


def problems(
    request: Request, counter: TokenCounter | None = None, budget: Budget | None = None
) -> tuple[Problem, ...]:
    """The defects of a request; its fit is judged where a counter and a budget are given."""
    found = [*pair_problems(request.messages), *_order_problems(request), *_pin_problems(request)]
    if counter is not None and budget is not None:
        found += _fit_problems(request, counter, budget)
    return tuple(found)


def pair_problems(messages: Sequence[Message]) -> Iterator[Problem]:
    """Calls without any result and results without a call, joined by id within their step."""
    pairs = pairing(messages)
    for (index, position), results in pairs.results.items():
        call = messages[index].blocks[position]
        assert isinstance(call, ToolCall)
        if not results:
            yield Problem("pair", f"call {call.id!r:.80} has no result", f"message {index}")
    for index, position in pairs.orphans:
        done = messages[index].blocks[position]
        assert isinstance(done, ToolResult)
        yield Problem(
            "pair", f"result {done.call_id!r:.80} has no call before it", f"message {index}"
        )


def _order_problems(request: Request) -> Iterator[Problem]:
    places = [PARTS.index(part.id) for part in request.parts]
    for before, here, part in zip(places, places[1:], request.parts[1:], strict=False):
        if here <= before:
            yield Problem("order", f"{part.id} stands after {PARTS[before]}", f"part {part.id}")
    last = -1
    for position, entry in enumerate(request.entries):
        if entry.index is None:
            continue
        if entry.index <= last:
            text = f"message {entry.index} of the conversation stands after message {last}"
            yield Problem("order", text, f"message {position}")
        if entry.index >= len(request.conversation):
            text = f"the conversation has no message {entry.index}"
            yield Problem("order", text, f"message {position}")
        last = max(last, entry.index)


def _pin_problems(request: Request) -> Iterator[Problem]:
    if not request.pins:
        return
    texts = [text for message in request.messages for text in message_texts(message)]
    for pin in request.pins:
        if not any(pin in text for text in texts):
            yield Problem("pin", f"pinned text is not sent: {pin[:60]!r}", "request")


def _fit_problems(request: Request, counter: TokenCounter, budget: Budget) -> Iterator[Problem]:
    size = request.tokens(counter)
    if size > budget.limit:
        sizes = request.sizes(counter)
        largest = max(sizes, key=sizes.__getitem__)
        over = size - budget.limit
        text = f"{over:,} tokens over the budget of {budget.limit:,}; largest part: {largest}"
        yield Problem("fit", text, f"part {largest}")
