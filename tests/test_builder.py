"""The context builder: what it sends, its weak spots mended, a reader's choices."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from patch_agent.budget import Budget, ContextTooLarge
from patch_agent.builder import (
    Choices,
    PartTooLarge,
    PatchState,
    Rule,
    assemble,
    build_context,
    default_counter,
    full_request,
)
from patch_agent.check import problems
from patch_agent.messages import Message, ToolCall, assistant, result, steps, user
from patch_agent.policies import PolicyState, is_placeholder
from patch_agent.request import PARTS, Request
from patch_agent.summaries import Summary, careful, careless
from patch_agent.task import task_text
from patch_agent.tokens import TokenCounter, estimate
from tests.conversations import GOAL, RULE, conversations, patch_like

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


# What is sent


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


# Weak spots of a simple builder, mended


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


# Too large


def test_what_does_not_fit_is_never_returned_and_the_error_has_every_part() -> None:
    for window in (16_001, 16_100, 16_150):
        with pytest.raises(ContextTooLarge) as caught:
            build(STATE, TALK, window)
        error = caught.value
        assert error.size > error.budget and sum(error.parts.values()) == error.size


def test_a_window_smaller_than_what_is_pinned_names_the_part() -> None:
    with pytest.raises(ContextTooLarge, match="Largest part: user"):
        build(STATE, (*TALK, assistant("ok"), user("please " * 9_000)), 20_000)


def test_fixed_parts_over_the_threshold_are_named() -> None:
    # MoonshotAI/kimi-code#2325
    state = replace(STATE, tools=tuple({"name": f"tool_{n}" * 20} for n in range(90)))
    with pytest.raises(ContextTooLarge, match="Largest part: tools"):
        build(state, (*grown(5), NEXT), 20_000)


def test_a_call_that_fits_is_sent_though_its_fixed_parts_alone_are_over_the_threshold() -> None:
    asked: list[int] = []

    def write(messages: Sequence[Message], *rest: object) -> Summary:
        asked.append(len(messages))
        return Summary("What came before.", 0, 0, "short")

    state, talk = replace(STATE, memory="note " * 18_000), (*grown(9), NEXT)
    full = build(state, talk, 10 * WINDOW)
    fixed = full.tokens(COUNTER) - full.part("history").tokens(COUNTER)
    budget = fixed * 5 // 4 - 5  # the fixed parts are just over the threshold
    assert int(0.8 * budget) < fixed < full.tokens(COUNTER) <= budget
    for length in (len(talk), len(talk) - 2):
        sent = (*talk[: length - 1], NEXT)
        built = build_context(state, sent, 16_000 + budget, counter=COUNTER, write=write)
        assert not asked and built.state.summary is None
    tight = build_context(
        state, talk, 16_000 + full.tokens(COUNTER) - 1, counter=COUNTER, write=write
    )
    assert asked and tight.state.summary is not None  # past the budget, a summary is worth trying


def test_the_error_has_the_true_size_and_names_a_fixed_part_though_the_history_is_larger() -> None:
    state, talk = replace(STATE, memory="note " * 2_000), (*grown(60), NEXT)
    sizes = build(state, talk, 10 * WINDOW).sizes(COUNTER)
    assert sizes["history"] > sizes["memory"] > 2_000
    with pytest.raises(ContextTooLarge, match="Largest part: memory") as caught:
        build_context(state, talk, 18_000, counter=COUNTER)
    assert caught.value.budget == 2_000 and caught.value.size == sum(caught.value.parts.values())
    assert caught.value.parts["history"] > 0


def test_a_reserve_of_the_whole_window_is_refused() -> None:
    with pytest.raises(ValueError, match="reserve"):
        build_context(STATE, TALK, 16_000, counter=COUNTER)


def test_a_part_can_have_a_budget_of_its_own() -> None:
    size = build(STATE).sizes(COUNTER)["memory"]
    given = {"memory": size, "report": 10_000}
    assert build_context(STATE, TALK, WINDOW, counter=COUNTER, part_budgets=given)
    with pytest.raises(PartTooLarge, match=f"part memory: {size} tokens, its own budget is 5"):
        build_context(STATE, TALK, WINDOW, counter=COUNTER, part_budgets={"memory": 5})
    with pytest.raises(ValueError, match="notes"):
        build_context(STATE, TALK, WINDOW, counter=COUNTER, part_budgets={"notes": 5})


def test_a_call_that_cannot_be_sent_can_still_be_shown() -> None:
    state = chosen(20, "drop")
    with pytest.raises(ContextTooLarge) as caught:
        build(state, TALK, 17_000)
    shown = assemble(state, TALK, 17_000, counter=COUNTER).request
    assert shown.sizes(COUNTER) == caught.value.parts
    assert sent_steps(shown) >= set(range(1, 21))


def test_the_sizes_of_every_call_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="patch_agent.builder"):
        request = build(STATE)
    (line,) = [json.loads(record.getMessage()) for record in caplog.records]
    assert line["sizes"] == request.sizes(COUNTER)
    assert (line["total"], line["budget"]) == (request.tokens(COUNTER), 112_000)
    assert line["fits"] is True


# A reader's choices


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


# Properties


@settings(max_examples=200, deadline=None)
@given(conversations(most=16), st.integers(16_050, 19_000), st.data())
def test_it_fits_or_is_too_large_as_a_run_goes_on(
    talk: tuple[Message, ...], window: int, data: st.DataObject
) -> None:
    counter: TokenCounter = estimate()
    state = STATE
    cuts = sorted(data.draw(st.sets(st.integers(1, len(talk)), max_size=4)) | {len(talk)})
    for cut in cuts:
        try:
            built = build_context(state, talk[:cut], window, counter=counter)
        except ContextTooLarge:
            continue
        request = built.request
        assert request.tokens(counter) <= window - 16_000
        if cut == len(talk):
            assert problems(request, counter, Budget(window)) == ()
        state = replace(state, policy=built.state)


@settings(max_examples=150, deadline=None)
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


def test_the_default_counter_is_exact_and_keeps_its_counts() -> None:
    assert default_counter() is default_counter()
    assert default_counter().name == "o200k_base"
    built = build_context(STATE, TALK, WINDOW)
    assert built.request.tokens(default_counter()) > 0 and built.state != PolicyState()


@pytest.mark.parametrize("own", [-1, True, 1.5, float("nan"), "5", None])
def test_a_budget_of_a_part_is_a_whole_number(own: object) -> None:
    given = {"history": own}
    with pytest.raises(ValueError, match="part_budgets: history: expected a whole number"):
        build_context(STATE, TALK, WINDOW, counter=COUNTER, part_budgets=given)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["recent", "frozen"])
@pytest.mark.parametrize("steps", [-1, True, 1.5, float("nan"), "5"])
def test_a_number_of_steps_is_a_whole_number(name: str, steps: object) -> None:
    with pytest.raises(ValueError, match=f"{name}: expected a whole number"):
        Choices(**{"recent": 0, name: steps})  # type: ignore[arg-type]
