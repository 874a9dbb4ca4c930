"""What a row of the comparison is, and which rows there are."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from tests.benchmarks.compare.talk import Plain, Talk


@dataclass(frozen=True)
class Prepared:
    """A row ready to run on one conversation.

    `fresh` makes the library's own messages, outside the clock; `run` is what is timed; `plain`
    turns its outcome into dicts. `again` is timed in the place of `run` from the second time on,
    `more` are further figures of the row.
    """

    fresh: Callable[[], Any]
    run: Callable[[Any], Any]
    plain: Callable[[Any], list[Plain]]
    again: Callable[[Any], Any] | None = None
    more: Callable[[], dict[str, Any]] = field(default=dict)


def outcome(work: Coroutine[Any, Any, Any]) -> Any:
    """What a coroutine returns that waits for nothing; an event loop's start is not measured."""
    try:
        work.send(None)
    except StopIteration as done:
        return done.value
    raise RuntimeError("it waits for something")


@dataclass(frozen=True)
class Row:
    """A way to make a conversation smaller; `how` are its settings in words."""

    name: str
    library: str
    module: str
    how: str
    ours: bool = False

    def prepare(self, talk: Talk) -> Prepared:
        """The row ready to run."""
        module = import_module(f"tests.benchmarks.compare.{self.module}")
        made: Prepared = getattr(module, self.name)(talk)
        return made


ROWS = (
    Row(
        "trim",
        "patch-agent",
        "ours",
        "Leaves out the oldest steps. Limit: the budget; it goes down to half of it.",
        True,
    ),
    Row(
        "default",
        "patch-agent",
        "ours",
        "Clears old results, then sums up old steps. Limit: the budget; a quarter of it at most"
        " for the careful summary.",
        True,
    ),
    Row(
        "trim_messages",
        "langchain-core",
        "by_langchain",
        "Cuts off the oldest messages. Keeps the system prompt; may start on the model, since a"
        " long turn has one message of the user's.",
    ),
    Row(
        "ClearToolUsesEdit",
        "langchain",
        "by_langchain",
        "Empties tool results. Trigger: the budget; all but three go at once.",
    ),
    Row(
        "summarize_messages",
        "langmem",
        "by_langchain",
        "Sums up the oldest messages. 256 tokens of the budget are for the summary, which a"
        " scripted model writes in no time.",
    ),
    Row(
        "ChatMemoryBuffer",
        "llama-index-core",
        "by_llama_index",
        "Cuts off the oldest messages. It counts words only; limit: those of the most messages"
        " that fit. The system prompt is put in front.",
    ),
    Row(
        "ChatHistoryTruncationReducer",
        "semantic-kernel",
        "by_semantic_kernel",
        "Cuts off the oldest messages, by their number: the most that fit the budget stay.",
    ),
    Row(
        "TruncationStrategy",
        "agent-framework-core",
        "by_agent_framework",
        "Cuts off the oldest groups of messages down to the budget. Keeps the system prompt and"
        " the user's first message.",
    ),
    Row(
        "SlidingWindowCompactor",
        "haystack-ai",
        "by_haystack",
        "Cuts off the oldest turns, then steps of the last one, down to the budget.",
    ),
)
