"""haystack-ai's SlidingWindowCompactor."""

from __future__ import annotations

from typing import Any

from haystack.dataclasses import ChatMessage
from haystack.hooks.compaction import SlidingWindowCompactor as Compactor

from tests.benchmarks.compare.rows import Prepared
from tests.benchmarks.compare.talk import FRAMING, Plain, Talk, call_sizes


class Counter:
    """Counts the library's messages by texts that are known; those of a call by its id."""

    def __init__(self, talk: Talk) -> None:
        self.known = talk.known
        self.calls = call_sizes(talk)

    def count(self, messages: list[ChatMessage], tools: Any = None) -> int:
        """Tokens of several messages; there are no tools."""
        return sum(map(self.message, messages))

    def message(self, message: ChatMessage) -> int:
        """Tokens of one message."""
        done = message.tool_call_result
        if done is not None:
            return FRAMING + self.known.text(done.result) + self.known.text(done.origin.id)
        size = FRAMING + self.known.text(message.text or "")
        return size + sum(self.calls[call.id] for call in message.tool_calls)

    def to_dict(self) -> dict[str, Any]:
        """Its name, which the library asks for."""
        return {"type": "tests.benchmarks.compare.by_haystack.Counter"}


def plain(messages: list[ChatMessage]) -> list[Plain]:
    """The library's messages as dicts."""
    return [message.to_openai_dict_format() for message in messages]


def SlidingWindowCompactor(talk: Talk) -> Prepared:
    """The row of this name."""
    counter = Counter(talk)
    loaded = [ChatMessage.from_openai_dict_format(message) for message in talk.messages]

    def run(messages: list[ChatMessage]) -> list[ChatMessage]:
        kept = Compactor().compact(messages, talk.limit, counter)
        return messages if kept is None else kept

    return Prepared(lambda: list(loaded), run, plain)
