"""A run as the widget PolicyLab draws it: each request by region, what it cost, where it broke.

Regions are read off the request: whose message it is, and in a reply what is reasoning. They add
up to the request's exact tokens. The page "Policies as values" explains the picture.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from patch_agent.messages import Message, Reasoning
from patch_agent.pricing import edit
from patch_agent.request import Entry, Request
from patch_agent.tokens import TokenCounter, encode, exact
from patch_agent.triage.results import summary_cost
from patch_agent.triage.run import Run, Sent

REGIONS = ("system", "tools", "summary", "messages", "results", "reasoning")
"""Regions of a request, in the order in which they are stacked."""
SCHEMA = 1
"""Version of the shape of a curve."""


def curve(
    run: Run,
    requests: Iterable[Request],
    name: str = "",
    *,
    counter: TokenCounter | None = None,
) -> dict[str, Any]:
    """A run and its requests, in their order, as plain JSON under a policy's name.

    `regions` holds exact tokens for each request, `read` those read from the cache, `costs`
    what each request cost with the summary that was written for it, in the unit of its prices, and
    `breaks` each place at which a request no longer begins like the one before.
    """
    own, made = counter or exact(), tuple(requests)
    if len(made) != len(run.sent):
        raise ValueError(f"requests: expected {len(run.sent)}, got {len(made)}")
    sizes = [regions(request, own) for request in made]
    costs = [one.bill.cost + summary_cost(one.summary, run.prices) for one in run.sent]
    return {
        "policy": name or run.settings.policy,
        "seed": run.settings.seed,
        "ending": run.ending,
        "regions": {region: [size[region] for size in sizes] for region in REGIONS},
        "read": [one.bill.read for one in run.sent],
        "costs": [round(cost, 6) for cost in costs],
        "breaks": list(_breaks(run, made, own)),
    }


def regions(request: Request, counter: TokenCounter) -> dict[str, int]:
    """Exact tokens of a request by region; they add up to those of the request."""
    found = dict.fromkeys(REGIONS, 0)
    for part in request.parts:
        found["tools"] += sum(map(counter.tool, part.tools))
        for entry in part.entries:
            region, message = region_of(part.id, entry.message), entry.message
            thought = _thought(message, counter) if region == "messages" else 0
            found[region] += counter.message(message) - thought
            found["reasoning"] += thought
    return found


def region_of(part: str, message: Message) -> str:
    """The region of a message in a part of this name; the reasoning in a reply is apart."""
    if part == "history":
        return "results" if message.results else "messages"
    return part if part in REGIONS else "system"


def _thought(message: Message, counter: TokenCounter) -> int:
    return sum(counter.text(b.text) for b in message.blocks if isinstance(b, Reasoning))


def _breaks(
    run: Run, requests: tuple[Request, ...], counter: TokenCounter
) -> Iterator[dict[str, Any]]:
    """Each request that no longer begins like the one before, and what the change freed.

    `request` counts from 1 and `message` the request's messages from 1; `step` is the step of
    the conversation in which the message was made, None for one that our code added.
    """
    steps = _steps(run.conversation)
    for place in range(1, len(requests)):
        found = run.sent[place].bill.reuse
        if not found.invalidated:
            continue
        before, request = requests[place - 1], requests[place]
        entry = request.entries[found.index] if found.index is not None else None
        yield {
            "request": place + 1,
            "part": found.part,
            "message": None if found.index is None else found.index + 1,
            "step": None if entry is None or entry.index is None else steps[entry.index],
            "kind": _kind(found.part, entry),
            "acts": list(_acts(run.sent[place - 1], run.sent[place])),
            "invalidated": found.invalidated,
            "freed": edit(before, request, counter, encode).freed,
        }


def _kind(part: str | None, entry: Entry | None) -> str:
    if part == "tools" or entry is None:
        return "definition"
    if part == "summary":
        return "summary"
    return "note" if entry.index is None else entry.message.role


def _acts(before: Sent, now: Sent) -> Iterator[str]:
    """What the policy did between two requests, by the places that moved."""
    for act in ("cleared", "trimmed", "covered"):
        if getattr(now, act) != getattr(before, act):
            yield act


def _steps(conversation: Iterable[Message]) -> list[int]:
    """The step of each message: a step begins with a reply; what is before the first is step 1."""
    numbers, step = [], 0
    for message in conversation:
        step += message.role == "assistant"
        numbers.append(max(step, 1))
    return numbers
