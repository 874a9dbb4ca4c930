"""What tests of the context builder share: a state, a conversation, calls that are built."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from patch_agent.builder import Choices, PatchState, Rule, build_context
from patch_agent.messages import Message, ToolCall, assistant, result, steps, user
from patch_agent.request import Request
from patch_agent.tokens import estimate
from tests.conversations import GOAL, RULE, patch_like

COUNTER = estimate()
WINDOW = 128_000
STATE = PatchState(
    system="You are Patch.",
    tools=({"name": "read_file"}, {"name": "edit_file"}),
    team_tools=({"name": "send_mail"},),
    agents_md="Add a line to CHANGELOG.md.",
    memory="A note.",
    skills="A list.",
    report="A report.",
    files=(("auth/session.py", "def read_stamp(): ..."),),
    goal=f"{GOAL} must pass",
    rules=(Rule(RULE, 5),),
    files_changed=("auth/tokens.py",),
    last_test="1 failed, 2 passed",
)
NEXT = user("Now mend it.")
TALK = (*patch_like(), NEXT)
OUTPUT = "line of output\n" * 120


def grown(count: int) -> tuple[Message, ...]:
    """A user's request and so many steps of one read each."""
    messages = [user("Find out why.")]
    for number in range(1, count + 1):
        call = ToolCall(f"call_{number}", "read_file", json.dumps({"path": f"src/p{number}.py"}))
        messages += [assistant(f"I read part {number}.", call), result(call.id, OUTPUT)]
    return tuple(messages)


def build(state: PatchState, talk: Sequence[Message] = TALK, window: int = WINDOW) -> Request:
    return build_context(state, talk, window, counter=COUNTER).request


def chosen(recent: int, older: str, **more: object) -> PatchState:
    return replace(STATE, choices=Choices(recent, older, **more))  # type: ignore[arg-type]


def sent_steps(request: Request) -> set[int]:
    """The steps whose messages are all in the history."""
    sent = {entry.index for entry in request.part("history").entries}
    return {step.number for step in steps(request.conversation) if sent.issuperset(step.indices)}
