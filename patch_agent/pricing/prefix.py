"""How a request begins like the one before it, to the token, and where the two part.

A provider reuses the work on a request's beginning where it has the same tokens from the very
start. Two requests are compared text by text in the order in which they are sent; in the first
text that differs, the tokens that both begin with still count. What a provider makes of it
(minimum length, lifetime, marks) is in `bill`.

The chapter's section "Prompt caching" explains it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from patch_agent.messages import Block, Image, Message, Reasoning, Text, ToolCall, ToolResult
from patch_agent.request import Request
from patch_agent.tokens import FRAMING, TokenCounter, tool_text

Encode = Callable[[str], list[int]]


@dataclass(frozen=True, slots=True)
class Reuse:
    """How a request begins like the one before it, in tokens.

    `tokens` are reused, `new` are not; `invalidated` tokens of the previous request stood after
    the break. `part` and `index` say where the two differ first: the index is that of the
    message among the request's messages, or of the tool definition in the part `tools`. Both
    are None where nothing differs.
    """

    tokens: int
    new: int
    invalidated: int
    part: str | None = None
    index: int | None = None


def reuse(
    previous: Request | None, request: Request, counter: TokenCounter, encode: Encode
) -> Reuse:
    """How much of `request` a cache that holds `previous` spares; of nothing at first."""
    total = request.tokens(counter)
    if previous is None:
        first = next(items(request), None)
        where = (first.part, first.index) if first else (None, None)
        return Reuse(0, total, 0, *where)
    shared, place = _shared(previous, request, counter, encode)
    if place is None:
        return Reuse(shared, total - shared, 0)
    gone = previous.tokens(counter) - shared
    return Reuse(shared, total - shared, gone, place.part, place.index)


@dataclass(frozen=True, slots=True)
class Edit:
    """What happened between two requests, in tokens.

    `freed` were sent before and are not sent any more; `invalidated` stood behind the first
    difference, so that a cache can no longer be used for them; `added` are those of messages
    that are new in the conversation. `part` and `index` are the place of the difference.
    """

    freed: int
    invalidated: int
    added: int
    part: str | None = None
    index: int | None = None


def edit(previous: Request, request: Request, counter: TokenCounter, encode: Encode) -> Edit:
    """What an edit of the prefix freed, beside what it invalidated."""
    start = len(previous.conversation)
    new = (e.message for e in request.entries if e.index is not None and e.index >= start)
    added = counter.messages(new)
    freed = previous.tokens(counter) + added - request.tokens(counter)
    found = reuse(previous, request, counter, encode)
    return Edit(freed, found.invalidated, added, found.part, found.index)


@dataclass(frozen=True, slots=True)
class Unit:
    """A text as it is sent: its kind, and the framing or image tokens that come with it."""

    part: str
    index: int
    kind: tuple[object, ...]
    text: str
    extra: int
    image: bool = False

    def same_as(self, other: Unit) -> bool:
        """True where both are sent as the same tokens."""
        return (self.kind, self.text, self.extra) == (other.kind, other.text, other.extra)

    def tokens(self, counter: TokenCounter) -> int:
        """Tokens of the text with what comes with it."""
        return self.extra + (0 if self.image else counter.text(self.text))


def shared_start(
    before: Iterable[Unit], now: Iterable[Unit], counter: TokenCounter, encode: Encode
) -> tuple[int, Unit | None]:
    """The tokens with which two sequences of texts begin alike, and the text that differs first."""
    shared = 0
    for old, new in zip_longest(before, now):
        if old is None or new is None:
            return shared, new or old
        if not old.same_as(new):
            return shared + _common_tokens(old, new, encode), new
        shared += new.tokens(counter)
    return shared, None


def _common_tokens(before: Unit, now: Unit, encode: Encode) -> int:
    """Tokens with which two texts begin alike; the framing counts with the first of them."""
    if before.kind != now.kind or now.image:
        return 0
    same = 0
    for left, right in zip(encode(before.text), encode(now.text), strict=False):
        if left != right:
            break
        same += 1
    return same + now.extra if same else 0


@dataclass(frozen=True, slots=True)
class Item:
    """A message or a tool definition as it is sent, with its place."""

    part: str
    index: int
    message: Message | None = None
    tool: Mapping[str, Any] | None = None

    def same_as(self, other: Item) -> bool:
        """True where both are sent alike, whatever their part."""
        return self.message == other.message and self.tool == other.tool

    def tokens(self, counter: TokenCounter) -> int:
        """Tokens with framing."""
        if self.message is not None:
            return counter.message(self.message)
        return 0 if self.tool is None else counter.tool(self.tool)

    def units(self) -> Iterator[Unit]:
        """The texts, one by one."""
        if self.message is not None:
            yield from message_units(self.part, self.index, self.message)
        elif self.tool is not None:
            yield tool_unit(self.part, self.index, self.tool)


def items(request: Request) -> Iterator[Item]:
    """Everything that a request sends, in order."""
    index = 0
    for part in request.parts:
        for place, tool in enumerate(part.tools):
            yield Item(part.id, place, tool=tool)
        for entry in part.entries:
            yield Item(part.id, index, entry.message)
            index += 1


def _shared(
    previous: Request, request: Request, counter: TokenCounter, encode: Encode
) -> tuple[int, Unit | None]:
    """The tokens with which two requests begin alike, and the text that differs first."""
    shared = 0
    for old, new in zip_longest(items(previous), items(request)):
        if old is not None and new is not None and old.same_as(new):
            shared += new.tokens(counter)
            continue
        before = old.units() if old is not None else iter(())
        now = new.units() if new is not None else iter(())
        more, place = shared_start(before, now, counter, encode)
        shared += more
        if place is not None:
            return shared, place
    return shared, None


def tool_unit(part: str, index: int, tool: Mapping[str, Any]) -> Unit:
    """A tool definition as it is compared."""
    return Unit(part, index, ("tool",), tool_text(tool), FRAMING)


def message_units(part: str, index: int, message: Message) -> Iterator[Unit]:
    """The texts of a message in order; the first one carries the framing."""
    texts = list(_texts(message)) or [((message.role, "empty"), "")]
    for place, (kind, text) in enumerate(texts):
        yield Unit(part, index, kind, text, 0 if place else FRAMING)
    for block in message.blocks:
        if isinstance(block, Image):
            kind = (message.role, "image", block.media_type)
            yield Unit(part, index, kind, block.data, block.tokens, image=True)


def _texts(message: Message) -> Iterator[tuple[tuple[object, ...], str]]:
    if message.name is not None:
        yield (message.role, "name"), message.name
    for block in message.blocks:
        yield from (((message.role, *kind), text) for kind, text in _block_texts(block))


def _block_texts(block: Block) -> Iterator[tuple[tuple[object, ...], str]]:
    match block:
        case Text(text):
            yield ("text",), text
        case Reasoning(text, opaque, ident):
            yield ("reasoning", opaque, ident), text
        case ToolCall(ident, name, arguments):
            yield ("call", "id"), ident
            yield ("call", "name"), name
            yield ("call", "arguments"), arguments
        case ToolResult(call_id, text, error, pending):
            yield ("result", "id"), call_id
            yield ("result", error, pending), text
