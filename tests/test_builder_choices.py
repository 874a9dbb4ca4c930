"""The context builder: a reader's choices of steps, forms, tools and parts."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from patch_agent.builder import Choices, assemble
from patch_agent.check import problems
from patch_agent.messages import Message, assistant, steps, user
from patch_agent.policies import is_placeholder
from patch_agent.summaries import careful, careless
from tests.builder_tools import COUNTER, NEXT, STATE, TALK, WINDOW, build, chosen, grown, sent_steps
from tests.conversations import conversations


@pytest.mark.parametrize("recent", [0, 1, 6, 19, 20])
@pytest.mark.parametrize("older", ["drop", "clear", "careful", "careless"])
def test_recent_steps_word_for_word_and_the_rest_as_chosen(recent: int, older: str) -> None:
    request = build(chosen(recent, older))
    originals = {entry.index: TALK[entry.index] for entry in request.part("history").entries}  # type: ignore[index]
    whole = [e.index for e in request.part("history").entries if e.message == originals[e.index]]
    for step in steps(TALK)[20 - recent : 20]:
        assert set(step.indices) <= set(whole)
    older_steps = steps(TALK)[: 20 - recent]
    sent = {entry.index for entry in request.part("history").entries}
    covered = [index for step in older_steps for index in step.indices]
    assert sent.issuperset(covered) if older == "clear" else sent.isdisjoint(covered)
    for entry in request.part("history").entries:
        if older == "clear" and entry.index in covered and len(entry.message.results):
            text = TALK[entry.index].results[0].text
            assert is_placeholder(entry.message.results[0].text) or COUNTER.text(text) < 20
    writes = {"careful": careful, "careless": careless}
    if older in writes and recent < 20:
        cut = steps(TALK)[20 - recent].indices[0]
        expected = writes[older](TALK[:cut], COUNTER).message
        assert [entry.message for entry in request.part("summary").entries] == [expected]
    else:
        assert request.part("summary").entries == ()


def test_with_everything_recent_everything_is_sent() -> None:
    for older in ("drop", "clear", "careful", "careless"):
        history = build(chosen(20, older)).part("history")
        assert [entry.message for entry in history.entries] == list(TALK[:-1])


def test_both_summaries_have_the_same_limit() -> None:
    many = tuple(m for n in range(60) for m in (user(f"Never do {n}. " * 3), assistant("ok")))
    for older in ("careful", "careless"):
        request = build(chosen(0, older), (*grown(150), NEXT), 10_000_000)
        assert request.sizes(COUNTER)["summary"] <= 1_500
    assert many  # rules alone may take more: they never go
    request = build(chosen(0, "careful"), (*many, NEXT))
    assert all(
        f"Never do {n}." in request.part("summary").entries[0].message.text for n in range(60)
    )


def test_later_steps_stay_word_for_word_beside_the_frozen_region() -> None:
    state = chosen(6, "careful", frozen=20)
    later = (*TALK, *grown(10)[1:])
    before, after = build(state), build(state, later)
    assert after.part("summary") == before.part("summary")
    assert sent_steps(after) == set(range(15, 31))
    assert NEXT in [entry.message for entry in after.part("history").entries]
    assert not any(is_placeholder(m.results[0].text) for m in after.messages if m.results)


@pytest.mark.parametrize("tools", ["6", "40", "none"])
def test_tools_as_chosen(tools: str) -> None:
    expected = {"6": STATE.tools, "40": STATE.tools + STATE.team_tools, "none": ()}[tools]
    assert build(chosen(3, "drop", tools=tools)).tools == expected


def test_parts_can_be_left_out() -> None:
    off = frozenset({"agents_md", "memory", "skills", "report", "files", "task"})
    request = build(chosen(3, "drop", off=off))
    assert [part.id for part in request.parts] == ["system", "tools", "history", "user"]
    assert request.pins == (NEXT.text,)


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"older": "shred"}, "older: expected one of drop, clear, careful, careless, got 'shred'"),
        ({"tools": "7"}, "tools: expected one of 6, 40, none, got '7'"),
        ({"recent": -1}, "recent: expected a whole number of steps, got -1"),
        ({"recent": "6"}, "recent: expected a whole number of steps, got '6'"),
        ({"recent": 6.0}, "recent: expected a whole number of steps, got 6.0"),
        ({"recent": True}, "recent: expected a whole number of steps, got True"),
        ({"off": frozenset({"user"})}, "'user' cannot be switched off"),
    ],
)
def test_choices_that_do_not_exist_are_refused(choices: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Choices(**choices)  # type: ignore[arg-type]


def test_a_history_length_out_of_range_names_the_range() -> None:
    with pytest.raises(ValueError, match="recent: expected 0 to 20 steps, got 21"):
        build(chosen(21, "drop"))
    with pytest.raises(ValueError, match="frozen: expected 0 to 20 steps, got 30"):
        build(chosen(6, "drop", frozen=30))


@settings(max_examples=150)
@given(
    conversations(), st.integers(0, 12), st.sampled_from(["drop", "clear", "careful", "careless"])
)
def test_any_choice_over_any_conversation_is_valid(
    talk: tuple[Message, ...], recent: int, older: str
) -> None:
    replied = sum(step.assistant is not None for step in steps(talk))
    state = chosen(min(recent, replied), older)
    built = assemble(state, talk, WINDOW, counter=COUNTER)
    assert problems(built.request) == ()
    assert built.request == assemble(state, talk, WINDOW, counter=COUNTER).request


@pytest.mark.parametrize("name", ["recent", "frozen"])
@pytest.mark.parametrize("steps", [-1, True, 1.5, float("nan"), "5"])
def test_a_number_of_steps_is_a_whole_number(name: str, steps: object) -> None:
    with pytest.raises(ValueError, match=f"{name}: expected a whole number"):
        Choices(**{"recent": 0, name: steps})  # type: ignore[arg-type]
