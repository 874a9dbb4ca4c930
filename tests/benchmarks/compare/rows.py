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
    Row("trim", "patch-agent", "ours", "Limit: the budget. It goes down to half of it.", True),
    Row(
        "default",
        "patch-agent",
        "ours",
        "Limit: the budget. The careful summary takes at most a quarter of it.",
        True,
    ),
    Row(
        "trim_messages",
        "langchain-core",
        "by_langchain",
        'strategy "last", include_system; starts on the user or the model, since a long turn has'
        " one message of the user's; ends on the user or a tool.",
    ),
    Row(
        "ClearToolUsesEdit",
        "langchain",
        "by_langchain",
        "trigger: the budget; keeps three results and clears all others at once.",
    ),
    Row(
        "summarize_messages",
        "langmem",
        "by_langchain",
        "max_tokens: the budget, 256 of them for a summary, which a scripted model writes.",
    ),
    Row(
        "ChatMemoryBuffer",
        "llama-index-core",
        "by_llama_index",
        "token_limit: the budget, less the share of what it does not count, which is calls and"
        " framing. The system prompt is counted beforehand and put in front.",
    ),
    Row(
        "ChatHistoryTruncationReducer",
        "semantic-kernel",
        "by_semantic_kernel",
        "It counts messages. target_count is the most whose tokens fit the budget.",
    ),
    Row(
        "TruncationStrategy",
        "agent-framework-core",
        "by_agent_framework",
        "max_n and compact_to: the budget; keeps the system prompt and the user's first message.",
    ),
    Row(
        "SlidingWindowCompactor",
        "haystack-ai",
        "by_haystack",
        "target: the budget; otherwise as it comes.",
    ),
)
