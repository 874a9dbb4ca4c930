"""Takes steps out of a request's history, one message at a time.

Steps go as a whole. Never taken out: a step whose call still waits for its final result, one
with a late result that the model has not seen, system messages, and text that is pinned and
stands nowhere else. A message that holds a user's words beside a result keeps the words.
`view` does the same by slices where the history allows it.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace

from patch_agent.messages import Message, pairing
from patch_agent.policies.index import Index
from patch_agent.policies.known import indexed
from patch_agent.request import Entry, Request
from patch_agent.tokens import message_texts


def layout(conversation: Sequence[Message]) -> Index:
    """The steps of a conversation and where it may be cut."""
    return indexed(conversation)


def pinned_entries(request: Request) -> frozenset[int]:
    """The history messages, by index, that carry a pin which no other part carries."""
    return frozenset(
        carrier
        for pin in loose_pins(request)
        if (carrier := _last_carrier(request, pin)) is not None
    )


def loose_pins(request: Request) -> tuple[str, ...]:
    """The pins that stand in no part but the history and a summary."""
    if not request.pins:
        return ()
    elsewhere = [
        text
        for part in request.parts
        if part.id not in ("history", "summary")
        for entry in part.entries
        for text in message_texts(entry.message)
    ]
    return tuple(pin for pin in request.pins if not any(pin in text for text in elsewhere))


def _last_carrier(request: Request, pin: str) -> int | None:
    for entry in reversed(request.part("history").entries):
        if entry.index is not None and any(pin in text for text in message_texts(entry.message)):
            return entry.index
    return None


def without_steps(request: Request, numbers: Set[int]) -> Request:
    """The request without the history of these steps, pairs and pins kept.

    A pinned message that makes and answers no call stays alone; otherwise its whole step stays.
    """
    history = request.part("history")
    index = indexed(request.conversation)
    entries = without(history.entries, index, numbers, pinned_entries(request))
    return request if entries == history.entries else _with_history(request, entries)


def _with_history(request: Request, entries: tuple[Entry, ...]) -> Request:
    return request.with_part(replace(request.part("history"), entries=entries))


def staying(index: Index, gone: int) -> set[int]:
    """The steps among the first `gone` that have to stay."""
    return {step for step in index.held() if step <= gone} if gone else set()


def is_tangled(index: Index, gone: int, spared: Set[int]) -> bool:
    """True where the first `gone` steps cannot be taken out as one slice."""
    if not gone:
        return False
    start = index.start(gone)
    if index.odd or (staying(index, gone) and any(owner <= gone for _, owner in index.strays)):
        return True
    for place, owner in reversed(index.strays):
        if place < start:
            break
        if owner <= gone:
            return True
    pinned = (index.messages[place] for place in spared if place < start)
    return any(message.calls or message.results for message in pinned)


def without(
    entries: tuple[Entry, ...], index: Index, numbers: Set[int], pinned: Set[int]
) -> tuple[Entry, ...]:
    """These entries of an indexed conversation without those steps; `pinned` ones stay."""
    gone = numbers - _bound_steps(index, pinned)
    keep = [
        entry.index is None
        or entry.message.role == "system"
        or entry.index in pinned
        or index.home[entry.index] not in gone
        for entry in entries
    ]
    return entries if all(keep) else _paired(entries, keep)


def _bound_steps(index: Index, pinned: Set[int]) -> set[int]:
    """The steps that stay whole since a pinned message of theirs makes or answers a call."""
    tied = {i for i in pinned if index.messages[i].calls or index.messages[i].results}
    if not tied:
        return set()
    asked = {
        call
        for (call, _), refs in pairing(index.messages).results.items()
        if any(place in tied for place, _ in refs)
    }
    return {index.home[place] for place in tied | asked} - {0}


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
    dropped: dict[int, set[int]] = {}
    for place, position in lost:
        dropped.setdefault(place, set()).add(position)
    stripped = (
        _without_blocks(entry, dropped.get(place, set()))
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
