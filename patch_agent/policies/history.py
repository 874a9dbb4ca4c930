"""The history of a request by steps: where it may be cut, and how steps are taken out of it.

Steps go as a whole. Never taken out: a step whose call still waits for its final result, one
with a late result that the model has not seen, system messages, and text that is pinned and
stands nowhere else. A message that holds a user's words beside a result keeps the words.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from patch_agent.messages import Message, Step, ToolResult, pairing, steps
from patch_agent.request import Entry, Part, Request
from patch_agent.tokens import message_texts


@dataclass(frozen=True, slots=True)
class Layout:
    """The steps of a conversation. `replied` of them have a reply; `held` must stay whole."""

    steps: tuple[Step, ...]
    replied: int
    held: frozenset[int]

    def start(self, number: int) -> int:
        """The place at which the steps after `number` begin: the index of their first message."""
        if number < len(self.steps):
            return self.steps[number].indices[0]
        return max((step.indices[-1] for step in self.steps), default=-1) + 1

    def cut(self, number: int) -> tuple[int, int]:
        """The most steps, at most `number`, that can be split from the rest, and that place.

        A split is clean where all messages of the steps before it stand before all others and
        none of those steps is held.
        """
        best, last = (0, 0), -1
        for step in self.steps[: max(number, 0)]:
            if step.number in self.held:
                break
            last = max(last, step.indices[-1])
            if last < self.start(step.number):
                best = (step.number, last + 1)
        return best


_LAST: list[tuple[tuple[Message, ...], Layout]] = []


def layout(conversation: tuple[Message, ...]) -> Layout:
    """The layout of a conversation; the last one asked for is kept, since a tuple never changes."""
    known = _LAST[0] if _LAST else None
    if known is None or known[0] is not conversation:
        known = (conversation, _layout(conversation))
        _LAST[:] = [known]
    return known[1]


def _layout(conversation: tuple[Message, ...]) -> Layout:
    all_steps = steps(conversation)
    replied = [step for step in all_steps if step.assistant is not None]
    last = replied[-1] if replied else None
    seen = last.assistant if last is not None and last.assistant is not None else -1
    waiting = {index for index, _ in pairing(conversation).open}
    held = {
        step.number
        for step in all_steps
        if waiting.intersection(step.indices)
        or (last is not None and step.number < last.number and step.indices[-1] > seen)
    }
    return Layout(all_steps, len(replied), frozenset(held))


def pinned_entries(request: Request) -> frozenset[int]:
    """The history messages, by index, that carry a pin which no other part carries."""
    if not request.pins:
        return frozenset()
    elsewhere = [
        text
        for part in request.parts
        if part.id not in ("history", "summary")
        for entry in part.entries
        for text in message_texts(entry.message)
    ]
    wanted = [pin for pin in request.pins if not any(pin in text for text in elsewhere)]
    return frozenset(index for pin in wanted for index in _last_carrier(request, pin))


def _last_carrier(request: Request, pin: str) -> Iterator[int]:
    for entry in reversed(request.part("history").entries):
        if entry.index is not None and any(pin in text for text in message_texts(entry.message)):
            yield entry.index
            return


def without_steps(request: Request, numbers: frozenset[int] | set[int]) -> Request:
    """The request without the history of these steps, pairs and pins kept.

    A pinned message that makes and answers no call stays alone; otherwise its whole step stays.
    """
    history = request.part("history")
    where = {i: step.number for step in layout(request.conversation).steps for i in step.indices}
    pinned = pinned_entries(request)
    gone = set(numbers) - _bound_steps(request, pinned, where)
    keep = [
        entry.message.role == "system"
        or entry.index in pinned
        or (where.get(entry.index) if entry.index is not None else None) not in gone
        for entry in history.entries
    ]
    if all(keep):
        return request
    return request.with_part(replace(history, entries=_paired(history.entries, keep)))


def _bound_steps(request: Request, pinned: frozenset[int], where: dict[int, int]) -> set[int]:
    """The steps that stay whole since a pinned message of theirs makes or answers a call."""
    if not pinned:
        return set()
    tied = {i for i in pinned if request.conversation[i].calls or request.conversation[i].results}
    asked = {
        call
        for (call, _), refs in pairing(request.conversation).results.items()
        if any(index in tied for index, _ in refs)
    }
    return {where[index] for index in tied | asked if index in where}


def _paired(entries: tuple[Entry, ...], keep: list[bool]) -> tuple[Entry, ...]:
    """The kept entries and the results of their calls; results whose call is gone are taken out."""
    pairs = pairing([entry.message for entry in entries])
    changed = True
    while changed:
        changed = False
        for (call, _), results in pairs.results.items():
            for place, _ in results if keep[call] else ():
                changed, keep[place] = changed or not keep[place], True
    lost = {ref for (call, _), refs in pairs.results.items() if not keep[call] for ref in refs}
    lost.update(pairs.orphans)
    stripped = (
        _without_blocks(entry, {position for index, position in lost if index == place})
        for place, entry in enumerate(entries)
        if keep[place]
    )
    return tuple(entry for entry in stripped if entry is not None)


def _without_blocks(entry: Entry, positions: set[int]) -> Entry | None:
    """The entry without these blocks; None where nothing is left of it."""
    if not positions:
        return entry
    blocks = tuple(b for place, b in enumerate(entry.message.blocks) if place not in positions)
    return replace(entry, message=replace(entry.message, blocks=blocks)) if blocks else None


def with_results(part: Part, change: dict[tuple[int, int], ToolResult]) -> Part:
    """The part with these results in the place of others, by entry and block."""
    entries = list(part.entries)
    for (place, position), done in change.items():
        message = entries[place].message
        blocks = (*message.blocks[:position], done, *message.blocks[position + 1 :])
        entries[place] = replace(entries[place], message=replace(message, blocks=blocks))
    return replace(part, entries=tuple(entries))
