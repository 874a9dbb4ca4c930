"""The conversations that policies are measured on: one long turn of a coding agent, and chat."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import islice

from patch_agent.messages import Message, ToolCall, assistant, result, user

RULE = "Never touch tests/fixtures/."


def long_turn() -> Iterator[Message]:
    """One request of the user's, then a call and its result in every step."""
    yield user(f"Make the build pass. {RULE}")
    number = 0
    while True:
        number += 1
        path = json.dumps({"path": f"src/module_{number % 97}.py"})
        yield assistant(f"I read module {number}.", ToolCall(f"call_{number}", "read_file", path))
        yield result(f"call_{number}", f"{number}: a line of output\n" * 20)


def chat() -> Iterator[Message]:
    """A question and an answer in every step."""
    yield user(f"Let us talk. {RULE}")
    number = 0
    while True:
        number += 1
        yield assistant(f"Answer {number}: " + "so many words " * 20)
        yield user(f"And what of point {number}? " + "a few words " * 5)


SHAPES: dict[str, Callable[[], Iterator[Message]]] = {"one turn": long_turn, "chat": chat}


def talk(shape: str, count: int) -> tuple[Message, ...]:
    """The first `count` messages, one fewer where a call would be left without its result."""
    messages = tuple(islice(SHAPES[shape](), count))
    return messages[:-1] if messages[-1].calls else messages
