"""Policies: pairs, pins and order held over random conversations, and cases from the field.

A case cites the public thread in which users of another agent or library met it.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from patch_agent.budget import Budget, ContextTooLarge
from patch_agent.check import problems
from patch_agent.messages import (
    Message,
    Text,
    ToolResult,
    assistant,
    result,
    steps,
    system,
    user,
)
from patch_agent.policies import (
    Built,
    Chain,
    ClearResults,
    Compact,
    ContextPolicy,
    Pin,
    PolicyError,
    PolicyState,
    Recent,
    Summarised,
    is_placeholder,
)
from patch_agent.request import Request, history_part
from patch_agent.summaries import careful, careless
from tests.conversations import RULE, THREE, conversations, patch_like
from tests.policy_tools import (
    CALLED,
    COUNTER,
    LONG,
    SMALL,
    START,
    history,
    read,
    request_of,
    sent_bytes,
    short,
)

# Properties


def policies() -> st.SearchStrategy[ContextPolicy]:
    keep = st.integers(0, 4)
    clear = st.builds(ClearResults, st.just(COUNTER), keep, st.integers(1, 4))
    writers = st.sampled_from([careful, careless, short])
    compact = st.builds(
        Compact,
        st.just(COUNTER),
        st.just(SMALL),
        writers,
        st.sampled_from([0.2, 0.8]),
        st.sampled_from([(6, 3, 1), (2,), (1, 0)]),
        st.sampled_from([60, 1_500]),
    )
    single = st.one_of(
        st.builds(Recent, keep),
        clear,
        compact,
        st.builds(Summarised, st.just(COUNTER), keep, writers),
        st.builds(ClearResults, st.just(COUNTER), keep, st.just(2), st.integers(1, 900)),
    )
    return st.one_of(single, st.builds(Chain, clear, compact), st.builds(Chain, clear, single))


@settings(max_examples=300)
@given(conversations(), policies(), st.data())
def test_pairs_order_and_pins_hold_and_nothing_is_changed(
    messages: tuple[Message, ...], policy: ContextPolicy, data: st.DataObject
) -> None:
    texts = [text for message in messages for text in [message.text] if text]
    pins = tuple(data.draw(st.lists(st.sampled_from(texts), max_size=2))) if texts else ()
    request = request_of(*messages, pins=pins)
    before = repr(request)
    built = policy.build(request, START)
    assert problems(built.request) == ()
    assert repr(request) == before
    again = policy.build(request, START)
    assert sent_bytes(again.request) == sent_bytes(built.request) and again.state == built.state


@settings(max_examples=200)
@given(conversations(), policies())
def test_a_message_of_the_history_is_the_original_but_for_its_results(
    messages: tuple[Message, ...], policy: ContextPolicy
) -> None:
    built = policy.build(request_of(*messages), START)
    for entry in built.request.part("history").entries:
        assert entry.index is not None
        original = messages[entry.index]
        for block in entry.message.blocks:
            if block not in original.blocks:
                assert isinstance(block, ToolResult) and is_placeholder(block.text)
                was = [b for b in original.results if b.call_id == block.call_id]
                assert any(COUNTER.text(block.text) < COUNTER.text(b.text) for b in was)
        left = [b for b in original.blocks if not isinstance(b, ToolResult)]
        assert [b for b in entry.message.blocks if not isinstance(b, ToolResult)] == left


@settings(max_examples=150)
@given(conversations(most=20), st.sampled_from([careful, short]))
def test_no_step_is_lost_and_none_stands_beside_its_summary_as_a_run_grows(
    messages: tuple[Message, ...], write: object
) -> None:
    chain = Chain(
        ClearResults(COUNTER, 2, 2),
        Compact(COUNTER, SMALL, write, keeps=(3, 1), limit=200),  # type: ignore[arg-type]
    )
    state = START
    for length in range(1, len(messages) + 1):
        request = request_of(*messages[:length])
        if problems(request):
            continue  # between a call and its result no request is made
        built = chain.build(request, state)
        assert built.state.covered >= state.covered and built.state.cleared >= state.cleared
        state = built.state
        sent = {entry.index for entry in built.request.part("history").entries}
        spoken = [i for i, m in enumerate(messages[:length]) if m.role == "user" and m.text]
        latest = next((i for i in reversed(spoken) if not messages[i].results), -1)
        for step in steps(messages[:length]):
            covered = step.indices[-1] < state.covered
            assert covered or sent.issuperset(step.indices)
            assert not covered or sent.isdisjoint({*step.indices} - {latest})
        assert (state.summary is not None) == (state.covered > 0)


@pytest.mark.parametrize("name", THREE)
def test_the_same_policy_resumed_from_its_state_sends_the_same_bytes(name: str) -> None:
    request = request_of(*THREE[name]())
    chain = Chain(ClearResults(COUNTER, 2, 2), Compact(COUNTER, SMALL, short, 0.1, (2,)))
    first = chain.build(request, START)
    assert sent_bytes(chain.build(request, first.state).request) == sent_bytes(first.request)


# Recent


def test_recent_keeps_the_last_steps_and_the_message_that_waits() -> None:
    messages = [user("one"), *CALLED, user("two"), assistant("b"), user("three")]
    assert history(Recent(1).build(request_of(*messages), START)) == messages[3:]
    assert history(Recent(0).build(request_of(*messages), START)) == messages[5:]


def test_recent_counts_back_from_where_the_choice_was_made() -> None:
    messages = [assistant(str(n)) for n in range(6)]
    assert history(Recent(1, frozen=4).build(request_of(*messages), START)) == messages[3:]


def test_budget_for_the_last_two_messages_never_starts_with_a_result() -> None:
    # langchain-ai/langchain#33245, #29637; BerriAI/litellm#4931
    request = request_of(system("s"), user("u"), *CALLED, user("again"), assistant("ok"))
    sent = history(Recent(1).build(request, START))
    assert [message.role for message in sent] == ["system", "user", "assistant"]


def test_all_results_of_a_kept_call_stay() -> None:
    # BerriAI/litellm#10696; langchain-ai/langmem#126
    parallel = [assistant("", read("a"), read("b")), result("a", LONG), result("b", "short")]
    request = request_of(assistant("old"), *parallel)
    assert history(Recent(1).build(request, START)) == parallel
    assert history(Recent(0).build(request, START)) == []


def test_well_under_budget_nothing_is_stripped() -> None:
    # BerriAI/litellm#6505, #8261
    request = request_of(system("s"), user("u"), *CALLED)
    budget = Budget(100_000)
    chain = Chain(ClearResults(COUNTER, 6, 6), Compact(COUNTER, budget), Recent(6))
    assert chain.build(request, START).request == request


def test_a_result_that_comes_late_goes_and_stays_with_its_call() -> None:
    # microsoft/agent-framework#7212; ag2ai/ag2#2793
    late = [assistant("", read("x")), user("meanwhile"), assistant("yes"), result("x", "late")]
    messages = [*late, assistant("a"), assistant("b")]
    sent = history(Recent(2).build(request_of(*messages), START))
    assert sent == messages[4:]
    assert history(Recent(4).build(request_of(*messages), START)) == messages


def test_an_orphan_in_the_middle_goes_with_a_cut() -> None:
    # microsoft/agent-framework#7212: the whole window is scanned, not only its head
    messages = [assistant("old"), assistant("a"), result("nobody", "?"), assistant("b")]
    sent = history(Recent(2).build(request_of(*messages), START))
    assert sent == [messages[1], messages[3]]


def test_a_cut_that_would_orphan_a_result_still_reduces() -> None:
    # microsoft/semantic-kernel#12708
    messages = [system("s"), user("u"), *CALLED, user("v"), assistant("w")]
    sent = history(Recent(1).build(request_of(*messages), START))
    assert len(sent) == 3 and problems(request_of(*sent)) == ()


def test_a_step_is_not_two_messages() -> None:
    # open-multi-agent/open-multi-agent PR#193; the result comes as a user's message
    done = Message("user", (ToolResult("call_1", LONG),))
    messages = [user("u"), assistant("", read("call_1")), done, assistant("a"), user("v")]
    assert history(Recent(1).build(request_of(*messages), START)) == messages[3:]
    assert history(Recent(2).build(request_of(*messages), START)) == messages


def test_words_beside_an_orphaned_result_are_kept() -> None:
    # Hmbown/Codewhale#6119
    mixed = Message("user", (Text("and be quick"), ToolResult("call_1", LONG)))
    request = request_of(assistant("", read("call_1")), mixed, assistant("done"))
    assert history(Recent(1).build(request, START))[0] == user("and be quick")


def test_a_call_stays_open_until_its_final_result() -> None:
    # google/adk-python#5602, #6179
    call = assistant("", read("job"))
    running = Message("tool", (ToolResult("job", "in progress", pending=True),))
    others = [assistant("a"), assistant("b"), assistant("c")]
    open_still = request_of(call, running, *others)
    assert history(Recent(1).build(open_still, START)) == [call, running, others[-1]]
    unseen = request_of(call, running, *others, result("job", "finished"))
    assert result("job", "finished") in history(Recent(1).build(unseen, START))
    seen = request_of(call, running, *others, result("job", "finished"), assistant("d"))
    assert history(Recent(1).build(seen, START)) == [assistant("d")]


def test_system_messages_stay_wherever_they_stand() -> None:
    # microsoft/semantic-kernel#12612
    chat = [assistant(str(n)) for n in range(25)]
    request = request_of(*chat[:20], system("the house rules"), *chat[20:])
    assert history(Recent(3).build(request, START))[0] == system("the house rules")
    compact = Compact(COUNTER, Budget(150, 0), short, 0.5, (3,))
    assert system("the house rules") in history(compact.build(request, START))


# Pins


def test_a_pinned_message_stays_though_its_step_goes() -> None:
    # langchain-ai/langmem#77, #111; anthropics/claude-code#22376; letta-ai/letta#2512
    messages = [user("fix the login, please"), *CALLED, *[assistant(str(n)) for n in range(9)]]
    chain = Chain(Pin((messages[0].text,)), Recent(2))
    assert history(chain.build(request_of(*messages), START)) == [messages[0], *messages[-2:]]
    compact = Chain(Pin((messages[0].text,)), Compact(COUNTER, SMALL, short, 0.1, (2,)))
    built = compact.build(request_of(*messages), START)
    assert history(built) == [messages[0], *messages[-2:]] and built.state.summary is not None


def test_a_pinned_output_is_neither_cleared_nor_parted_from_its_call() -> None:
    request = request_of(*CALLED, assistant("a"), assistant("b"), pins=(LONG,))
    assert ClearResults(COUNTER, 1, 1).build(request, START).request == request
    assert history(Recent(1).build(request, START)) == [*CALLED, assistant("b")]


def test_a_pinned_rule_survives_a_careless_summary() -> None:
    # anthropics/claude-code#4017, #6354, #19471, #24460; openai/codex#3975, #5772
    messages = patch_like()
    request = request_of(*messages)
    lost = Summarised(COUNTER, 2, careless).build(request, START)
    assert RULE not in sent_bytes(lost.request)
    pinned = Chain(Pin((RULE,)), Summarised(COUNTER, 2, careless)).build(request, START)
    assert any(message.text == RULE for message in pinned.request.messages)


# Chain


class Cut:
    """A history processor that knows no pairs: the last messages, whatever they are."""

    def build(self, request: Request, state: PolicyState) -> Built:
        last = request.part("history").entries[-2:]
        return Built(
            request.with_part(history_part(())).with_part(type(request.parts[0])("history", last)),
            state,
        )


class Nothing:
    def build(self, request: Request, state: PolicyState) -> None:
        return None


class Bare:
    def build(self, request: Request, state: PolicyState) -> Request:
        return request


def test_a_policy_that_breaks_a_pair_raises_here_and_not_at_the_provider() -> None:
    # pydantic/pydantic-ai#2050, #4137
    request = request_of(*CALLED, assistant("done"))
    with pytest.raises(PolicyError, match=r"Cut: .*'call_1' has no call") as caught:
        Chain(Recent(9), Cut()).build(request, START)
    assert caught.value.problems[0].kind == "pair"


def test_a_policy_that_returns_nothing_is_named() -> None:
    with pytest.raises(PolicyError, match="Nothing: expected a request, got NoneType"):
        Chain(Nothing()).build(request_of(user("u")), START)  # type: ignore[arg-type]


def test_a_bare_request_is_enough() -> None:
    request = request_of(user("u"))
    assert Chain(Bare()).build(request, START) == Built(request, START)  # type: ignore[arg-type]


def test_a_chain_does_not_blame_a_policy_for_what_it_was_given() -> None:
    request = request_of(result("nobody", "?"), assistant("a"))
    assert Chain(Bare()).build(request, START).request == request  # type: ignore[arg-type]


def test_a_chain_with_a_budget_judges_the_size() -> None:
    with pytest.raises(ContextTooLarge, match=r"budget of 50\. Largest part: history"):
        Chain(counter=COUNTER, budget=Budget(60, 10)).build(request_of(*CALLED), START)
