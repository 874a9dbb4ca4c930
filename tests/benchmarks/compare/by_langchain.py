"""langchain-core's trim_messages, langchain's ClearToolUsesEdit, langmem's summarize_messages."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from langchain.agents.middleware import ClearToolUsesEdit as Edit
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.messages import convert_to_messages as load
from langchain_core.messages import convert_to_openai_messages as plain
from langchain_core.messages import trim_messages as trim
from langmem.short_term import summarize_messages as summarize

from tests.benchmarks.compare.rows import Prepared
from tests.benchmarks.compare.talk import FRAMING, Known, Talk, call_sizes

SUMMARY = "What came before, in short."
SUMMARY_TOKENS = 256
"""langmem's own default."""


class Counter:
    """Counts the library's messages by texts that are known; those of a call by its id."""

    def __init__(self, talk: Talk) -> None:
        self.known: Known = talk.known
        self.calls = call_sizes(talk)

    def message(self, message: BaseMessage) -> int:
        """Tokens of one message."""
        size = FRAMING + self.known.text(message.content)
        if isinstance(message, AIMessage):
            size += sum(self.calls[call["id"]] for call in message.tool_calls)
        elif isinstance(message, ToolMessage):
            size += self.known.text(message.tool_call_id)
        return size

    def all(self, messages: Iterable[BaseMessage]) -> int:
        """Tokens of several messages."""
        return sum(map(self.message, messages))


def fresh(talk: Talk) -> list[BaseMessage]:
    """The conversation as the library's messages, each with an id, as langmem demands."""
    messages = load(list(talk.messages))
    for place, message in enumerate(messages):
        message.id = str(place)
    return messages


def trim_messages(talk: Talk) -> Prepared:
    """The row of this name."""
    counter = Counter(talk)

    def run(messages: list[BaseMessage]) -> Any:
        return trim(
            messages,
            max_tokens=talk.limit,
            token_counter=counter.all,
            strategy="last",
            include_system=True,
            start_on=("human", "ai"),
            end_on=("human", "tool"),
        )

    return Prepared(lambda: fresh(talk), run, plain)


def ClearToolUsesEdit(talk: Talk) -> Prepared:
    """The row of this name."""
    counter = Counter(talk)
    edit = Edit(trigger=talk.limit)

    def run(messages: list[BaseMessage]) -> list[BaseMessage]:
        edit.apply(messages, count_tokens=counter.all)
        return messages

    return Prepared(lambda: fresh(talk), run, plain)


def summarize_messages(talk: Talk) -> Prepared:
    """The row of this name."""
    counter = Counter(talk)

    def run(messages: list[BaseMessage]) -> Any:
        return summarize(
            messages,
            running_summary=None,
            model=FakeListChatModel(responses=[SUMMARY]),
            max_tokens=talk.limit,
            max_summary_tokens=SUMMARY_TOKENS,
            token_counter=counter.all,
        )

    return Prepared(lambda: fresh(talk), run, lambda done: plain(done.messages))
