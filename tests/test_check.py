"""The checks, tested by requests that have exactly one thing wrong."""

from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from patch_agent.budget import Budget
from patch_agent.check import pair_problems, problems
from patch_agent.messages import Message, Text, ToolCall, ToolResult, assistant, result, user
from patch_agent.request import Part, Request, fixed_part, history_part
from patch_agent.tokens import exact
from tests.any_messages import anything
from tests.conversations import conversations
from tests.test_request import example

RULE = "Please keep your hands off tests/fixtures/: the billing suite shares those files."
TALK = (
    user(RULE),
    assistant("", ToolCall("call_1", "read_file", "{}"), ToolCall("call_2", "read_file", "{}")),
    result("call_1", "x = 1"),
    result("call_2", "y = 2"),
    assistant("I have it.", ToolCall("call_3", "run_tests", "{}")),
    result("call_3", "1 failed"),
)


def sound(pins: tuple[str, ...] = (RULE,)) -> Request:
    return replace(example().with_part(history_part(TALK)), conversation=TALK, pins=pins)


def kinds(request: Request, *with_size: object) -> list[str]:
    return [problem.kind for problem in problems(request, *with_size)]


def with_history(request: Request, places: list[int]) -> Request:
    entries = request.part("history").entries
    return request.with_part(Part("history", tuple(entries[place] for place in places)))


def test_a_sound_request_has_no_problem():
    size = sound().tokens(exact())
    assert problems(sound(), exact(), Budget(size, 0)) == ()


@pytest.mark.parametrize("dropped", [2, 3, 5])
def test_a_dropped_result_is_found_by_its_call(dropped):
    request = with_history(sound(), [place for place in range(6) if place != dropped])
    (problem,) = problems(request)
    assert problem.kind == "pair" and TALK[dropped].results[0].call_id in problem.message


@pytest.mark.parametrize("dropped", [1, 4])
def test_a_dropped_call_is_found_by_its_results(dropped):
    request = with_history(sound(), [place for place in range(6) if place != dropped])
    lost = {call.id for call in TALK[dropped].calls}
    found = problems(request)
    assert [p.kind for p in found] == ["pair"] * len(lost)
    assert all(any(ident in p.message for p in found) for ident in lost)


@pytest.mark.parametrize("place", range(5))
def test_two_swapped_messages_are_found(place):
    places = list(range(6))
    places[place], places[place + 1] = places[place + 1], places[place]
    assert "order" in kinds(with_history(sound(), places))


def test_swapped_parts_are_found():
    request = sound()
    parts = list(request.parts)
    for place in range(len(parts) - 1):
        turned = [*parts]
        turned[place], turned[place + 1] = turned[place + 1], turned[place]
        found = problems(replace(request, parts=tuple(turned)))
        assert [p.kind for p in found] == ["order"] and parts[place].id in found[0].where


def test_a_part_that_stands_twice_is_found():
    request = sound()
    assert kinds(replace(request, parts=(request.parts[0], *request.parts))) == ["order"]


def saying(text: str, pin: str) -> Request:
    request = sound((pin,))
    entries = request.part("history").entries
    first = replace(entries[0], message=user(text))
    return request.with_part(Part("history", (first, *entries[1:])))


@pytest.mark.parametrize("place", range(0, len(RULE), 7))
def test_one_changed_byte_of_a_pin_is_found(place):
    changed = RULE[:place] + ("x" if RULE[place] != "x" else "y") + RULE[place + 1 :]
    (problem,) = problems(saying(changed, RULE))
    assert problem.kind == "pin" and RULE[:30] in problem.message


@pytest.mark.parametrize(
    "pin", [f" {RULE}", f"{RULE}\n", RULE.lower(), RULE.replace(" ", "  ", 1), f"{RULE} \u200b"]
)
def test_a_pin_has_to_be_there_with_its_blanks_and_capitals(pin):
    assert kinds(saying(pin, pin)) == []
    assert kinds(saying(RULE, pin)) == ["pin"]


def test_a_pin_may_stand_in_another_part_but_not_in_two_halves():
    short = with_history(sound(), [1, 2, 3, 4, 5])
    assert kinds(short) == ["pin"]
    moved = short.with_part(fixed_part("task", [Message("system", (Text(f"Rule: {RULE}"),))]))
    assert kinds(moved) == []
    halves = [user(RULE[:20]), user(RULE[20:])]
    assert kinds(short.with_part(fixed_part("user", halves))) == ["pin"]


def test_one_token_over_the_budget_is_found():
    size = sound().tokens(exact())
    assert kinds(sound(), exact(), Budget(size + 16_000)) == []
    (problem,) = problems(sound(), exact(), Budget(size + 15_999))
    assert problem.kind == "fit" and "1 tokens over" in problem.message


def test_an_index_outside_the_conversation_is_found():
    entries = sound().part("history").entries
    wild = replace(entries[-1], index=99)
    assert kinds(sound().with_part(Part("history", (*entries[:-1], wild)))) == ["order"]


def test_a_result_before_its_call_is_found_from_both_sides():
    messages = [result("1", "early"), assistant("", ToolCall("1", "read_file", "{}"))]
    assert kinds(Request((history_part(messages),), tuple(messages))) == ["pair", "pair"]


def test_a_pending_result_is_enough_for_a_provider():
    waiting = Message("tool", (ToolResult("1", "in progress", pending=True),))
    assert list(pair_problems([assistant("", ToolCall("1", "a", "{}")), waiting])) == []


def test_an_empty_request_has_no_problem():
    assert problems(Request(()), exact(), Budget(1, 0)) == ()


@given(conversations())
def test_any_sound_conversation_passes(messages):
    request = Request((history_part(messages),), messages)
    assert problems(request, exact(), Budget(10_000_000)) == ()


@given(conversations(), st.data())
def test_a_result_dropped_from_any_conversation_is_found(messages, data):
    places = [
        i
        for i, message in enumerate(messages)
        if message.results and not any(done.pending for done in message.results)
    ]
    assume(places)
    dropped = data.draw(st.sampled_from(places))
    ids = {done.call_id for done in messages[dropped].results}
    waiting = {d.call_id for m in messages for d in m.results if d.pending}
    assume(not ids & waiting)
    entries = history_part(messages).entries
    request = Request((Part("history", entries[:dropped] + entries[dropped + 1 :]),), messages)
    assert "pair" in kinds(request)


@given(conversations(), st.data())
def test_any_two_swapped_messages_are_found(messages, data):
    assume(len(messages) > 1)
    first = data.draw(st.integers(0, len(messages) - 2))
    second = data.draw(st.integers(first + 1, len(messages) - 1))
    entries = list(history_part(messages).entries)
    entries[first], entries[second] = entries[second], entries[first]
    assert "order" in kinds(Request((Part("history", tuple(entries)),), messages))


@given(anything())
def test_checking_never_raises(messages):
    problems(Request((history_part(messages),), tuple(messages), ("x",)), exact(), Budget(9, 0))
