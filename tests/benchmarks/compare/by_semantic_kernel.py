"""semantic-kernel's ChatHistoryTruncationReducer."""

from __future__ import annotations

from semantic_kernel.contents import ChatHistoryTruncationReducer as Reducer
from semantic_kernel.contents import (
    ChatMessageContent,
    FunctionCallContent,
    FunctionResultContent,
    TextContent,
)

from tests.benchmarks.compare.rows import Prepared, outcome
from tests.benchmarks.compare.talk import Plain, Talk


def load(message: Plain) -> ChatMessageContent:
    """A message as the library's own."""
    if message["role"] == "tool":
        result = FunctionResultContent(
            id=message["tool_call_id"], name="read_file", result=message["content"]
        )
        return ChatMessageContent(role="tool", items=[result])
    calls = [
        FunctionCallContent(id=call["id"], **call["function"])
        for call in message.get("tool_calls", ())
    ]
    return ChatMessageContent(
        role=message["role"], items=[TextContent(text=message["content"]), *calls]
    )


def plain(reducer: Reducer) -> list[Plain]:
    """The library's messages as dicts."""
    return [_plain(message) for message in reducer.messages]


def _plain(message: ChatMessageContent) -> Plain:
    """With the words beside a call, which the library's own dicts leave out."""
    found = message.to_dict()
    if "tool_calls" in found:
        found["content"] = message.content
    return found


def ChatHistoryTruncationReducer(talk: Talk) -> Prepared:
    """The row of this name."""
    count = talk.fitting() + 1

    def fresh() -> Reducer:
        return Reducer(messages=list(map(load, talk.messages)), target_count=count)

    def run(reducer: Reducer) -> Reducer:
        outcome(reducer.reduce())
        return reducer

    return Prepared(fresh, run, plain)
