"""The conversations of the comparison as plain dicts, and how their tokens are counted.

The form is that of the Chat Completions API, which every library reads. All count alike: a token
for every four bytes of each text, and four for a message. Each text is counted before the clock
starts, so what is timed is the choosing and not the counting. It needs nothing but the standard
library, since it runs beside each library.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import accumulate, islice
from typing import Any

Plain = dict[str, Any]

SYSTEM = "You are a coding agent. Change as little as you can, and say what you did."
RULE = "Never touch tests/fixtures/."
FRAMING = 4
"""Tokens of each message beside those of its texts."""
SHARE = 4
"""The budget is this part of the conversation: a quarter."""


def long_turn() -> Iterator[Plain]:
    """One request of the user's, then a call and its result in every step."""
    yield {"role": "user", "content": f"Make the build pass. {RULE}"}
    number = 0
    while True:
        number += 1
        path = json.dumps({"path": f"src/module_{number % 97}.py"})
        call = {
            "id": f"call_{number}",
            "type": "function",
            "function": {"name": "read_file", "arguments": path},
        }
        yield {"role": "assistant", "content": f"I read module {number}.", "tool_calls": [call]}
        output = f"{number}: a line of output\n" * 20
        yield {"role": "tool", "tool_call_id": f"call_{number}", "content": output}


def chat() -> Iterator[Plain]:
    """A question and an answer in every step."""
    yield {"role": "user", "content": f"Let us talk. {RULE}"}
    number = 0
    while True:
        number += 1
        yield {"role": "assistant", "content": f"Answer {number}: " + "so many words " * 20}
        yield {"role": "user", "content": f"And point {number}? " + "a few words " * 5}


SHAPES: dict[str, Callable[[], Iterator[Plain]]] = {"one turn": long_turn, "chat": chat}
SIZES = (100, 1_000, 10_000, 100_000)


def texts(message: Plain) -> Iterator[str]:
    """The texts of a message that are counted."""
    yield message.get("content") or ""
    for call in message.get("tool_calls") or ():
        yield call["id"]
        yield from (call["function"]["name"], call["function"]["arguments"])
    if "tool_call_id" in message:
        yield message["tool_call_id"]


class Known:
    """Tokens of texts, each counted once."""

    def __init__(self) -> None:
        self._known: dict[str, int] = {}

    def text(self, text: str) -> int:
        """Tokens of a text: bytes / 4, rounded up."""
        size = self._known.get(text)
        if size is None:
            size = self._known[text] = -(-len(text.encode()) // 4)
        return size

    def message(self, message: Plain) -> int:
        """Tokens of a message."""
        return FRAMING + sum(map(self.text, texts(message)))


@dataclass(frozen=True)
class Talk:
    """A conversation, its budget in tokens, and the counter that has counted it."""

    shape: str
    messages: tuple[Plain, ...]
    tokens: int
    known: Known = field(repr=False)

    @property
    def limit(self) -> int:
        """The budget: a quarter of the conversation."""
        return self.tokens // SHARE

    def fitting(self) -> int:
        """The most of the newest messages that fit beside the system prompt."""
        system, *rest = map(self.known.message, self.messages)
        sums = accumulate(reversed(rest))
        return sum(system + size <= self.limit for size in sums)


def call_sizes(talk: Talk) -> dict[str, int]:
    """Tokens of each call's texts, by its id: a library that parses the arguments has no others."""
    return {
        call["id"]: sum(map(talk.known.text, (call["id"], *call["function"].values())))
        for message in talk.messages
        for call in message.get("tool_calls", ())
    }


def make_talk(shape: str, count: int) -> Talk:
    """The system prompt and further messages, `count` in all, an even number."""
    spoken = islice(SHAPES[shape](), count - 1)
    messages = ({"role": "system", "content": SYSTEM}, *spoken)
    known = Known()
    return Talk(shape, messages, sum(map(known.message, messages)), known)
