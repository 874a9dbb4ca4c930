"""Messages, pairs, steps and turns: an example of every shape, then any conversation."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patch_agent.messages import (
    Image,
    Message,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    Usage,
    assistant,
    pairing,
    replied,
    result,
    steps,
    system,
    turns,
    user,
)
from tests.any_messages import anything
from tests.conversations import conversations


def call(ident: str, name: str = "read_file") -> ToolCall:
    return ToolCall(ident, name, '{"path": "a.py"}')


def step_places(messages: list[Message]) -> list[tuple[int, ...]]:
    return [step.indices for step in steps(messages)]


def test_a_step_is_a_reply_with_its_results_and_the_user_before_it():
    messages = [
        system("You are Patch."),
        user("Make the test pass."),
        assistant("I look.", call("call_1")),
        result("call_1", "x = 1"),
        assistant("Done."),
        user("Thanks."),
    ]
    assert step_places(messages) == [(1, 2, 3), (4,), (5,)]
    assert [step.assistant for step in steps(messages)] == [2, 4, None]
    assert [[step.number for step in turn.steps] for turn in turns(messages)] == [[1, 2], [3]]


def test_parallel_calls_share_a_step():
    messages = [user("go"), assistant("", call("1"), call("2")), result("1", "a"), result("2", "b")]
    assert step_places(messages) == [(0, 1, 2, 3)]
    assert pairing(messages).results == {(1, 0): ((2, 0),), (1, 1): ((3, 0),)}


def test_results_out_of_order_find_their_calls():
    messages = [assistant("", call("1"), call("2")), result("2", "b"), result("1", "a")]
    assert pairing(messages).results == {(0, 0): ((2, 0),), (0, 1): ((1, 0),)}
    assert step_places(messages) == [(0, 1, 2)]


def test_a_result_apart_from_its_call_belongs_to_the_step_of_the_call():
    # microsoft/agent-framework#7212
    messages = [
        assistant("", call("1"), call("2")),
        result("1", "a"),
        user("And?"),
        assistant("", call("3")),
        result("2", "b"),
        result("3", "c"),
    ]
    assert step_places(messages) == [(0, 1, 4), (2, 3, 5)]
    assert not pairing(messages).orphans and not pairing(messages).open


def test_a_pending_result_leaves_its_call_open_until_the_final_one():
    # google/adk-python#5602
    waiting = Message("tool", (ToolResult("1", "in progress", pending=True),))
    messages = [assistant("", call("1")), waiting]
    assert pairing(messages).open == ((0, 0),)
    messages.append(result("1", "final"))
    assert pairing(messages).open == ()
    assert pairing(messages).results == {(0, 0): ((1, 0), (2, 0))}
    assert step_places(messages) == [(0, 1, 2)]


def test_an_id_used_again_joins_within_its_own_step():
    messages = [
        assistant("", call("call_0")),
        result("call_0", "first"),
        assistant("", call("call_0")),
        result("call_0", "second"),
    ]
    assert pairing(messages).results == {(0, 0): ((1, 0),), (2, 0): ((3, 0),)}
    assert step_places(messages) == [(0, 1), (2, 3)]


def test_an_id_used_twice_in_one_message_takes_its_results_in_order():
    messages = [assistant("", call("0"), call("0")), result("0", "a"), result("0", "b")]
    assert pairing(messages).results == {(0, 0): ((1, 0),), (0, 1): ((2, 0),)}


def test_a_result_without_a_call_is_an_orphan_and_goes_with_the_step_before():
    messages = [assistant("Hi."), result("9", "?"), assistant("", call("1"))]
    pairs = pairing(messages)
    assert pairs.orphans == ((1, 0),) and pairs.open == ((2, 0),)
    assert step_places(messages) == [(0, 1), (2,)]


def test_results_in_a_user_message_open_no_step_and_no_turn():
    # Hmbown/Codewhale#6119 has words beside the result, which the user did say.
    only = Message("user", (ToolResult("1", "a"),))
    mixed = Message("user", (ToolResult("1", "a"), Text("Now the other one.")))
    alone = [user("go"), assistant("", call("1")), only, assistant("Done.")]
    assert step_places(alone) == [(0, 1, 2), (3,)] and len(turns(alone)) == 1
    both = [user("go"), assistant("", call("1")), mixed, assistant("Done.")]
    assert step_places(both) == [(0, 1), (2, 3)] and len(turns(both)) == 2


def test_reasoning_and_images_are_no_words():
    message = Message(
        "assistant",
        (Reasoning("Hm.", id="rs_1"), Text("One."), Image("image/png", "iVBO", 85), Text("Two.")),
    )
    assert message.text == "One.\nTwo." and message.calls == () and message.results == ()


def test_several_system_messages_belong_to_no_step():
    messages = [system("a"), system("b", "memory"), user("go"), system("c"), assistant("Done.")]
    assert step_places(messages) == [(2, 4)]


def test_a_message_may_be_empty():
    assert assistant().blocks == () and assistant().text == ""
    assert step_places([assistant(), assistant()]) == [(0,), (1,)]
    assert steps([]) == turns([]) == ()


def test_steps_before_the_first_user_message_form_a_turn():
    assert [len(turn.steps) for turn in turns([assistant("a"), assistant("b"), user("c")])] == [
        2,
        1,
    ]


def test_usage_adds_up_and_takes_no_part_in_equality():
    both = Usage(10, 5, 80, 10) + Usage(1, 1, 1, 1)
    assert both == Usage(11, 6, 81, 11) and both.prompt == 103
    assert Message("user", usage=both, raw={"line": 1}) == Message("user")


@given(anything())
def test_steps_hold_every_message_but_system_ones_exactly_once(messages):
    places = Counter(index for step in steps(messages) for index in step.indices)
    expected = [i for i, message in enumerate(messages) if message.role != "system"]
    assert places == Counter(expected)
    assert all(list(step.indices) == sorted(step.indices) for step in steps(messages))
    assert [step.number for step in steps(messages)] == list(range(1, len(steps(messages)) + 1))


@given(anything())
def test_turns_hold_every_step_exactly_once(messages):
    assert tuple(step for turn in turns(messages) for step in turn.steps) == steps(messages)
    assert all(turn.steps for turn in turns(messages))


@given(anything())
def test_every_call_and_result_has_one_place_in_the_pairs(messages):
    pairs = pairing(messages)
    calls = [
        (i, j)
        for i, message in enumerate(messages)
        for j, block in enumerate(message.blocks)
        if isinstance(block, ToolCall)
    ]
    joined = [place for places in pairs.results.values() for place in places]
    results = sum(len(message.results) for message in messages)
    assert sorted(pairs.results) == calls
    assert len(set(joined) | set(pairs.orphans)) == len(joined) + len(pairs.orphans) == results
    for (i, j), places in pairs.results.items():
        for a, b in places:
            assert messages[a].blocks[b].call_id == messages[i].blocks[j].id
            assert (a, b) > (i, j)


@given(conversations())
def test_a_sound_conversation_has_its_pairs_within_their_steps(messages):
    pairs = pairing(messages)
    assert not pairs.orphans and not pairs.open
    home = {index: step.number for step in steps(messages) for index in step.indices}
    for (i, _), places in pairs.results.items():
        for index, _ in places:
            assert (
                home[index] == home[i]
                or len(messages[index].results) > 1
                or (len(messages[index].blocks) > 1)
            )


@given(conversations())
def test_a_step_has_at_most_one_reply(messages):
    for step in steps(messages):
        replies = [i for i in step.indices if messages[i].role == "assistant"]
        assert replies == ([] if step.assistant is None else [step.assistant])


@given(st.lists(st.lists(st.tuples(st.sampled_from("cpr"), st.sampled_from("xy")), max_size=4)))
def test_a_result_takes_the_earliest_open_call_of_the_latest_message_with_its_id(rows):
    make = {
        "c": lambda ident: ToolCall(ident, "t", "{}"),
        "p": lambda ident: ToolResult(ident, "", pending=True),
        "r": lambda ident: ToolResult(ident, ""),
    }
    messages = [Message("assistant", tuple(make[kind](i) for kind, i in row)) for row in rows]
    pairs = pairing(messages)
    waiting, results, orphans = [], {}, []
    for index, row in enumerate(rows):
        for position, (kind, ident) in enumerate(row):
            place = (index, position)
            if kind == "c":
                results[place] = ()
                waiting.append((place, ident))
                continue
            calls = [ref for ref, own in waiting if own == ident]
            if not calls:
                orphans.append(place)
                continue
            latest = max(ref[0] for ref in calls)
            call = min(ref for ref in calls if ref[0] == latest)
            results[call] += (place,)
            if kind == "r":
                waiting.remove((call, ident))
    assert pairs.results == results
    assert pairs.orphans == tuple(orphans)
    assert pairs.open == tuple(sorted(ref for ref, _ in waiting))


def test_an_id_that_is_used_again_and_again_is_paired_in_linear_time():
    count = 100_000  # a minute and more where each result looks at every call
    pending = Message("tool", (ToolResult("x", "", pending=True),))
    call = assistant("", ToolCall("x", "t", "{}"))
    messages = [*[call] * count, *[pending] * count]
    pairs = pairing(messages)
    assert len(pairs.open) == count
    assert len(pairs.results[count - 1, 0]) == count


@pytest.mark.parametrize("tokens", [-1, True, 1.5, float("nan"), "5", None])
def test_an_image_has_a_whole_number_of_tokens(tokens):
    with pytest.raises(ValueError, match="image: expected"):
        Image("image/png", "", tokens)


def test_a_step_that_waits_for_its_reply_is_not_replied():
    talk = [user("Go."), assistant("I went."), user("And now?")]
    assert [step.number for step in replied(talk)] == [1]
    assert [step.number for step in replied([*talk, assistant("Done.")])] == [1, 2]
    assert replied([]) == ()
