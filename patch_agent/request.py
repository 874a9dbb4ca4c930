"""A request: the ordered parts of one call.

The parts stand in one fixed order, what is stable first, so that a provider's cache can
reuse the beginning. A request keeps a reference to the conversation that its history came
from, and each of its messages knows its index there; a policy can thus always go back to
the originals. Nothing here is changed in place.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from patch_agent.messages import Message
from patch_agent.tokens import TokenCounter, tool_text
from patch_agent.wire import WireError, load_wire, to_wire

VOLATILITY = {
    "system": "fixed",
    "tools": "fixed",
    "agents_md": "fixed",
    "memory": "per task",
    "skills": "per task",
    "report": "per task",
    "summary": "grows",
    "history": "grows",
    "files": "per call",
    "user": "new",
    "task": "per call",
}
"""How each part changes from call to call, in the order in which the parts are sent."""

PARTS = tuple(VOLATILITY)


@dataclass(frozen=True, slots=True)
class Entry:
    """A message of a request; `index` is its place in the conversation, None if it has none."""

    message: Message
    index: int | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """A named region of a request: messages, or tool definitions for the part `tools`."""

    id: str
    entries: tuple[Entry, ...] = ()
    tools: tuple[Mapping[str, Any], ...] = ()

    def __post_init__(self) -> None:
        if self.id not in VOLATILITY:
            raise ValueError(f"part: expected one of {', '.join(PARTS)}, got {self.id!r}")

    def tokens(self, counter: TokenCounter) -> int:
        """Tokens of the part, framing included."""
        messages = counter.messages(entry.message for entry in self.entries)
        return messages + sum(map(counter.tool, self.tools))


@dataclass(frozen=True, slots=True)
class Request:
    """The parts of one call, the conversation behind them, and the texts pinned into it.

    `marks` are the places of messages up to which a provider is asked to keep the beginning;
    they are no text of the request.
    """

    parts: tuple[Part, ...]
    conversation: tuple[Message, ...] = ()
    pins: tuple[str, ...] = ()
    marks: tuple[int, ...] = ()

    def part(self, ident: str) -> Part:
        """The part with this id; an empty one where the request has none."""
        return next((part for part in self.parts if part.id == ident), Part(ident))

    def with_part(self, part: Part) -> Request:
        """The request with this part in its place, instead of the one with the same id."""
        others = [other for other in self.parts if other.id != part.id]
        ordered = sorted([*others, part], key=lambda part: PARTS.index(part.id))
        return replace(self, parts=tuple(ordered))

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All entries in the order in which they are sent."""
        return tuple(entry for part in self.parts for entry in part.entries)

    @property
    def messages(self) -> tuple[Message, ...]:
        """All messages in the order in which they are sent."""
        return tuple(entry.message for entry in self.entries)

    @property
    def tools(self) -> tuple[Mapping[str, Any], ...]:
        """The tool definitions."""
        return self.part("tools").tools

    def wire(self) -> dict[str, Any]:
        """The call as it goes over the wire: plain JSON of messages and tools."""
        messages = [to_wire(message) for message in self.messages]
        for place in self.marks:
            messages[place]["cache_control"] = {"type": "ephemeral"}
        return {"messages": messages, "tools": [dict(tool) for tool in self.tools]}

    def tokens(self, counter: TokenCounter) -> int:
        """Tokens of the whole call."""
        return sum(part.tokens(counter) for part in self.parts)

    def sizes(self, counter: TokenCounter) -> dict[str, int]:
        """Tokens of each part, in order; they add up to `tokens`."""
        return {part.id: part.tokens(counter) for part in self.parts}

    def segments(self) -> Iterator[tuple[str, str]]:
        """Part id and exact text of each message and tool definition, in order."""
        for part in self.parts:
            for tool in part.tools:
                yield part.id, tool_text(tool)
            for entry in part.entries:
                yield part.id, json.dumps(to_wire(entry.message), ensure_ascii=False)

    def fingerprints(self) -> tuple[str, ...]:
        """A sha256 for each prefix of the segments: equal up to where two requests are equal."""
        running = hashlib.sha256()
        prints = []
        for _, text in self.segments():
            running.update(text.encode("utf-8", "surrogatepass") + b"\n")
            prints.append(running.copy().hexdigest())
        return tuple(prints)


def fixed_part(ident: str, messages: Iterable[Message]) -> Part:
    """A part of messages that come from no conversation."""
    return Part(ident, tuple(Entry(message) for message in messages))


def history_part(conversation: Iterable[Message], ident: str = "history") -> Part:
    """A part with all messages of a conversation, each knowing its index."""
    return Part(ident, tuple(Entry(message, i) for i, message in enumerate(conversation)))


def request_from_wire(wire: Mapping[str, Any]) -> Request:
    """The request that a call's JSON holds, its parts told by the names of system messages.

    Messages without such a name are history, but for system messages at the very start
    (part system) and a closing message of the user (part user). Raises WireError.
    """
    if not isinstance(wire, Mapping) or not isinstance(wire.get("messages"), list):
        raise WireError("request: expected an object with a list of messages")
    tools = wire.get("tools") or []
    if not isinstance(tools, list) or not all(isinstance(tool, Mapping) for tool in tools):
        raise WireError("tools: expected a list of objects")
    messages = load_wire(wire["messages"])
    parts: list[Part] = []
    for ident, message in zip(_part_ids(messages), messages, strict=True):
        before = parts.pop() if parts and parts[-1].id == ident else Part(ident)
        parts.append(replace(before, entries=(*before.entries, Entry(message))))
    if tools:
        after = sum(part.id == "system" for part in parts[:1])
        parts.insert(after, Part("tools", tools=tuple(tools)))
    return Request(tuple(parts))


def _part_ids(messages: tuple[Message, ...]) -> list[str]:
    spoken = [i for i, message in enumerate(messages) if message.role != "system"]
    start = spoken[0] if spoken else len(messages)
    idents = []
    for index, message in enumerate(messages):
        if message.role == "system" and message.name in VOLATILITY:
            idents.append(message.name)
        elif message.role == "system" and index < start:
            idents.append("system")
        elif message.role == "user" and index == spoken[-1]:
            idents.append("user")
        else:
            idents.append("history")
    return idents
