"""agent-framework-core's TruncationStrategy."""

from __future__ import annotations

from agent_framework import Content, Message, apply_compaction
from agent_framework import TruncationStrategy as Strategy

from tests.benchmarks.compare.rows import Prepared, outcome
from tests.benchmarks.compare.talk import Known, Plain, Talk


def load(message: Plain) -> Message:
    """A message as the library's own."""
    if message["role"] == "tool":
        done = Content.from_function_result(message["tool_call_id"], result=message["content"])
        return Message("tool", [done])
    calls = [
        Content.from_function_call(call["id"], **call["function"])
        for call in message.get("tool_calls", ())
    ]
    return Message(message["role"], [Content.from_text(message["content"]), *calls])


def plain(messages: list[Message]) -> list[Plain]:
    """The library's messages as dicts."""
    return [_plain(message) for message in messages]


def _plain(message: Message) -> Plain:
    found: Plain = {"role": str(message.role), "content": message.text}
    calls = [c for c in message.contents if c.type == "function_call"]
    if calls:
        found["tool_calls"] = [
            {
                "id": call.call_id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for call in calls
        ]
    for done in message.contents:
        if done.type == "function_result":
            found |= {"content": done.result, "tool_call_id": done.call_id}
    return found


class Tokenizer:
    """Counts the texts that the library serializes by itself."""

    def __init__(self, known: Known) -> None:
        self.known = known

    def count_tokens(self, text: str) -> int:
        """Tokens of a text."""
        return self.known.text(text)


def TruncationStrategy(talk: Talk) -> Prepared:
    """The row of this name."""
    tokenizer = Tokenizer(talk.known)
    strategy = Strategy(
        max_n=talk.limit,
        compact_to=talk.limit,
        tokenizer=tokenizer,
        preserve_first_user_group=True,
    )

    def run(messages: list[Message]) -> list[Message]:
        return outcome(apply_compaction(messages, strategy=strategy, tokenizer=tokenizer))

    return Prepared(lambda: list(map(load, talk.messages)), run, plain)
