"""What one call costs: how much of it repeats the call before, to the token, and at what price.

A provider reuses the work on a request's beginning where it has the same tokens from the very
start. Two requests are compared text by text in the order in which they are sent; in the first
text that differs, the tokens that both begin with still count. Minimum lengths and lifetimes of
a provider's cache are left out.

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
class Prices:
    """Prices of input that is reused, of new input, and of the reply, each for `per` tokens."""

    reused: float
    new: float
    reply: float
    per: int = 1_000
    unit: str = "units"
    source: str = ""

    def __post_init__(self) -> None:
        for name in ("reused", "new", "reply", "per"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
                raise ValueError(f"{name}: expected a price of 0 or more, got {value!r}")
        if self.per == 0:
            raise ValueError("per: expected a number of tokens above 0, got 0")


CHAPTER = Prices(
    0.1, 1, 4, source='"Context", chapter 4 of a book on agent design; illustrative, no currency'
)
"""The chapter's illustrative prices."""


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


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of one call, by kind of token, in the unit of its prices."""

    reused: float
    new: float
    reply: float

    @property
    def total(self) -> float:
        """The whole cost."""
        return self.reused + self.new + self.reply


def cost(prices: Prices, reused: int, new: int, reply: int) -> Cost:
    """The cost of a call with so many tokens reused, new, and in its reply."""
    return Cost(
        prices.reused * reused / prices.per,
        prices.new * new / prices.per,
        prices.reply * reply / prices.per,
    )


def reuse(
    previous: Request | None, request: Request, counter: TokenCounter, encode: Encode
) -> Reuse:
    """How much of `request` a cache that holds `previous` spares; of nothing at first."""
    total = request.tokens(counter)
    if previous is None:
        first = next(_units(request), None)
        where = (first.part, first.index) if first else (None, None)
        return Reuse(0, total, 0, *where)
    shared, place = shared_start(_units(previous), _units(request), counter, encode)
    if place is None:
        return Reuse(shared, total - shared, 0)
    gone = previous.tokens(counter) - shared
    return Reuse(shared, total - shared, gone, place.part, place.index)


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


def _units(request: Request) -> Iterator[Unit]:
    index = 0
    for part in request.parts:
        for place, tool in enumerate(part.tools):
            yield tool_unit(part.id, place, tool)
        for entry in part.entries:
            yield from message_units(part.id, index, entry.message)
            index += 1


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
