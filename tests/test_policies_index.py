"""The index of a growing conversation says what `steps` and `pairing` say about the whole."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from patch_agent.messages import (
    Message,
    Reasoning,
    ToolCall,
    assistant,
    pairing,
    result,
    steps,
    system,
    turns,
    user,
)
from patch_agent.policies import known
from patch_agent.policies.index import Index
from patch_agent.policies.known import indexed
from tests.any_messages import anything
from tests.conversations import conversations
from tests.policy_tools import CALLED, read


def grown(messages: Sequence[Message]) -> Index:
    index = Index()
    for message in messages:
        index.add(message)
    return index


@settings(max_examples=300)
@given(anything() | conversations())
def test_every_prefix_has_the_steps_and_turns_of_the_whole(messages: Sequence[Message]) -> None:
    index = Index()
    for count, message in enumerate(messages, 1):
        index.add(message)
        whole = steps(messages[:count])
        assert index.steps() == whole
        assert index.replied == sum(step.assistant is not None for step in whole)
        begins = [turn.steps[0].number for turn in turns(messages[:count])]
        assert begins == (sorted({1, *index.turns}) if whole else [])


@settings(max_examples=200)
@given(conversations(), st.integers(0, 12))
def test_a_cut_parts_no_call_from_its_result(messages: tuple[Message, ...], number: int) -> None:
    index = grown(messages)
    count, place = index.cut(number)
    assert count <= number
    before = pairing(messages[:place])
    assert before.open == () and before.orphans == pairing(messages).orphans[: len(before.orphans)]
    inside = {i for step in steps(messages)[:count] for i in step.indices}
    assert inside == {i for i in range(place) if messages[i].role != "system"}


@settings(max_examples=200)
@given(conversations())
def test_a_step_with_an_open_call_or_an_unseen_result_is_held(
    messages: tuple[Message, ...],
) -> None:
    whole, pairs = steps(messages), pairing(messages)
    replies = [step.assistant for step in whole if step.assistant is not None]
    seen = replies[-1] if replies else -1
    waiting = {index for index, _ in pairs.open}
    late = {
        call for (call, _), refs in pairs.results.items() if any(index > seen for index, _ in refs)
    }
    wanted = {
        step.number
        for step in whole
        if waiting.intersection(step.indices)
        or (late.intersection(step.indices) and step.number < len(replies))
    }
    assert grown(messages).held() == wanted


def test_a_conversation_that_goes_on_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    first = (user("a"), *CALLED)
    index = indexed(first)
    read_again: list[Message] = []
    add = Index.add
    monkeypatch.setattr(Index, "add", lambda self, m: (read_again.append(m), add(self, m))[1])
    longer = (*first, assistant("b"))
    assert indexed(longer) is index and read_again == [assistant("b")]
    assert indexed(longer) is index and indexed(longer).whole == longer


def test_an_earlier_state_of_a_conversation_is_read_for_itself() -> None:
    longer = (user("a"), *CALLED, assistant("b"))
    assert len(indexed(longer).messages) == 4
    assert len(indexed(longer[:2]).messages) == 2
    other = (*longer[:3], assistant("c"))
    assert indexed(other).messages[-1] == assistant("c")
    assert indexed(longer).messages[-1] == assistant("b")


def test_an_index_that_was_interrupted_is_not_used_again(monkeypatch: pytest.MonkeyPatch) -> None:
    first = (user("interrupted"), *CALLED)
    index = indexed(first)

    def stop(self: Index, message: Message) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(Index, "add", stop)
        indexed((*first, assistant("b")))
    again = indexed((*first, assistant("b")))
    assert again is not index and again.replied == 2
    assert indexed(first) is not index


def test_each_thread_has_its_own() -> None:
    from threading import Thread

    mine, found = indexed((user("mine"),)), []
    thread = Thread(target=lambda: found.append(indexed((user("mine"),))))
    thread.start()
    thread.join()
    assert found[0] is not mine and known._KNOWN.indexes[0] is mine


def test_many_calls_of_one_id_are_read_in_step() -> None:
    calls = [read("same") for _ in range(20_000)]
    index = grown([assistant("", *calls), *(result("same", "x") for _ in calls)])
    assert index.held() == set() and index.replied == 1


def test_reasoning_alone_belongs_to_the_reply_after_it() -> None:
    thought = Message("assistant", (Reasoning("sealed", opaque=True, id="rs_1"),))
    index = grown([user("u"), thought, assistant("one"), assistant("two")])
    assert [index.cut(number)[0] for number in range(4)] == [0, 0, 2, 3]
    assert [index.whole_steps(number) for number in range(4)] == [0, 0, 2, 3]


def test_messages_that_no_provider_sends_make_it_odd() -> None:
    assert grown([result("nobody", "?")]).odd
    assert grown([Message("user", (ToolCall("a", "b", "{}"),))]).odd
    assert not grown([system("s"), user("u"), *CALLED]).odd
