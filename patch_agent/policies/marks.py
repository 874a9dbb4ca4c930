"""Marks: where a provider that wants to be told should keep the beginning of a request.

One mark stands behind the system prompt and the task, one at the end of what only grows: what
comes after that is made anew for each call (files, task block), so that the next call could not
reuse it. Tool definitions are sorted by name, since their order is part of the prefix. Marks
change no text and no count.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from patch_agent.request import VOLATILITY, Part, Request


def marked(request: Request) -> Request:
    """The request with its two marks, or fewer where they would fall together."""
    marks = dict.fromkeys(place for place in _ends(request) if place >= 0)
    return replace(request, marks=tuple(marks))


def _ends(request: Request) -> Iterator[int]:
    """The places of the last message of the stable start, and of the last that only grows."""
    count, stable, growing = 0, -1, -1
    starting = True
    for part in request.parts:
        how, size = VOLATILITY[part.id], len(part.entries)
        if how == "per call":
            break
        if starting:
            fixed = size if how in ("fixed", "per task") else _leading(part)
            stable = count + fixed - 1
            starting = fixed == size
        count += size
        growing = count - 1
    yield stable
    yield growing


def _leading(part: Part) -> int:
    """How many messages of a history stand before the first reply: system prompt and task."""
    if part.id != "history":
        return 0
    for place, entry in enumerate(part.entries):
        if entry.message.role not in ("system", "user") or entry.index is None:
            return place
    return len(part.entries)


def sorted_tools(request: Request) -> Request:
    """The request with its tool definitions in the order of their names."""
    tools = request.tools
    ordered = tuple(sorted(tools, key=_name))
    if all(one is other for one, other in zip(ordered, tools, strict=True)):
        return request
    return request.with_part(replace(request.part("tools"), tools=ordered))


def _name(tool: Mapping[str, Any]) -> str:
    function = tool.get("function")
    name = tool.get("name", function.get("name") if isinstance(function, Mapping) else "")
    return str(name)
