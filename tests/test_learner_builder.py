"""A builder of one's own: what it returned is judged and never trusted."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import fields, is_dataclass, replace
from itertools import product
from typing import Any

import pytest

from patch_agent.builder import build_context, full_request
from patch_agent.messages import Message, ToolCall, assistant, result, system, user
from patch_agent.own import Outcome, run_build, say
from patch_agent.own.build import LONGEST_TOKEN, judged
from patch_agent.policies import Built, PolicyState
from patch_agent.request import Entry, Part, Request, fixed_part
from patch_agent.task import PatchState
from tests.learner_builds import BENCH, SCENARIO, STATE, Builder, good, loses_a_result, whole


def outcome(function: Builder) -> Outcome:
    return run_build(function, STATE, SCENARIO.conversation, SCENARIO.window)


def told(function: Builder) -> str:
    found = outcome(function)
    assert found.built is None and found.trouble is not None
    return say(found.trouble)


@pytest.mark.parametrize("bare", [False, True])
def test_a_built_and_a_bare_request_are_both_taken(bare: bool) -> None:
    def build(*given: Any) -> Any:
        return good(*given).request if bare else good(*given)

    found = outcome(build)
    assert found.trouble is None and found.built is not None
    assert found.built.request == build_context(STATE, SCENARIO.conversation, 128_000).request
    assert isinstance(found.built.state, PolicyState)


def turns_around(state: PatchState, conversation: tuple[Message, ...], window: int) -> Request:
    request = whole(state, conversation)
    return replace(request, parts=request.parts[::-1])


def drops_the_request(state: PatchState, conversation: tuple[Message, ...], window: int) -> Request:
    request = whole(state, conversation)
    return replace(request, parts=request.parts[:-1], pins=())


def sends_too_much(state: PatchState, conversation: tuple[Message, ...], window: int) -> Request:
    request = whole(state, conversation)
    return request.with_part(fixed_part("memory", [system("many words " * 100_000)]))


def sends_a_library(state: PatchState, conversation: tuple[Message, ...], window: int) -> Request:
    request = whole(state, conversation)
    return request.with_part(fixed_part("memory", [system("x" * LONGEST_TOKEN * 200_000)]))


@pytest.mark.parametrize(
    "function, words",
    [
        (lambda *_: None, "Your build returned nothing (None)."),
        (lambda *_: [], "Your build returned list."),
        (lambda *_: Built([], PolicyState()), "Your build returned list."),
        (lambda *_: Built(Request(()), {}), "state: expected PolicyState"),
        (lambda *_: Request(p for p in ()), "parts: expected a tuple of Part, got generator"),
        (lambda *_: Request(("a",)), "parts[0]: expected Part, got str"),
        (lambda *_: Request((Part("history", (user("a"),)),)), "entries[0]: expected Entry"),
        (lambda *_: Request((Part("user", (Entry(user(3)),)),)), "text: expected str, got int"),
        (lambda *_: Request((Part("tools", tools=({"a": {1}},)),)), "tools[0]: no JSON"),
        (lambda *_: Request((fixed_part("user", [Message("me")]),)), "role: expected one of"),
        (lambda *_: Request((), marks=(0,)), "marks"),
        (loses_a_result, "has no result"),
        (
            turns_around,
            "Your call cannot be sent, for 20 reasons. part files: files stands after user",
        ),
        (drops_the_request, "request: pinned text is not sent"),
        (sends_too_much, "tokens over the budget of 112,000; largest part: memory"),
        (sends_a_library, "over the budget of 112,000 by 88,"),
        (lambda a, b: None, "Your build raised TypeError: "),
        (lambda s, c, w: c.append(1), "Your build raised AttributeError at line "),
    ],
)
def test_what_cannot_be_sent_is_told(function: Builder, words: str) -> None:
    assert words in told(function)


def test_each_problem_has_its_place() -> None:
    found = outcome(turns_around)
    assert found.trouble and len(found.trouble.details) == found.trouble.values["count"]
    assert all(one.startswith(("part ", "message ", "request: ")) for one in found.trouble.details)


def edits_message(state: PatchState, conversation: tuple[Message, ...], window: int) -> Built:
    object.__setattr__(conversation[12], "blocks", ())
    return good(state, conversation[13:], window)


def edits_raw(state: PatchState, conversation: tuple[Message, ...], window: int) -> Built:
    conversation[3].raw["message"]["content"] = "new"
    return good(state, conversation, window)


def edits_tools(state: PatchState, conversation: tuple[Message, ...], window: int) -> Built:
    state.tools[0]["name"] = "other"
    return good(state, conversation, window)


def edits_state(state: PatchState, conversation: tuple[Message, ...], window: int) -> Built:
    object.__setattr__(state, "agents_md", "")
    return good(state, conversation, window)


@pytest.mark.parametrize(
    "function, name",
    [
        (edits_message, "message 12"),
        (edits_raw, "message 3"),
        (edits_tools, "patch_state.tools"),
        (edits_state, "patch_state.agents_md"),
    ],
)
def test_what_it_edits_is_named_and_stays_as_it_was(function: Builder, name: str) -> None:
    before = json.dumps(full_request(STATE, SCENARIO.conversation).wire())
    assert f"edited what it was given: {name}." in told(function)
    assert json.dumps(full_request(STATE, SCENARIO.conversation).wire()) == before
    assert outcome(good).trouble is None


def test_a_line_of_its_own_is_named_without_the_function_and_a_helpers_with() -> None:
    def helper() -> None:
        raise KeyError("k")

    def build(*_: Any) -> None:
        helper()

    def direct(*_: Any) -> None:
        raise KeyError("k")

    assert "raised KeyError at line " in told(direct) and "direct()" not in told(direct)
    assert " of helper(): 'k'" in told(build)


JUNK = (None, 3, "text", b"bytes", [], (), {}, object(), iter("abc"), (None,), [3], ("a", "b"))


def inner(value: object) -> Iterator[object]:
    """A request and all that it is made of."""
    yield value
    if isinstance(value, tuple):
        for one in value:
            yield from inner(one)
    elif is_dataclass(value):
        for field in fields(value):
            yield from inner(getattr(value, field.name))


def test_whatever_stands_in_a_field_it_is_judged() -> None:
    """Each field of each kind of value in a request takes each kind of junk: never a crash."""
    counted: Counter[str] = Counter()
    call = ToolCall("c1", "read", "{}")
    conversation = (user("a"), assistant("b", call), result("c1", "d"), user("e"))
    start = full_request(replace(STATE, tools=STATE.tools[:1], choices=None), conversation)
    whole_count = sum(is_dataclass(value) for value in inner(start))
    for place, junk in product(range(whole_count), JUNK):
        target = [value for value in inner(deepcopy(start)) if is_dataclass(value)][place]
        for field in fields(target):
            request = deepcopy(start)
            spoilt = [value for value in inner(request) if is_dataclass(value)][place]
            object.__setattr__(spoilt, field.name, junk)
            built, trouble = judged(request, start, PolicyState(), BENCH)
            assert (built is None) != (trouble is None)
            counted[trouble.kind if trouble else "good"] += 1
    assert counted["misshapen"] > 500 and counted["good"] > 10 and counted["invalid"] > 10


def test_late_and_unpaired_messages_are_found_too() -> None:
    def build(state: PatchState, conversation: tuple[Message, ...], window: int) -> Request:
        request = whole(state, conversation)
        return request.with_part(Part("summary", (Entry(result("call_x", "late")),)))

    assert "result 'call_x' has no call before it" in told(build)
