"""Is it a request at all? The types are looked at before anything is done with it.

Only plain tuples and lists are let in: they have an end.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any

from patch_agent.messages import (
    Block,
    Image,
    Message,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    Usage,
)
from patch_agent.policies import Built, PolicyState
from patch_agent.request import PARTS, Entry, Part, Request
from patch_agent.summaries import Summary

ROLES = ("system", "user", "assistant", "tool")
BLOCKS: tuple[type[Block], ...] = (Text, Reasoning, Image, ToolCall, ToolResult)
LARGEST = 2**53
"""Whole numbers below it are the same in a page."""
_SEQUENCES = (tuple, list)


def misshapen(request: Request) -> str:
    """What is not of its type and where, in words; nothing where the request can be read."""
    return next(_faults(request), "")


def misshapen_rest(built: Built) -> str:
    """The same of what comes with a request: the next state, what it cost, the notes."""
    return next(_faults_beside(built), "")


def _faults_beside(built: Built) -> Iterator[str]:
    if type(built.state) is not PolicyState:
        yield _expected("state", "PolicyState", built.state)
        return
    yield from _whole_numbers("state", built.state)
    summary = built.state.summary
    if summary is not None and not (type(summary) is Summary and isinstance(summary.text, str)):
        yield _expected("state: summary", "Summary", summary)
    if summary is None and built.state.covered:
        yield "state: covered: expected a summary that stands for those steps"
    if type(built.usage) is not Usage:
        yield _expected("usage", "Usage", built.usage)
        return
    yield from _whole_numbers("usage", built.usage)
    yield from _all("notes", built.notes, str)


def _whole_numbers(name: str, value: PolicyState | Usage) -> Iterator[str]:
    for one in fields(value):
        number = getattr(value, one.name)
        if str(one.type) == "int" and (type(number) is not int or not 0 <= number < LARGEST):
            yield _expected(f"{name}: {one.name}", "a whole number", number)


def _faults(request: Request) -> Iterator[str]:
    yield from _all("parts", request.parts, Part)
    yield from _all("conversation", request.conversation, Message)
    yield from _all("pins", request.pins, str)
    yield from _all("marks", request.marks, int)
    for part in request.parts:
        if not isinstance(part.id, str) or part.id not in PARTS:
            yield _expected("part", f"one of {', '.join(PARTS)}", part.id)
        where = f"part {part.id}"
        yield from _all(f"{where}: entries", part.entries, Entry)
        yield from _tools(where, part.tools)
        for place, entry in enumerate(part.entries):
            here = f"{where}, entry {place}"
            if entry.index is not None and (type(entry.index) is not int or entry.index < 0):
                yield _expected(f"{here}: index", "a place in the conversation", entry.index)
            yield from _message(here, entry.message)
    count = len(request.messages)
    yield from (_expected("marks", f"0 to {count - 1}", m) for m in request.marks if m >= count)


def _all(name: str, values: Any, kind: type) -> Iterator[str]:
    if type(values) not in _SEQUENCES:
        yield _expected(name, f"a tuple of {kind.__name__}", values)
        return
    for place, value in enumerate(values):
        if not isinstance(value, kind):
            yield _expected(f"{name}[{place}]", kind.__name__, value)


def _tools(where: str, tools: Any) -> Iterator[str]:
    if type(tools) not in _SEQUENCES:
        yield _expected(f"{where}: tools", "a tuple of objects", tools)
        return
    for place, tool in enumerate(tools):
        name = f"{where}: tools[{place}]"
        if not isinstance(tool, Mapping):
            yield _expected(name, "an object", tool)
            continue
        try:
            json.dumps(tool)
        except (TypeError, ValueError, RecursionError) as error:
            yield f"{name}: no JSON ({error})"


def _message(where: str, message: Any) -> Iterator[str]:
    if not isinstance(message, Message):
        yield _expected(where, "Message", message)
        return
    if message.role not in ROLES:
        yield _expected(f"{where}: role", f"one of {', '.join(ROLES)}", message.role)
    if message.name is not None and not isinstance(message.name, str):
        yield _expected(f"{where}: name", "str", message.name)
    if type(message.blocks) not in _SEQUENCES:
        yield _expected(f"{where}: blocks", "a tuple of blocks", message.blocks)
        return
    for block in message.blocks:
        if not isinstance(block, BLOCKS):
            yield _expected(f"{where}: blocks", "Text, ToolCall or the like", block)
            continue
        yield from _block(where, block)


def _block(where: str, block: Block) -> Iterator[str]:
    """All fields of blocks are texts but those that say so by another default."""
    for one in fields(block):
        value = getattr(block, one.name)
        wanted = {"bool": bool, "int": int}.get(str(one.type), str)
        if value is None and "None" in str(one.type):
            continue
        if not isinstance(value, wanted):
            yield _expected(f"{where}: {one.name}", wanted.__name__, value)


def _expected(where: str, wanted: str, value: object) -> str:
    return f"{where}: expected {wanted}, got {type(value).__name__}"
