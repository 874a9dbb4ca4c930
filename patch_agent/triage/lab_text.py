"""The exact texts of runs' requests: each distinct message once, and which request sends which.

A widget loads them when a reader opens a request. Pictures have no text and are left out.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from patch_agent.messages import Block, Image, Message, Reasoning, Text, ToolCall, ToolResult
from patch_agent.request import Request
from patch_agent.tokens import TokenCounter, exact, tool_text
from patch_agent.triage.lab import region_of
from patch_agent.vocabulary import clean


def texts(
    runs: Mapping[str, Iterable[Request]], counter: TokenCounter | None = None
) -> dict[str, Any]:
    """The texts of the requests of some runs, by the runs' names.

    `pool` holds [region, role, name, tokens, text] of each message and tool definition, the
    name being that of the tools that it is about; `requests` has for each run and request the
    ranges [first, end) of places in the pool.
    """
    pool = _Pool(counter or exact())
    sent = {name: [_ranges(pool.places(one)) for one in made] for name, made in runs.items()}
    return {"pool": list(pool.pieces), "requests": sent}


def shown(message: Message) -> str:
    """What a reader is shown of a message: reasoning, words, calls with arguments, results."""
    return "\n".join(filter(None, map(_block_text, message.blocks)))


def _block_text(block: Block) -> str:
    match block:
        case Text(text) | Reasoning(text) | ToolResult(_, text):
            return text
        case ToolCall(_, name, arguments):
            return f"{name} {arguments}"
        case Image():
            return ""


Piece = tuple[str, str, str, int, str]


class _Pool:
    """Pieces, each once, in the order in which they are first sent."""

    def __init__(self, counter: TokenCounter) -> None:
        self.counter = counter
        self.pieces: dict[Piece, int] = {}

    def places(self, request: Request) -> Iterator[int]:
        """The places of a request's pieces, in the order in which they are sent."""
        calls = {call.id: call.name for m in request.messages for call in m.calls}
        for part in request.parts:
            for tool in part.tools:
                yield self._place(self._of_tool(tool))
            for entry in part.entries:
                yield self._place(self._of_message(part.id, entry.message, calls))

    def _place(self, piece: Piece) -> int:
        return self.pieces.setdefault(piece, len(self.pieces))

    def _of_tool(self, tool: Mapping[str, Any]) -> Piece:
        name, text = clean(str(tool.get("name", ""))), clean(tool_text(tool))
        return "tools", "definition", name, self.counter.tool(tool), text

    def _of_message(self, part: str, message: Message, calls: Mapping[str, str]) -> Piece:
        name, tokens = clean(_name(message, calls)), self.counter.message(message)
        return region_of(part, message), message.role, name, tokens, clean(shown(message))


def _name(message: Message, calls: Mapping[str, str]) -> str:
    about = [call.name for call in message.calls]
    about += [calls.get(done.call_id, "") for done in message.results]
    return ", ".join(dict.fromkeys(filter(None, about)))


def _ranges(places: Iterable[int]) -> list[list[int]]:
    found: list[list[int]] = []
    for place in places:
        if found and found[-1][1] == place:
            found[-1][1] = place + 1
        else:
            found.append([place, place + 1])
    return found


def sha_of(found: Mapping[str, Any]) -> str:
    """A short name for exactly these texts."""
    return hashlib.sha256(compact(found).encode("utf-8")).hexdigest()[:12]


def compact(value: Any) -> str:
    """JSON without spaces."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
