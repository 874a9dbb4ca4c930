"""What tests of policies share: small requests, a short writer, what is sent."""

from __future__ import annotations

import json
from collections.abc import Sequence

from patch_agent.budget import Budget
from patch_agent.messages import Message, ToolCall, assistant, result
from patch_agent.policies import Built, PolicyState
from patch_agent.request import Request, history_part
from patch_agent.summaries import Summary
from patch_agent.tokens import TokenCounter, estimate

COUNTER = estimate()
SMALL = Budget(600, 100)
START = PolicyState()


def request_of(*messages: Message, pins: tuple[str, ...] = ()) -> Request:
    return Request((history_part(messages),), tuple(messages), pins)


def read(ident: str, path: str = "a.py") -> ToolCall:
    return ToolCall(ident, "read_file", json.dumps({"path": path}))


def history(built: Built) -> list[Message]:
    return [entry.message for entry in built.request.part("history").entries]


def sent_bytes(request: Request) -> str:
    return json.dumps(request.wire(), ensure_ascii=False)


def short(
    messages: Sequence[Message], counter: TokenCounter, limit: int, previous: object
) -> Summary:
    """A writer of very short summaries."""
    return Summary("What came before.", 0, 0, "short")


LONG = "line of output\n" * 80
CALLED = (assistant("", read("call_1")), result("call_1", LONG))


def big(count: int = 8) -> list[Message]:
    """Steps of one call and a long result each."""
    return [m for n in range(count) for m in (assistant("", read(f"c{n}")), result(f"c{n}", LONG))]
