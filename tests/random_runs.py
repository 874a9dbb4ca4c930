"""Random conversations from a plain seeded generator, and an oracle that judges what is sent.

Hypothesis shrinks what it finds and is slow; this makes a million. The oracle shares no code
with the engine: it reads blocks and counts.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from patch_agent.messages import (
    Block,
    Image,
    Message,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
)
from patch_agent.request import Request

RULE = "Never edit data/raw/ by hand."
WORDS = ("", "ok", "e = 1", "日本語のテキスト", "a b " * 30, "🙂 né", "words " * 200)
OUTPUTS = ("", "ok", "filed as #12", "line of output\n" * 30, "x" * 3_000, "E   assert 1 == 2\n")
HUGE = "line of output\n" * 2_000
IDS = ("call_1", "call_2", "a", "b")


@dataclass(frozen=True, slots=True)
class Case:
    """A conversation, and the lengths at which a request of it can be sent."""

    messages: tuple[Message, ...]
    places: tuple[int, ...]


def random_case(draw: random.Random, most: int = 9) -> Case:
    """Parallel calls, results out of order, late, pending or beside words; reused ids; reasoning;
    system messages anywhere; pictures; empty and huge messages."""
    messages: list[Message] = [Message("user", (Text(RULE),))] if draw.random() < 0.7 else []
    owed: list[ToolResult] = []
    places = []
    for _ in range(draw.randint(1, most)):
        for _ in range(draw.choice((0, 0, 0, 1, 1, 2))):
            messages.append(_aside(draw))
        owed = _pay(draw, messages, owed)
        if not owed or draw.random() < 0.5:
            places.append(len(messages))
        owed += _reply(draw, messages, {done.call_id for done in owed})
    messages += [Message("tool", (done,)) for done in owed]
    if draw.random() < 0.3:
        messages.append(Message("user", (Text(draw.choice(WORDS)),)))
    return Case(tuple(messages), (*filter(None, places), len(messages)))


def _aside(draw: random.Random) -> Message:
    kind = draw.random()
    if kind < 0.2:
        return Message("system", (Text(draw.choice(WORDS)),))
    if kind < 0.3:
        return Message("user", (Text("look"), Image("image/png", "aGk=", 85)))
    return Message("user", (Text(draw.choice(WORDS)),) if kind < 0.95 else ())


def _reply(draw: random.Random, messages: list[Message], taken: set[str]) -> list[ToolResult]:
    """A reply and the results that come at once; what comes late is given back."""
    if draw.random() < 0.1:
        messages.append(Message("assistant", (Reasoning("hm", True, "rs"),)))
    idents = [
        ident for ident in draw.sample(IDS, draw.choice((0, 1, 1, 1, 2, 3))) if ident not in taken
    ]
    said: list[Block] = [Reasoning("hm", True, "r")] if draw.random() < 0.2 else []
    said += [Text(draw.choice(WORDS))] if draw.random() < 0.5 else []
    calls = [ToolCall(ident, "read_file", f'{{"path": "src/{ident}.py"}}') for ident in idents]
    messages.append(Message("assistant", (*said, *calls)))
    late = []
    draw.shuffle(idents)
    for ident in idents:
        chance = draw.random()
        text = HUGE if chance > 0.98 else draw.choice(OUTPUTS)
        if chance < 0.1:
            messages.append(Message("tool", (ToolResult(ident, "going on", pending=True),)))
        if chance < 0.2:
            late.append(ToolResult(ident, text))
        else:
            messages.append(Message("tool", (ToolResult(ident, text, error=chance < 0.3),)))
    return late


def _pay(draw: random.Random, messages: list[Message], owed: list[ToolResult]) -> list[ToolResult]:
    left = []
    for done in owed:
        chance = draw.random()
        if chance < 0.5:
            left.append(done)
        elif chance < 0.8:
            messages.append(Message("tool", (done,)))
        else:
            messages.append(Message("user", (Text("by the way"), done)))
    return left


def verdicts(request: Request, pins: Sequence[str] = ()) -> list[str]:
    """What is wrong with a request: pairs, order, pins, system messages, unseen results."""
    sent, whole = request.messages, request.conversation
    wrong = broken_pairs(sent) if not broken_pairs(whole) else []
    places = [entry.index for entry in request.entries if entry.index is not None]
    if places != sorted(set(places)):
        wrong.append("order")
    texts = {block.text for m in sent for block in m.blocks if isinstance(block, Text)}
    wrong += [f"pin {pin}" for pin in pins if pin not in texts]
    kept = set(places)
    for place, message in enumerate(whole):
        if message.role == "system" and place not in kept:
            wrong.append(f"system message {place}")
    last = max((n for n, m in enumerate(whole) if m.role == "assistant"), default=-1)
    wrong += [f"unseen {n}" for n in range(max(last, 0), len(whole)) if n not in kept]
    for entry in request.entries:
        for block in entry.message.blocks if (entry.index or 0) > last else ():
            if isinstance(block, ToolResult) and block.text.startswith("[cleared"):
                wrong.append(f"cleared unseen {entry.index}")
    return wrong


def broken_pairs(messages: Sequence[Message]) -> list[str]:
    """Calls that get no result, and results without a call that waits for one."""
    waiting: list[list[object]] = []
    wrong = []
    for place, message in enumerate(messages):
        for block in message.blocks:
            if isinstance(block, ToolCall):
                waiting.append([block.id, place, "unanswered"])
            elif isinstance(block, ToolResult):
                same = [one for one in waiting if one[0] == block.call_id and one[2] != "done"]
                if not same:
                    wrong.append(f"result {block.call_id}")
                    continue
                latest = next(one for one in same if one[1] == same[-1][1])
                latest[2] = "answered" if block.pending else "done"
    return wrong + [f"call {one[0]}" for one in waiting if one[2] == "unanswered"]
