"""What stands for a result that is not sent whole: a line if cleared, its two ends if too long.

Both say how much is missing and where the full text is kept, at their head.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from patch_agent.messages import Block, ToolResult
from patch_agent.output_paths import Uses, output_path
from patch_agent.policies.index import Index
from patch_agent.request import Entry
from patch_agent.tokens import TokenCounter

_Place = tuple[int | None, int]
"""A block's message in the conversation, None where it is in none, and its place in there."""
_FORM = re.compile(r"\[cleared: [\d,]+ tokens; full text in \S+\]")


def placeholder(call_id: str, tokens: int, use: int = 1) -> str:
    """What stands for a cleared output of so many tokens; `use` as in `output_path`.

    >>> placeholder("call_9", 1400)
    '[cleared: 1,400 tokens; full text in .patch/outputs/call_9.log]'
    """
    return f"[cleared: {tokens:,} tokens; full text in {output_path(call_id, use)}]"


def is_placeholder(text: str) -> bool:
    """True for the text that stands for a cleared output."""
    return text.startswith("[cleared: ") and _FORM.fullmatch(text) is not None


def clipped(call_id: str, text: str, counter: TokenCounter, cap: int, use: int = 1) -> str:
    """The head and the tail of a result of more than `cap` tokens, under a notice with its size.

    A text that is within the cap is left as it is; where nothing fits, the notice stays alone,
    unless the text is shorter than that.
    """
    size = counter.text(text)
    if size <= cap:
        return text
    where = output_path(call_id, use)
    notice = f"[clipped: {size:,} tokens, {cap:,} at most are sent; full text in {where}]"
    room = len(text) * max(cap - counter.text(notice), 0) // size
    while room > 1:
        head, tail = text[: room * 2 // 3], text[len(text) - room // 3 :]
        short = f"{notice}\n{head}\n[...]\n{tail}"
        if counter.text(short) <= cap:
            return short
        room = room * 9 // 10
    return notice if counter.text(notice) < size else text


@dataclass(frozen=True, slots=True)
class Form:
    """How results are sent: `cap` clips them, `exclude` names tools whose results are not cleared.

    `counter` gives the sizes that notices and placeholders name; None where nothing is shortened.
    """

    counter: TokenCounter | None = None
    exclude: frozenset[str] = frozenset()
    cap: int | None = None

    def sent(self, entry: Entry, index: Index) -> Entry:
        """The entry with its long results clipped."""
        if self.cap is None or not entry.message.results:
            return entry
        blocks = [
            self._clipped(block, index, (entry.index, position))
            for position, block in enumerate(entry.message.blocks)
        ]
        return _changed(entry, blocks)

    def cleared(self, entry: Entry, sent: Entry, index: Index) -> Entry:
        """The entry with placeholders for its results, where they are smaller than what is sent."""
        if not entry.message.results:
            return sent
        blocks = [
            self._cleared(block, whole, index, (entry.index, position))
            if isinstance(block, ToolResult) and isinstance(whole, ToolResult)
            else whole
            for position, (block, whole) in enumerate(
                zip(entry.message.blocks, sent.message.blocks, strict=True)
            )
        ]
        return _changed(sent, blocks)

    def _clipped(self, block: Block, index: Index, place: _Place) -> Block:
        if self.cap is None or self.counter is None or not isinstance(block, ToolResult):
            return block
        if self.counter.text(block.text) <= self.cap or is_placeholder(block.text):
            return block
        use = _use(index, block, place)
        text = clipped(block.call_id, block.text, self.counter, self.cap, use)
        return block if text is block.text else replace(block, text=text)

    def _cleared(
        self, block: ToolResult, whole: ToolResult, index: Index, place: _Place
    ) -> ToolResult:
        if (
            self.counter is None
            or block.pending
            or _tool(index, place) in self.exclude
            or is_placeholder(block.text)
        ):
            return whole
        use = _use(index, block, place)
        text = placeholder(block.call_id, self.counter.text(block.text), use)
        smaller = self.counter.text(text) < self.counter.text(whole.text)
        return replace(whole, text=text) if smaller else whole


def _tool(index: Index, place: _Place) -> str:
    """The name of the tool that a result comes from."""
    return "" if place[0] is None else index.tools.get((place[0], place[1]), "")


def _use(index: Index, done: ToolResult, place: _Place) -> int:
    """Which use of its id a result is, in the whole conversation."""
    if place[0] is None:
        return 1
    uses: Uses = index.cache.setdefault("uses", Uses())
    uses.read(index.messages)
    return uses.of(done.call_id, (place[0], place[1]))


def _changed(entry: Entry, blocks: Sequence[Block]) -> Entry:
    if all(new is old for new, old in zip(blocks, entry.message.blocks, strict=True)):
        return entry
    return replace(entry, message=replace(entry.message, blocks=tuple(blocks)))
