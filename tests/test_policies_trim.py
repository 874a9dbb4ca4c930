"""Trim: whole turns, whole steps inside the current one, and a note that says how much is gone."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from patch_agent.check import problems
from patch_agent.messages import (
    Message,
    ToolResult,
    assistant,
    result,
    steps,
    system,
    turns,
    user,
)
from patch_agent.policies import Built, PolicyState, Running, Trim
from patch_agent.policies.known import indexed
from patch_agent.policies.trim import trim_note
from patch_agent.request import fixed_part
from tests.conversations import conversations
from tests.policy_tools import COUNTER, LONG, START, big, history, read, request_of

STEP = COUNTER.messages(big(1))


def trimmed(messages: list[Message], limit: int, target: int | None = None) -> Built:
    return Trim(COUNTER, limit, target).build(request_of(*messages), START)


def turn(number: int, count: int) -> list[Message]:
    return [user(f"request {number}"), *big(count)]


def test_below_its_limit_nothing_goes() -> None:
    request = request_of(*big(4))
    assert Trim(COUNTER, request.tokens(COUNTER)).build(request, START) == Built(request, START)


def test_inside_one_long_turn_single_steps_go_and_the_request_stays() -> None:
    built = trimmed(turn(1, 30), 20 * STEP, 10 * STEP)
    sent = history(built)
    assert sent[0] == user("request 1")
    kept = len(sent[2:]) // 2
    assert sent[2:] == big(30)[-2 * kept :] and kept == 9
    assert sent[1] == system(trim_note(21, 21 * STEP), name="history")
    assert built.state.trimmed == 1 + 2 * 21


def test_turns_before_the_current_one_go_as_a_whole() -> None:
    messages = [*turn(1, 4), *turn(2, 4), *turn(3, 4), *turn(4, 2)]
    for limit, first in ((13, 9), (9, 18), (5, 27)):
        built = trimmed(messages, limit * STEP, limit * STEP)
        assert history(built)[1:] == messages[first:]


def test_a_turn_of_the_last_steps_may_lose_its_own_first_steps() -> None:
    messages = [*turn(1, 9), user("request 2"), assistant("at once")]
    built = trimmed(messages, 3 * STEP)
    assert history(built)[1:] == [*big(9)[-2:], user("request 2"), assistant("at once")]


def test_at_least_two_steps_are_left() -> None:
    built = trimmed(turn(1, 9), 1)
    assert history(built)[2:] == big(9)[-4:]
    again = Trim(COUNTER, 1).build(request_of(*turn(1, 9)), built.state)
    assert again == built


def test_system_messages_pins_and_the_latest_request_stay() -> None:
    rule = user("Never touch data/raw/.")
    messages = [system("house rules"), rule, *big(3), user("now this"), *big(20)]
    request = request_of(*messages, pins=(rule.text,))
    sent = history(Trim(COUNTER, 6 * STEP).build(request, START))
    assert sent[:3] == [system("house rules"), rule, user("now this")]
    assert sent[3].name == "history" and len(sent) < 12


def test_a_step_that_waits_for_a_result_stays() -> None:
    waiting = [assistant("", read("job")), Message("tool", (ToolResult("job", "…", pending=True),))]
    sent = history(trimmed([user("u"), *waiting, *big(20)], 6 * STEP))
    assert sent[1:3] == waiting


def test_a_late_result_that_the_model_has_not_seen_stays_with_its_call() -> None:
    late = [assistant("", read("job")), user("meanwhile"), *big(20), result("job", "finished")]
    built = trimmed(late, 6 * STEP)
    assert late[0] in history(built) and result("job", "finished") in history(built)
    assert problems(built.request) == ()
    seen = [*late, assistant("I see."), *big(2)]
    sent = history(Trim(COUNTER, 6 * STEP).build(request_of(*seen), built.state))
    assert late[0] not in sent and result("job", "finished") not in sent


def test_the_note_stands_where_the_gap_is_and_says_how_much_is_gone() -> None:
    messages = turn(1, 30)
    built = trimmed(messages, 20 * STEP)
    (note,) = [entry.message for entry in built.request.entries if entry.index is None]
    gone = [m for m in messages if m not in history(built)]
    left_out = COUNTER.messages(messages) - sum(
        COUNTER.message(entry.message) for entry in built.request.entries if entry.index is not None
    )
    assert f"{left_out:,} tokens" in note.text and f"{len(gone) // 2} earlier steps" in note.text
    assert history(built).index(note) == 1


def test_the_next_requests_begin_alike_until_the_limit_is_reached_again() -> None:
    running = Running(Trim(COUNTER, 20 * STEP, 8 * STEP), [fixed_part("system", [system("s")])])
    running.add(user("u"))
    prints: tuple[str, ...] = ()
    broken = []
    for number in range(80):
        running.add(assistant("", read(f"c{number}")), result(f"c{number}", LONG))
        now = running.build().request.fingerprints()
        broken.append(now[: len(prints)] != prints)
        prints = now
    assert 4 <= sum(broken) <= 6


@settings(max_examples=200)
@given(conversations(most=20), st.integers(20, 900))
def test_what_goes_are_the_oldest_steps_and_whole_turns_of_them(
    messages: tuple[Message, ...], limit: int
) -> None:
    request = request_of(*messages)
    built = Trim(COUNTER, limit).build(request, START)
    assert problems(built.request) == ()
    sent = {entry.index for entry in built.request.part("history").entries}
    replied = [step for step in steps(messages) if step.assistant is not None]
    cut = built.state.trimmed
    gone = [step.number for step in steps(messages) if step.indices[0] < cut]
    assert gone == list(range(1, len(gone) + 1))
    assert all(sent.issuperset(step.indices) for step in steps(messages)[len(gone) :])
    assert not gone or len(replied) - len(gone) >= 2
    last_two = len(replied) - 1
    for one in turns(messages):
        numbers = [step.number for step in one.steps]
        if last_two not in numbers and numbers[-1] < last_two:
            assert set(numbers) <= set(gone) or not set(numbers) & set(gone)
    if built.request.tokens(COUNTER) > limit:
        assert len(gone) == indexed(messages).whole_steps(max(0, len(replied) - 2))


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"limit": 0}, "limit: expected a whole number of tokens above 0, got 0"),
        ({"limit": 2.5}, "limit"),
        ({"limit": 100, "target": 101}, "target: expected at most the limit of 100, got 101"),
        ({"limit": 100, "keep": 1}, "keep: expected a whole number of steps, at least 2, got 1"),
    ],
)
def test_nonsense_is_named(given: dict[str, int], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        Trim(COUNTER, **given)


def test_a_cut_from_another_conversation_leaves_the_last_steps() -> None:
    built = Trim(COUNTER, 10**6).build(request_of(*turn(1, 3)), PolicyState(trimmed=500))
    assert problems(built.request) == ()
