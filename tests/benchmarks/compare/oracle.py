"""Judges what was kept of a conversation. It reads plain dicts and shares no code with anyone.

It is strict where a provider is: the results of a message's calls follow it at once, each once.
"""

from __future__ import annotations

from typing import Any

CHECKS = ("pairs", "system", "rule", "budget")


def judge(kept: list[dict[str, Any]], system: str, rule: str, limit: int) -> dict[str, bool]:
    """Whether pairs, the system prompt, the user's rule word for word, and the budget held."""
    told = [m.get("content") or "" for m in kept if m["role"] in ("user", "system")]
    return {
        "pairs": pairs_hold(kept),
        "system": any(m["role"] == "system" and system in (m.get("content") or "") for m in kept),
        "rule": any(rule in text for text in told),
        "budget": size(kept) <= limit,
    }


def pairs_hold(kept: list[dict[str, Any]]) -> bool:
    """True where each call is followed by its one result, and no result is without a call."""
    waiting: list[str] = []
    for message in kept:
        if message["role"] == "tool":
            if message.get("tool_call_id") not in waiting:
                return False
            waiting.remove(message["tool_call_id"])
        elif waiting:
            return False
        else:
            waiting = [call["id"] for call in message.get("tool_calls") or ()]
    return not waiting


def size(kept: list[dict[str, Any]]) -> int:
    """Tokens: four for a message, and for each text its bytes / 4, rounded up."""
    total = 0
    for message in kept:
        found = [message.get("content") or "", message.get("tool_call_id") or ""]
        for call in message.get("tool_calls") or ():
            found += [call["id"], call["function"]["name"], call["function"]["arguments"]]
        total += 4 + sum((len(text.encode()) + 3) // 4 for text in found)
    return total
