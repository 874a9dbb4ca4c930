"""One message of a request as the stand-in sees it: who speaks, the words, the calls."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from patch_agent.stand_in.evidence import Wire

RULE_SOURCES = frozenset({"user", "task", "summary", "agents_md"})
"""Who can state a rule: the user, the task block, a summary, AGENTS.md."""
_OTHERS = frozenset({"user", "assistant", "tool"})
NAMES = {
    "user": "The user",
    "assistant": "An earlier reply",
    "task": "The task block",
    "summary": "The summary",
    "agents_md": "AGENTS.md",
    "report": "The helper's report",
    "tool": "A tool's output",
}
"""How an answer names its source."""


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call, its arguments read; a broken JSON text gives no arguments."""

    id: str
    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Source:
    """A message: `kind` is its role, or the id of its part for a system message."""

    kind: str
    text: str
    call_id: str = ""
    error: bool = False


def source(message: Wire) -> Source:
    """Reads who speaks and what is said; a system message is nobody else's by its name."""
    role = str(message.get("role", ""))
    kind = str(message.get("name") or role) if role == "system" else role
    if role == "system" and kind in _OTHERS:
        kind = role
    call_id, error = str(message.get("tool_call_id") or ""), bool(message.get("is_error"))
    return Source(kind, text_of(message), call_id, error)


read_once = lru_cache(maxsize=4096)
"""For what depends on one message alone: it is read once, however many requests hold it."""


def text_of(message: Wire) -> str:
    """The words of a message; of several typed parts, the text parts joined by line feeds.

    What a tool returned is no word of the user's, though a provider puts it into such a message.
    """
    content = message.get("content")
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    words = ("text", "tool_result") if message.get("role") == "tool" else ("text",)
    parts = [p for p in content if isinstance(p, Mapping) and p.get("type") in words]
    return "\n".join(str(p.get("text") or p.get("content") or "") for p in parts)


def calls(message: Wire) -> tuple[Call, ...]:
    """The calls that a message makes."""
    found = []
    for call in message.get("tool_calls") or ():
        function = call.get("function") or {}
        arguments = _arguments(str(function.get("arguments") or "{}"))
        found.append(Call(str(call.get("id", "")), str(function.get("name", "")), arguments))
    return tuple(found)


@lru_cache(maxsize=4096)
def _arguments(text: str) -> Mapping[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def part_name(here: Source, is_last_user: bool) -> str:
    """The part of the request that a message belongs to, as far as the wire shows it."""
    if here.kind == "user":
        return "user" if is_last_user else "history"
    return "history" if here.kind in ("assistant", "tool") else here.kind
