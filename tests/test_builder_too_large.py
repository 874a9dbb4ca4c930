"""The context builder: what does not fit is not sent, and the error says what is too large."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from patch_agent.budget import Budget, ContextTooLarge
from patch_agent.builder import PartTooLarge, assemble, build_context
from patch_agent.check import problems
from patch_agent.messages import Message, assistant, user
from patch_agent.summaries import Summary
from patch_agent.tokens import TokenCounter, estimate
from tests.builder_tools import COUNTER, NEXT, STATE, TALK, WINDOW, build, chosen, grown, sent_steps
from tests.conversations import conversations


def test_what_does_not_fit_is_never_returned_and_the_error_has_every_part() -> None:
    for window in (16_001, 16_100, 16_150):
        with pytest.raises(ContextTooLarge) as caught:
            build(STATE, TALK, window)
        error = caught.value
        assert error.size > error.budget and sum(error.parts.values()) == error.size


def test_a_window_smaller_than_what_is_pinned_names_the_part() -> None:
    with pytest.raises(ContextTooLarge, match="Largest of these: user"):
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
    fixed = sum(sizes.values()) - sizes["history"]
    named = rf"budget of 2,000\. {fixed:,} of them are in parts .* Largest of these: memory"
    with pytest.raises(ContextTooLarge, match=named) as caught:
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


@settings(max_examples=200)
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


@pytest.mark.parametrize("own", [-1, True, 1.5, float("nan"), "5", None])
def test_a_budget_of_a_part_is_a_whole_number(own: object) -> None:
    given = {"history": own}
    with pytest.raises(ValueError, match="part_budgets: history: expected a whole number"):
        build_context(STATE, TALK, WINDOW, counter=COUNTER, part_budgets=given)  # type: ignore[arg-type]
