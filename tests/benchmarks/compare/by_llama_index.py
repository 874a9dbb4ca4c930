"""llama-index-core's ChatMemoryBuffer."""

from __future__ import annotations

from typing import Any

from llama_index.core.llms import ChatMessage
from llama_index.core.memory import ChatMemoryBuffer as Buffer

from tests.benchmarks.compare.rows import Prepared
from tests.benchmarks.compare.talk import Plain, Talk


def load(message: Plain) -> ChatMessage:
    """A message as the library's own; calls and ids go where its OpenAI client looks for them."""
    more = {name: message[name] for name in ("tool_calls", "tool_call_id") if name in message}
    return ChatMessage(role=message["role"], content=message["content"], additional_kwargs=more)


def plain(messages: list[ChatMessage]) -> list[Plain]:
    """The library's messages as dicts."""
    return [{"role": m.role.value, "content": m.content, **m.additional_kwargs} for m in messages]


def tokens(text: str) -> range:
    """As many things as the text has tokens, for a library that takes their length."""
    return range(-(-len(text.encode()) // 4))


def ChatMemoryBuffer(talk: Talk) -> Prepared:
    """The row of this name. It counts no calls and no framing, so its limit is in words."""
    system, *rest = map(load, talk.messages)
    first = talk.known.message(talk.messages[0])
    newest = talk.messages[len(talk.messages) - talk.fitting() :]
    words = " ".join(message["content"] for message in newest)
    limit = first + len(tokens(words))

    def fresh() -> Buffer:
        return Buffer.from_defaults(list(rest), token_limit=limit, tokenizer_fn=tokens)

    def run(memory: Buffer) -> Any:
        return [system, *memory.get(initial_token_count=first)]

    return Prepared(fresh, run, plain)
