"""What the widget needs to price a call: the call before, and how other segments begin like it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import combinations, product
from typing import Any

from patch_agent.catalogue.segments import Segment, present
from patch_agent.catalogue.state import State
from patch_agent.pricing import CHAPTER, Encode, reuse
from patch_agent.request import PARTS, Entry, Part, Request
from patch_agent.task import FORMS, SWITCHABLE, TOOLS
from patch_agent.tokens import TokenCounter

REPLY = 1_000
"""Tokens of a reply in the chapter's prices."""


def previous_call(segments: Sequence[Segment], steps: int) -> tuple[Segment, ...]:
    """The call before: everything sent, up to the step before the last, without the task block
    and without the user's latest message, which was not yet spoken."""
    whole = present(segments, State(steps, off=frozenset({"task"})), steps)
    return tuple(s for s in whole if s.part != "user" and (s.step or 0) < steps)


def cost_data(
    segments: Sequence[Segment], steps: int, counter: TokenCounter, encode: Encode
) -> dict[str, Any]:
    """The call before, the tokens that other segments share with it, and the prices."""
    before = previous_call(segments, steps)
    shared: dict[str, dict[str, int]] = {}
    by_id = {segment.id: segment for segment in segments}
    for place, ident in sorted(_breaks(segments, before, steps)):
        tokens = begins_alike(before[place], by_id[ident], counter, encode)
        if tokens:
            shared.setdefault(str(place), {})[ident] = tokens
    prices = {key: value for key, value in asdict(CHAPTER).items() if key not in ("unit", "source")}
    return {
        "previous": [segment.id for segment in before],
        "shared": shared,
        "prices": {**prices, "reply_tokens": REPLY},
    }


def begins_alike(before: Segment, now: Segment, counter: TokenCounter, encode: Encode) -> int:
    """The tokens with which two segments begin alike."""
    return reuse(_alone(before), _alone(now), counter, encode).tokens


def _alone(segment: Segment) -> Request:
    if segment.tool is not None:
        return Request((Part("tools", tools=(segment.tool,)),))
    assert segment.message is not None
    return Request((Part(segment.part, (Entry(segment.message),)),))


def _breaks(
    segments: Sequence[Segment], before: Sequence[Segment], steps: int
) -> set[tuple[int, str]]:
    """Every place in the call before at which some state goes on otherwise, and with what."""
    was = [segment.id for segment in before]
    found: set[tuple[int, str]] = set()
    for call in _calls(segments, steps):
        for place, (old, new) in enumerate(zip(was, call, strict=False)):
            if old != new:
                found.add((place, new))
                break
    return found


def _calls(segments: Sequence[Segment], steps: int) -> Iterator[list[str]]:
    """The ids of what each state sends, made of what k and the form decide and what tools and
    the parts that are off decide."""
    off = sorted(SWITCHABLE - {"task"})
    subsets = [frozenset(c) for n in range(len(off) + 1) for c in combinations(off, n)]
    first, moving, last = (
        [s for s in segments if _third(s) == third] for third in ("before", "in", "after")
    )

    def ids(some: Sequence[Segment], state: State) -> list[str]:
        return [segment.id for segment in present(some, state, steps)]

    around = [
        (ids(first, state), ids(last, state))
        for state in (State(steps, "drop", None, *s) for s in product(TOOLS, subsets))
    ]
    for k, older in product(range(steps + 1), FORMS):
        middle = ids(moving, State(k, older))
        for head, tail in around:
            yield [*head, *middle, *tail]


def _third(segment: Segment) -> str:
    """Where a segment stands to the steps, which are sent word for word or as a summary."""
    place = PARTS.index(segment.part)
    if place < PARTS.index("summary"):
        return "before"
    return "in" if place <= PARTS.index("history") else "after"
