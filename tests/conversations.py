"""Conversations for tests: three hand-made ones of different kinds, and a Hypothesis strategy."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from patch_agent.messages import (
    Block,
    Image,
    Message,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    assistant,
    result,
    system,
    user,
)

GOAL = "tests/test_auth.py::test_login_expired_token"
RULE = (
    "One thing: tests/fixtures/ is off limits. The billing suite shares those files, so do not"
    " edit anything in there."
)


def call(number: int, name: str, **arguments: Any) -> ToolCall:
    """A call named as the harness names them."""
    return ToolCall(f"call_{number}", name, json.dumps(arguments))


def step(number: int, words: str, name: str, output: str, **arguments: Any) -> list[Message]:
    """One step: what the assistant says, its call, the call's result."""
    made = call(number, name, **arguments)
    return [assistant(words, made), result(made.id, output)]


def _source(path: str, lines: int) -> str:
    body = [
        f"{n:>4}  {path.split('/')[-1][:-3]}_{n} = settings.value({n * 7})" for n in range(1, lines)
    ]
    return "\n".join([f"{path}, lines 1 to {lines}", *body])


FAILED_RUN = f"""\
collected 3 items

tests/test_auth.py::test_login PASSED
tests/test_auth.py::test_logout PASSED
{GOAL} FAILED

=================================== FAILURES ===================================
___________________________ test_login_expired_token ___________________________

    def test_login_expired_token(shop):
        token = shop.token(expires=-3600)
        reply = shop.post("/login", token=token)
>       assert reply.status == 401
E       assert 200 == 401
E        +  where 200 = <Reply>.status

tests/test_auth.py:41: AssertionError
=========================== short test summary info ============================
FAILED {GOAL} - assert 200 == 401
1 failed, 2 passed
"""


def patch_like() -> tuple[Message, ...]:
    """Twenty steps of a coding agent: a failing test, a rule at step 5, a dead end at 8 to 11."""
    skew = {"old": "CLOCK_SKEW = timedelta(seconds=0)", "new": "CLOCK_SKEW = timedelta(seconds=90)"}
    told = [
        [user(f"Make `{GOAL}` pass."), *step(1, "I run it.", "run_tests", FAILED_RUN, target=GOAL)],
        step(2, "", "list_files", "auth/\nbilling/\ntests/", path="."),
        step(3, "", "read_file", _source("tests/test_auth.py", 60), path="tests/test_auth.py"),
        step(4, "", "read_file", _source("auth/tokens.py", 150), path="auth/tokens.py"),
        [user(RULE), *step(5, "Understood.", "search_text", "auth/tokens.py:12", pattern="skew")],
        step(6, "", "read_file", _source("auth/session.py", 180), path="auth/session.py"),
        step(7, "", "read_file", _source("billing/tax.py", 120), path="billing/tax.py"),
        step(8, "I try an allowance.", "edit_file", "edited", path="auth/tokens.py", **skew),
        step(9, "", "run_tests", FAILED_RUN, target=GOAL),
        step(10, "", "run_tests", FAILED_RUN, target="tests/test_auth.py"),
        step(
            11,
            "The clock-skew allowance in auth/tokens.py did not help, so I take it back.",
            "edit_file",
            "edited",
            path="auth/tokens.py",
            old=skew["new"],
            new=skew["old"],
        ),
        step(12, "", "run_tests", FAILED_RUN, target=GOAL),
        [user("Good. How far are you?"), *step(13, "", "read_file", "x", path="web/app.py")],
        *[
            step(n, "", "read_file", _source(f"store/part_{n}.py", 90), path=f"store/part_{n}.py")
            for n in range(14, 19)
        ],
        step(
            19,
            "I suspect auth/session.py: read_stamp takes the expiry for local time.",
            "read_file",
            _source("auth/session.py", 180),
            path="auth/session.py",
        ),
        step(20, "", "run_tests", FAILED_RUN, target=GOAL),
    ]
    return tuple(message for part in told for message in part)


def shell_agent() -> tuple[Message, ...]:
    """A shell agent on a Go service, its ids from a provider, two calls at once."""
    build = ToolCall("toolu_abC", "bash", json.dumps({"command": "go test ./queue/..."}))
    read = ToolCall("toolu_xyZ", "view", json.dumps({"file_path": "queue/worker.go"}))
    change = {
        "file_path": "queue/worker.go",
        "old_string": "retries := 3",
        "new_string": "retries := 9",
    }
    edit = ToolCall("toolu_edT", "str_replace", json.dumps(change))
    back = ToolCall("toolu_bcK", "bash", json.dumps({"command": "git checkout -- queue/worker.go"}))
    return (
        system("You are a careful engineer."),
        user("The queue drops jobs. Find out why, ticket OPS-412. Never restart the live queue!"),
        assistant("I look at the tests and the worker.", build, read),
        result("toolu_xyZ", "package queue\n\nfunc Work() {}\n"),
        result(
            "toolu_abC", "--- FAIL: TestDrain (0.01s)\n    drain_test.go:9: got 3, want 4\nFAIL"
        ),
        assistant("More retries may help.", edit),
        result("toolu_edT", "ok"),
        assistant("More retries made no difference. I put the file back.", back),
        result("toolu_bcK", "Updated 1 path from the index"),
        assistant("We will look at queue/drain.go next, since the loop ends one job early."),
        user("ok, but keep the commit small"),
        assistant("I keep it small."),
    )


def plain_chat() -> tuple[Message, ...]:
    """People planning a trip: no tools at all."""
    return (
        user("We are four, two of us vegetarian. Plan three days in Lisbon in May."),
        assistant("Day 1 Alfama, day 2 Belém, day 3 Sintra. I decided on trains throughout."),
        user("Under no circumstances a hotel above 140 euros a night."),
        assistant("Then the Graça guesthouse. The Belém one is ruled out: it costs 180 euros."),
        user("And Sintra on day 2, please."),
        assistant("Done: Sintra on day 2, Belém on day 3."),
    )


THREE = {"patch": patch_like, "shell": shell_agent, "chat": plain_chat}

_WORDS = st.sampled_from(
    ["", "ok", "Do not touch data/raw/.", "e = 1", "日本語のテキスト", "a b " * 30, "🙂 né"]
)
_HUGE = "line of output\n" * 3_000  # about 11,000 tokens; most budgets here are below 4,000
_OUTPUTS = st.one_of(_WORDS, st.sampled_from(["line of output\n" * 60, FAILED_RUN, _HUGE]))
_IDS = st.sampled_from(["call_1", "call_2", "a", "b"])


@st.composite
def conversations(draw: st.DrawFn, most: int = 12, least: int = 1) -> tuple[Message, ...]:
    """Valid conversations: parallel, late and pending results, reused ids, reasoning, images,
    several system messages, empty and huge content; every call has a result in the end."""
    messages: list[Message] = []
    owed: list[ToolResult] = []
    for _ in range(draw(st.integers(least, most))):
        messages += draw(_asides())
        owed = _pay(draw, messages, owed)
        made = [
            ToolCall(ident, "read_file", json.dumps({"path": f"src/{ident}.py"}))
            for ident in draw(st.lists(_IDS, max_size=3, unique=True))
            if ident not in {done.call_id for done in owed}
        ]
        said: tuple[Block, ...] = (Text(draw(_WORDS)),) if draw(st.booleans()) else ()
        if draw(st.booleans()):
            said = (Reasoning("hm", opaque=draw(st.booleans()), id="r1"), *said)
        messages.append(Message("assistant", (*said, *made)))
        for one in draw(st.permutations(made)):
            if draw(st.integers(0, 4)) == 0:
                messages.append(Message("tool", (ToolResult(one.id, "going on", pending=True),)))
                owed.append(ToolResult(one.id, draw(_OUTPUTS)))
            elif draw(st.integers(0, 4)) == 0:
                owed.append(ToolResult(one.id, draw(_OUTPUTS)))
            else:
                messages.append(result(one.id, draw(_OUTPUTS), error=draw(st.booleans())))
    messages += [Message("tool", (done,)) for done in owed]
    if draw(st.booleans()):
        messages.append(user(draw(_WORDS)))
    return tuple(messages)


@st.composite
def _asides(draw: st.DrawFn) -> list[Message]:
    """What may stand before a reply: system and user messages, pictures, nothing."""
    kinds = draw(st.lists(st.sampled_from(["system", "user", "image", "empty"]), max_size=2))
    made = {
        "system": lambda: system(draw(_WORDS)),
        "user": lambda: user(draw(_WORDS)),
        "image": lambda: Message("user", (Text("look"), Image("image/png", "aGk=", 85))),
        "empty": lambda: Message("user"),
    }
    return [made[kind]() for kind in kinds]


def _pay(draw: st.DrawFn, messages: list[Message], owed: list[ToolResult]) -> list[ToolResult]:
    """Some of the late results come now: as a message, or beside the words of a user."""
    left = []
    for done in owed:
        if draw(st.booleans()):
            left.append(done)
        elif draw(st.booleans()):
            messages.append(Message("tool", (done,)))
        else:
            messages.append(Message("user", (Text("by the way"), done)))
    return left
