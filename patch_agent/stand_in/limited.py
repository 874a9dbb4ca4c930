"""A reader that does not take in all of a long request.

Its assumption, which every answer repeats: of a request longer than H + T tokens only the first H
and the last T are read, each word of them perfectly, and nothing in between at all. That is a
caricature of attention, made to be seen; no measurement says that a model reads like this.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from patch_agent.stand_in.evidence import Answer, Evidence, Wire
from patch_agent.stand_in.model import StandIn
from patch_agent.tokens import TokenCounter, exact


class LimitedReader:
    """A stand-in that is given only the first `head` and the last `tail` tokens of a request.

    What is not read is blanked out, so that places in the text stay what they are. The tool
    list counts to the beginning: it is read after the first message. Raises ValueError for
    negative numbers of tokens.
    """

    def __init__(
        self, reader: StandIn, head: int, tail: int, counter: TokenCounter | None = None
    ) -> None:
        if head < 0 or tail < 0:
            raise ValueError(f"head, tail: expected tokens, 0 or more, got {head} and {tail}")
        self._reader, self._head, self._tail = reader, head, tail
        self._counter = counter or exact()

    def answer(self, request: Wire, probe: Mapping[str, Any]) -> Answer:
        """The answer to one probe from what is read, with the assumption in its words."""
        refused = self._reader.refusal(request)
        if refused:
            return Answer(refused, refused=refused)
        seen = self.seen(request)
        given = self._reader.answer(seen, probe)
        return given if seen is request else replace(given, text=f"{given.text} {self.note}")

    def reply(self, request: Wire) -> dict[str, Any]:
        """The next assistant message from what is read."""
        return self._reader.reply(request if self._reader.refusal(request) else self.seen(request))

    def explain(self, request: Wire) -> tuple[Evidence, ...]:
        """What was read that decided the next action."""
        if self._reader.refusal(request):
            return ()
        return self._reader.explain(self.seen(request))

    @property
    def note(self) -> str:
        """The assumption, as answers give it."""
        return f"(Read: the first {self._head:,} tokens and the last {self._tail:,}.)"

    def seen(self, request: Wire) -> Wire:
        """The request with all that is not read blanked out; the same object if all is read."""
        messages = [dict(message) for message in request.get("messages") or ()]
        offered = list(request.get("tools") or ())
        sizes = [self._counter.text(text) for text in self._texts(messages, offered)]
        total = sum(sizes)
        if total <= self._head + self._tail:
            return request
        ends = self._cuts(sizes, total)
        tools: list[Wire] = []
        kept: list[dict[str, Any]] = []
        for index, message in enumerate(messages):
            kept.append(_blanked(message, ends, self._part))
            if index == 0:
                tools = [tool for tool in offered if next(ends) is None]
        return {**request, "messages": kept, "tools": tools}

    def _texts(self, messages: list[dict[str, Any]], offered: list[Wire]) -> Iterator[str]:
        """All texts in the order of reading."""
        import json

        for index, message in enumerate(messages):
            yield from _strings(message)
            if index == 0:
                yield from (json.dumps(tool, ensure_ascii=False) for tool in offered)

    def _cuts(self, sizes: list[int], total: int) -> Iterator[tuple[int, int] | None]:
        """For each text: None where it is read in full, else the tokens read at both its ends."""
        before = 0
        for size in sizes:
            head = min(max(self._head - before, 0), size)
            tail = min(max(before + size - (total - self._tail), 0), size)
            yield None if head + tail >= size else (head, tail)
            before += size

    def _part(self, text: str, cut: tuple[int, int]) -> str:
        """The text with its middle blanked: `cut` is the tokens kept at either end."""
        head, tail = cut
        begin = self._longest(lambda n: text[:n], len(text), head)
        end = len(text) - self._longest(lambda n: text[len(text) - n :], len(text), tail)
        return text[:begin] + re.sub(r"\S", " ", text[begin:end]) + text[max(begin, end) :]

    def _longest(self, piece: Any, longest: int, tokens: int) -> int:
        """The most characters whose piece has at most so many tokens, by halving."""
        low, high = 0, longest if tokens else 0
        while low < high:
            middle = (low + high + 1) // 2
            if self._counter.text(piece(middle)) <= tokens:
                low = middle
            else:
                high = middle - 1
        return low


def _strings(message: Mapping[str, Any]) -> Iterator[str]:
    content = message.get("content")
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        yield from (str(part.get("text") or "") for part in content)
    for call in message.get("tool_calls") or ():
        yield str(call["function"]["arguments"])


def _blanked(
    message: dict[str, Any], cuts: Iterator[tuple[int, int] | None], part: Any
) -> dict[str, Any]:
    def text(value: str) -> str:
        cut = next(cuts)
        return value if cut is None else str(part(value, cut))

    content = message.get("content")
    if isinstance(content, str):
        message["content"] = text(content)
    elif isinstance(content, list):
        message["content"] = [{**p, "text": text(str(p.get("text") or ""))} for p in content]
    calls = [
        {**call, "function": {**call["function"], "arguments": text(call["function"]["arguments"])}}
        for call in message.get("tool_calls") or ()
    ]
    return message | ({"tool_calls": calls} if calls else {})
