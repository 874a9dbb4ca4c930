"""The context builder: what it sends, and the weak spots of a simple one mended."""

from __future__ import annotations

import json
import logging
from dataclasses import replace

import pytest

from patch_agent.budget import ContextTooLarge
from patch_agent.builder import (
    Choices,
    PatchState,
    Rule,
    build_context,
    default_counter,
    full_request,
)
from patch_agent.check import problems
from patch_agent.messages import Image, Message, Text, assistant, user
from patch_agent.policies import PolicyState, is_placeholder
from patch_agent.request import PARTS
from patch_agent.summaries import Summary, careless
from patch_agent.task import task_text
from tests.builder_tools import COUNTER, NEXT, STATE, TALK, WINDOW, build, grown, sent_steps
from tests.conversations import GOAL, RULE


def test_the_parts_stand_in_order_and_the_task_block_is_last() -> None:
    request = build(STATE)
    assert [part.id for part in request.parts] == [part for part in PARTS if part != "summary"]
    assert request.messages[-1].name == "task" and request.messages[-2] == NEXT
    assert all(
        entry.message.name == part.id
        for part in request.parts
        if part.id not in ("history", "user")
        for entry in part.entries
    )


def test_the_task_block_has_goal_rules_files_and_the_last_test() -> None:
    text = task_text(STATE)
    assert f'- step 5: "{RULE}"' in text
    for told in (f"Goal: {GOAL} must pass", "Files changed: auth/tokens.py", "1 failed, 2 passed"):
        assert told in text
    bare = task_text(PatchState())
    assert "Goal: none given" in bare and "Files changed: none" in bare


def test_the_task_block_stays_small_but_never_cuts_a_rule() -> None:
    files = tuple(f"src/part_{n}.py" for n in range(500))
    state = replace(STATE, files_changed=files, last_test="x" * 9_000)
    assert COUNTER.text(task_text(state)) < 300
    assert "src/part_499.py and 488 more" in task_text(state)
    long_rule = Rule("Never " + "ever " * 900 + "touch it.", 3)
    assert long_rule.text in task_text(replace(STATE, rules=(long_rule,)))


def test_outputs_older_than_six_steps_are_cleared_and_what_is_newer_is_not() -> None:
    request = build(STATE, (*grown(12), NEXT))
    outputs = [m.results[0].text for m in request.messages if m.results]
    assert [is_placeholder(text) for text in outputs] == [True] * 6 + [False] * 6


def test_a_users_message_at_the_end_is_a_part_and_else_stays_in_the_history() -> None:
    assert [entry.message for entry in build(STATE).part("user").entries] == [NEXT]
    later = (*TALK, assistant("I begin."))
    request = build(STATE, later)
    assert request.part("user").entries == ()
    assert NEXT in [entry.message for entry in request.part("history").entries]
    assert NEXT.text in request.pins


def test_an_empty_part_is_not_sent() -> None:
    request = build(PatchState(), [user("hello")])
    assert [part.id for part in request.parts] == ["history", "user", "task"]


def test_the_order_of_the_parts_is_stated_once(monkeypatch: pytest.MonkeyPatch) -> None:
    other = ("task", *[part for part in reversed(PARTS) if part != "task"])
    monkeypatch.setattr("patch_agent.builder.PARTS", other)
    sent = [part.id for part in full_request(STATE, TALK).parts]
    assert set(sent) == set(PARTS) - {"summary"} and sent == [p for p in other if p in sent]


def test_what_a_summary_covers_is_remembered_and_not_sent_beside_it() -> None:
    talk = (*grown(40), NEXT)
    size = build(STATE, talk).tokens(COUNTER)
    window = 16_000 + int(size / 0.8) - 10
    first = build_context(STATE, talk, window, counter=COUNTER)
    assert first.state.summary is not None and first.state.summary.covers == 34
    state = replace(STATE, policy=first.state)
    talk = (*talk, assistant("I go on."))
    second = build_context(state, talk, window, counter=COUNTER)
    assert sent_steps(second.request) == set(range(35, 42))
    assert second.state.covered == first.state.covered
    assert second.request.part("summary") == first.request.part("summary")


@pytest.mark.parametrize("window", range(17_500, 34_000, 900))
def test_no_step_is_lost_between_summary_and_recent_steps(window: int) -> None:
    talk = (*grown(30), NEXT)
    try:
        built = build_context(STATE, talk, window, counter=COUNTER)
    except ContextTooLarge:
        return
    covered = built.state.summary.covers if built.state.summary else 0
    recent = sent_steps(built.request)
    assert recent | set(range(1, covered + 1)) >= set(range(1, 31))
    assert not recent & set(range(1, covered + 1))


def test_keeping_3_after_a_summary_that_reached_further_back_loses_nothing() -> None:
    talk = (*grown(30), NEXT)
    kept = {}
    for window in range(17_500, 24_000, 100):
        try:
            built = build_context(STATE, talk, window, counter=COUNTER)
        except ContextTooLarge:
            continue
        if built.state.summary is not None:
            kept[30 - built.state.summary.covers] = sent_steps(built.request)
    assert kept == {6: {*range(25, 31)}, 3: {28, 29, 30}, 1: {30}}


def test_nothing_that_was_given_is_changed() -> None:
    talk = list(TALK)
    before = repr((STATE, talk))
    build_context(STATE, talk, 21_000, counter=COUNTER)
    assert repr((STATE, talk)) == before


def test_the_same_conversation_and_state_give_the_same_bytes() -> None:
    one, two = (json.dumps(build(STATE, TALK, 21_000).wire()) for _ in range(2))
    assert one == two


def test_the_clearing_boundary_moves_in_chunks_so_that_calls_begin_alike() -> None:
    state, breaks = STATE, []
    before: tuple[str, ...] = ()
    for count in range(1, 31):
        built = build_context(state, grown(count), WINDOW, counter=COUNTER)
        state = replace(state, policy=built.state)
        bare = built.request.with_part(replace(built.request.part("task"), entries=()))
        prints = bare.with_part(replace(bare.part("files"), entries=())).fingerprints()
        if prints[: len(before)] != before:
            breaks.append(count)
        before = prints
    assert breaks == [12, 18, 24, 30]


def test_a_failing_summary_leaves_the_call_as_it_was_or_too_large() -> None:
    def write(*given: object) -> Summary:
        raise TimeoutError("the model is away")

    talk = (*grown(30), NEXT)
    with pytest.raises(ContextTooLarge):
        build_context(STATE, talk, 18_000, counter=COUNTER, write=write)
    size = build(STATE, talk).tokens(COUNTER)
    near = build_context(STATE, talk, 16_000 + size + 1, counter=COUNTER, write=write)
    assert near.state.summary is None and "TimeoutError" in near.notes[0]


def test_rules_and_the_latest_request_survive_any_summary() -> None:
    # anthropics/claude-code#4017, #6354, #19471, #24460; openai/codex#3975, #5772
    # langchain-ai/langmem#77, #111; anthropics/claude-code#22376
    talk = (*TALK, *grown(30)[1:])
    for window in (22_000, 19_000):
        built = build_context(STATE, talk, window, counter=COUNTER, write=careless)
        assert built.state.summary is not None and built.state.summary.kind == "careless"
        assert NEXT in built.request.messages
        assert any(RULE in message.text for message in built.request.messages)
        assert problems(built.request) == ()


def test_each_text_of_the_users_latest_message_is_pinned() -> None:
    both = (Text("Look at this:"), Image("image/png", "AAAA", 1), Text("do not touch x/."))
    built = build_context(PatchState(system="s"), (Message("user", both), assistant("ok")), WINDOW)
    assert built.request.pins == ("Look at this:", "do not touch x/.")
    assert problems(built.request) == ()


def test_the_default_counter_is_exact_and_keeps_its_counts() -> None:
    assert default_counter() is default_counter()
    assert default_counter().name == "o200k_base"
    built = build_context(STATE, TALK, WINDOW)
    assert built.request.tokens(default_counter()) > 0 and built.state != PolicyState()


def test_the_sizes_of_every_call_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="patch_agent.builder"):
        request = build(STATE)
    (line,) = [json.loads(record.getMessage()) for record in caplog.records]
    assert line["sizes"] == request.sizes(COUNTER)
    assert (line["total"], line["budget"]) == (request.tokens(COUNTER), 112_000)
    assert line["fits"] is True


def test_a_call_that_does_not_fit_is_logged_as_such(caplog: pytest.LogCaptureFixture) -> None:
    chosen = replace(STATE, choices=Choices(recent=20))
    caplog.set_level(logging.INFO, logger="patch_agent.builder")
    with pytest.raises(ContextTooLarge):
        build(chosen, window=16_010)
    (line,) = [json.loads(record.getMessage()) for record in caplog.records]
    assert line["fits"] is False and line["total"] > line["budget"] == 10
