"""The triage agent: a program in the model's seat that reads a request and nothing else.

It keeps nothing between two requests, knows no world and no policy. Its calls follow from what
the request says (`reader`) and from its taste (`agent_taste`). It shows what a request carries;
how well a model reads, it does not show.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from typing import Any

from patch_agent.messages import Block, Message, Reasoning, Text, ToolCall
from patch_agent.triage.agent_plan import plan
from patch_agent.triage.agent_taste import Taste
from patch_agent.triage.reader import read

THINKING = 85
"""One byte of reasoning for so many characters of the request's texts."""
LEAST = 400
"""Bytes of reasoning in any case."""


class TriageAgent:
    """A stand-in of one seed."""

    def __init__(self, seed: int) -> None:
        self.taste = Taste(seed)

    def reply(self, request: Mapping[str, Any]) -> Message:
        """The next step for a request in wire form: reasoning, conclusions, calls."""
        made = plan(read(request), self.taste)
        blocks: list[Block] = [self._reasoning(request)]
        if made.words:
            blocks.append(Text("\n".join(made.words)))
        for number, (name, arguments) in enumerate(made.calls, 1):
            text = json.dumps(arguments, ensure_ascii=False)
            blocks.append(ToolCall(f"new_{number}", name, text))
        return Message("assistant", tuple(blocks))

    def _reasoning(self, request: Mapping[str, Any]) -> Reasoning:
        """Bytes without a meaning, as an encrypted block is; how many is the rule above."""
        size = LEAST + sum(map(_length, request["messages"])) // THINKING
        data = hashlib.shake_256(f"{self.taste.seed} {size}".encode()).digest(size * 3 // 4)
        return Reasoning(base64.b64encode(data).decode("ascii"), opaque=True)


def _length(message: Mapping[str, Any]) -> int:
    """Characters of a message's texts."""
    content = message.get("content")
    if isinstance(content, str):
        return len(content)
    return sum(len(part["text"]) for part in content or () if "text" in part)
