"""Policies by name, over random conversations and budgets; states that are saved and resumed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from patch_agent.budget import Budget, ContextTooLarge
from patch_agent.check import problems
from patch_agent.messages import Message, system, user
from patch_agent.policies import (
    NAMES,
    Built,
    PolicyState,
    Running,
    StateError,
    load_state,
    policy,
    resumed,
    save_state,
)
from patch_agent.request import Part, Request, fixed_part, history_part
from patch_agent.summaries import Summary, careful
from patch_agent.tokens import TokenCounter
from tests.conversations import RULE, THREE, conversations, patch_like
from tests.policy_tools import COUNTER, START, big, request_of, sent_bytes, short
from tests.random_runs import broken_pairs, verdicts

PARTS = (
    fixed_part("system", [system("You are Patch.", "system")]),
    Part("tools", tools=({"name": "read_file"}, {"name": "edit_file"})),
)


def whole(messages: Sequence[Message], pins: tuple[str, ...] = ()) -> Request:
    conversation = tuple(messages)
    return Request((*PARTS, history_part(conversation)), conversation, pins)


# Over random conversations


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=60)
@given(
    conversations(most=14, least=6),
    st.sampled_from([0.2, 0.4, 0.7, 1.0, 2.0]),
    st.sampled_from([0.3, 0.6, 1.0]),
    st.integers(1, 2),
    st.booleans(),
)
def test_requests_are_valid_pinned_ordered_and_fit_or_none_is_made(
    name: str, messages: tuple[Message, ...], room: float, share: float, keep: int, pinned: bool
) -> None:
    """Budgets are shares of the conversation, so that most of the requests have to change."""
    messages = (user(RULE), *messages)
    pins = (RULE,) if pinned else ()
    request = whole(messages, pins)
    budget = max(60, int(room * request.tokens(COUNTER)))
    limit = max(1, int(share * budget))
    chain = policy(
        name, COUNTER, Budget(budget, 0), limit=limit, keep=keep, every=keep, write=short
    )
    before = repr(request)
    try:
        built = chain.build(request, START)
    except ContextTooLarge as error:
        assert error.size > error.budget and sum(error.parts.values()) == error.size
        return
    sent = built.request
    assert problems(sent, COUNTER, Budget(budget, 0)) == ()
    assert broken_pairs(sent.messages) == [] and verdicts(sent, pins) == []
    assert repr(request) == before
    assert chain.build(request, START) == built


@settings(max_examples=100)
@given(conversations(), st.sampled_from(NAMES))
def test_well_under_budget_a_request_is_what_it_was(
    messages: tuple[Message, ...], name: str
) -> None:
    request = whole(messages)
    budget = Budget(10 * request.tokens(COUNTER) + 200_000, 0)
    built = policy(name, COUNTER, budget, limit=budget.limit // 2).build(request, START)
    assert built.request.messages == request.messages and built.state == START
    assert replace(built.request, marks=()).tokens(COUNTER) == request.tokens(COUNTER)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=25)
@given(conversations(most=12, least=6), st.sampled_from([0.5, 0.8, 2.0]), st.data())
def test_a_run_resumed_from_its_log_sends_what_it_would_have_sent(
    name: str, messages: tuple[Message, ...], room: float, data: st.DataObject
) -> None:
    budget = Budget(400 + int(room * COUNTER.messages(messages)), 0)
    chain = policy(name, COUNTER, budget, limit=250, keep=1, every=1, write=short)
    running = Running(chain, PARTS)
    replies = [n for n, message in enumerate(messages) if message.role == "assistant"]
    stop = data.draw(st.sampled_from(replies[2:]))
    for place, message in enumerate(messages):
        if place in replies:
            try:
                state, built = running.state, running.build()
            except ContextTooLarge:
                return
            if place == stop:
                again = chain.build(whole(messages[:place]), load_state(save_state(state)))
                assert sent_bytes(again.request) == sent_bytes(built.request)
                made = resumed(chain, messages[:place], PARTS).build()
                assert sent_bytes(made.request) == sent_bytes(built.request)
                assert made.state == built.state
        running.add(message)


# A running session


@pytest.mark.parametrize("name", NAMES)
def test_a_running_session_sends_what_the_policy_sends_by_itself(name: str) -> None:
    chain = policy(name, COUNTER, Budget(40_000, 0), limit=7_000, write=careful)
    running, state = Running(chain, PARTS, (RULE,)), START
    messages: list[Message] = [user(RULE)]
    running.add(user(RULE))
    for message in (*patch_like(), *patch_like()):
        if message.role == "assistant":
            built = running.build()
            alone = chain.build(whole(messages, (RULE,)), state)
            assert sent_bytes(built.request) == sent_bytes(alone.request)
            assert built.state == alone.state
            state = alone.state
        messages.append(message)
        running.add(message)
    acted = {"none": 0, "cache": 0, "clear": state.cleared, "trim": state.trimmed}
    assert acted.get(name, state.covered) > 0 or name in ("none", "cache")


@pytest.mark.parametrize("name", list(THREE))
def test_default_is_compact(name: str) -> None:
    budget, request = Budget(9_000, 0), whole(THREE[name]())
    made = [policy(n, COUNTER, budget, limit=3_000).build(request, START) for n in NAMES[-2:]]
    assert made[0] == made[1]


def test_a_summary_is_written_only_where_clearing_falls_short() -> None:
    asked: list[int] = []

    def write(messages: Sequence[Message], *rest: object) -> Summary:
        asked.append(len(messages))
        return Summary("What came before.", 0, 0, "short")

    request = whole([user("u"), *big(30)])
    chain = policy("compact", COUNTER, Budget(40_000, 0), limit=5_000, write=write)
    built = chain.build(request, START)
    assert built.state.cleared > 0 and asked == [] and built.request.tokens(COUNTER) < 5_000
    chain = policy("compact", COUNTER, Budget(40_000, 0), limit=2_000, write=write)
    assert chain.build(request, START).state.summary is not None and asked == [55, 59]


def test_outputs_of_excluded_tools_are_not_cleared_by_name_either() -> None:
    request = whole([user("u"), *big(30)])
    chain = policy("clear", COUNTER, Budget(40_000, 0), limit=100, exclude=["read_file"])
    assert chain.build(request, START).request.messages == request.messages


# Bad input


@pytest.mark.parametrize("name", ["", "Clear", "compaction", None, 3])
def test_an_unknown_name_is_answered_with_the_names(name: object) -> None:
    with pytest.raises(ValueError, match="expected one of none, cache, clear, trim, compact, defa"):
        policy(name, COUNTER, Budget(1_000, 0))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"limit": 0}, "limit: expected a whole number of tokens above 0, got 0"),
        ({"limit": -5}, "limit"),
        ({"limit": 1.5}, "limit"),
        ({"limit": True}, "limit"),
        ({"limit": 1_001}, "limit: expected at most the budget of 1,000, got 1,001"),
        ({"limit": 500, "target": 501}, "target: expected at most the limit of 500, got 501"),
        ({"target": 0}, "target"),
        ({"keep": -1}, "keep"),
        ({"keep": None}, "keep: expected a whole number of steps"),
        ({"every": 0}, "every: expected a whole number of steps, at least 1, got 0"),
        ({"summary": 0}, "limit: expected a whole number of tokens"),
    ],
)
def test_nonsense_limits_are_named(given: dict[str, object], named: str) -> None:
    for name in ("compact", "trim") if "summary" not in given else ("compact",):
        with pytest.raises(ValueError, match=named):
            policy(name, COUNTER, Budget(1_000, 0), **given)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("budget", [1, 2, 5, 100])
def test_a_budget_for_nearly_nothing_is_kept(name: str, budget: int) -> None:
    chain, small = policy(name, COUNTER, Budget(budget, 0)), request_of(user("Hi"))
    if small.tokens(COUNTER) <= budget:
        assert chain.build(small, START).request.messages == small.messages
    for request in [request_of(user("u"), *big(60)), whole(patch_like())]:
        with pytest.raises(ContextTooLarge):
            chain.build(request, START)


@pytest.mark.parametrize("budget", [400, 600, 800, 1_300, 1_600, 3_000])
def test_a_summary_takes_its_share_of_a_small_budget(budget: int) -> None:
    request = request_of(*patch_like())
    built = policy("default", COUNTER, Budget(budget, 0)).build(request, START)
    assert built.state.summary is not None
    assert built.request.tokens(COUNTER) <= budget


# States on disk

SUMMARY = asdict(Summary("What came before.", 2, 3, "brief"))


def test_a_state_with_a_careful_record_comes_back_as_it_was() -> None:
    request = whole(patch_like())
    chain = policy("compact", COUNTER, Budget(9_000, 0), limit=2_000, write=careful)
    state = chain.build(request, START).state
    assert state.summary is not None and state.summary.record is not None
    assert load_state(save_state(state)) == state
    assert load_state(save_state(START)) == START


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"version": 2}, "expected version 1, got 2"),
        ({"version": True}, "expected version 1, got True"),
        ({"cleared": -1}, "cleared: expected a whole number, got -1"),
        ({"trimmed": "4"}, "trimmed"),
        ({"covered": 3}, "belong together"),
        ({"covered": 3, "summary": {}}, "damaged summary"),
        ({"covered": 3, "summary": {"record": None, "usage": {"input": 1, "x": 2}}}, "damaged"),
        ({"covered": 3, "summary": SUMMARY | {"text": 5}}, "text: expected a text, got 5"),
        ({"covered": 3, "summary": SUMMARY | {"kind": []}}, "kind: expected a text"),
        ({"covered": 3, "summary": SUMMARY | {"covers": "x"}}, "covers: expected a whole number"),
        ({"covered": 3, "summary": SUMMARY | {"through": None}}, "through: expected a whole"),
        ({"covered": 3, "summary": SUMMARY | {"usage": {"input": "x"}}}, "input: expected a whole"),
    ],
)
def test_a_state_that_cannot_be_used_says_why(change: dict[str, object], named: str) -> None:
    saved = json.loads(save_state(PolicyState(cleared=2)))
    with pytest.raises(StateError, match=named):
        load_state(json.dumps(saved | change))


@pytest.mark.parametrize("place", [-5, True, 2.0, "4", None])
def test_a_place_that_is_none_is_refused_where_it_is_made(place: object) -> None:
    with pytest.raises(ValueError, match=f"trimmed: expected a whole number, got {place!r}"):
        PolicyState(trimmed=place)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "7"])
def test_what_is_no_state_is_refused(text: str) -> None:
    with pytest.raises(StateError, match="policy state"):
        load_state(text)


def test_two_counters_in_one_chain_keep_their_own_sizes() -> None:
    from patch_agent.policies import Chain, ClearResults, Trim

    double = TokenCounter(lambda text: 2 * COUNTER.text(text), "double")
    chain = Chain(ClearResults(COUNTER, 2, 1), Trim(double, 3_000, 2_900), counter=double)
    built: Built = chain.build(request_of(user("u"), *big(60)), START)
    assert problems(built.request) == ()
    assert 2_700 < built.request.tokens(double) <= 2_900
    assert any("300 tokens" in done.text for m in built.request.messages for done in m.results)
