"""Policies: pairs, pins and order held over random conversations, and cases from the field.

A case cites the public thread in which users of another agent or library met it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from patch_agent.budget import Budget, ContextTooLarge
from patch_agent.check import problems
from patch_agent.messages import (
    Message,
    Reasoning,
    Text,
    ToolCall,
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
    placeholder,
)
from patch_agent.request import Request, fixed_part, history_part
from patch_agent.summaries import Summary, careful, careless, pointer
from patch_agent.tokens import TokenCounter, estimate
from tests.conversations import RULE, THREE, conversations, patch_like

COUNTER = estimate()
SMALL = Budget(600, 100)
START = PolicyState()


def request_of(*messages: Message, pins: tuple[str, ...] = ()) -> Request:
    return Request((history_part(messages),), tuple(messages), pins)


def read(ident: str, path: str = "a.py") -> ToolCall:
    return ToolCall(ident, "read_file", json.dumps({"path": path}))


def history(built: Built) -> list[Message]:
    return [entry.message for entry in built.request.part("history").entries]


def sent_bytes(request: Request) -> str:
    return json.dumps(request.wire(), ensure_ascii=False)


def short(
    messages: Sequence[Message], counter: TokenCounter, limit: int, previous: object
) -> Summary:
    """A writer of very short summaries."""
    return Summary("What came before.", 0, 0, "short")


LONG = "line of output\n" * 80
CALLED = (assistant("", read("call_1")), result("call_1", LONG))

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


@settings(max_examples=300, deadline=None)
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


@settings(max_examples=200, deadline=None)
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


@settings(max_examples=150, deadline=None)
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
    # C01: langchain-ai/langchain#33245, #29637; BerriAI/litellm#4931
    request = request_of(system("s"), user("u"), *CALLED, user("again"), assistant("ok"))
    sent = history(Recent(1).build(request, START))
    assert [message.role for message in sent] == ["system", "user", "assistant"]


def test_all_results_of_a_kept_call_stay() -> None:
    # C02: BerriAI/litellm#10696; C04: langchain-ai/langmem#126
    parallel = [assistant("", read("a"), read("b")), result("a", LONG), result("b", "short")]
    request = request_of(assistant("old"), *parallel)
    assert history(Recent(1).build(request, START)) == parallel
    assert history(Recent(0).build(request, START)) == []


def test_well_under_budget_nothing_is_stripped() -> None:
    # C03: BerriAI/litellm#6505, #8261
    request = request_of(system("s"), user("u"), *CALLED)
    budget = Budget(100_000)
    chain = Chain(ClearResults(COUNTER, 6, 6), Compact(COUNTER, budget), Recent(6))
    assert chain.build(request, START).request == request


def test_a_result_that_comes_late_goes_and_stays_with_its_call() -> None:
    # C05: microsoft/agent-framework#7212; ag2ai/ag2#2793
    late = [assistant("", read("x")), user("meanwhile"), assistant("yes"), result("x", "late")]
    messages = [*late, assistant("a"), assistant("b")]
    sent = history(Recent(2).build(request_of(*messages), START))
    assert sent == messages[4:]
    assert history(Recent(4).build(request_of(*messages), START)) == messages


def test_an_orphan_in_the_middle_goes_with_a_cut() -> None:
    # C05: the whole window is scanned, not only its head
    messages = [assistant("old"), assistant("a"), result("nobody", "?"), assistant("b")]
    sent = history(Recent(2).build(request_of(*messages), START))
    assert sent == [messages[1], messages[3]]


def test_a_cut_that_would_orphan_a_result_still_reduces() -> None:
    # C06: microsoft/semantic-kernel#12708
    messages = [system("s"), user("u"), *CALLED, user("v"), assistant("w")]
    sent = history(Recent(1).build(request_of(*messages), START))
    assert len(sent) == 3 and problems(request_of(*sent)) == ()


def test_a_step_is_not_two_messages() -> None:
    # C07: open-multi-agent/open-multi-agent PR#193; the result comes as a user's message
    done = Message("user", (ToolResult("call_1", LONG),))
    messages = [user("u"), assistant("", read("call_1")), done, assistant("a"), user("v")]
    assert history(Recent(1).build(request_of(*messages), START)) == messages[3:]
    assert history(Recent(2).build(request_of(*messages), START)) == messages


def test_words_beside_an_orphaned_result_are_kept() -> None:
    # C08: Hmbown/Codewhale#6119
    mixed = Message("user", (Text("and be quick"), ToolResult("call_1", LONG)))
    request = request_of(assistant("", read("call_1")), mixed, assistant("done"))
    assert history(Recent(1).build(request, START))[0] == user("and be quick")


def test_a_call_stays_open_until_its_final_result() -> None:
    # C11: google/adk-python#5602, #6179
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
    # C31: microsoft/semantic-kernel#12612
    chat = [assistant(str(n)) for n in range(25)]
    request = request_of(*chat[:20], system("the house rules"), *chat[20:])
    assert history(Recent(3).build(request, START))[0] == system("the house rules")
    compact = Compact(COUNTER, Budget(150, 0), short, 0.5, (3,))
    assert system("the house rules") in history(compact.build(request, START))


# Pins


def test_a_pinned_message_stays_though_its_step_goes() -> None:
    # C32: langchain-ai/langmem#77, #111; anthropics/claude-code#22376; letta-ai/letta#2512
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
    # C29: anthropics/claude-code#4017, #6354, #19471, #24460; openai/codex#3975, #5772
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
    # C15: pydantic/pydantic-ai#2050, #4137
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


# ClearResults


def test_old_outputs_become_a_line_that_names_their_file() -> None:
    request = request_of(*CALLED, assistant("a"))
    built = ClearResults(COUNTER, 1, 1).build(request, START)
    size = COUNTER.text(LONG)
    assert history(built)[1] == result("call_1", placeholder("call_1", size))
    assert pointer("call_1") in placeholder("call_1", size) and f"{size:,}" in placeholder(
        "x", size
    )
    assert request.messages[1] == CALLED[1]


def test_an_output_is_left_alone_where_the_line_would_not_be_smaller() -> None:
    request = request_of(assistant("", read("call_1")), result("call_1", "ok"), assistant("a"))
    assert ClearResults(COUNTER, 1, 1).build(request, START).request == request


def test_clearing_twice_is_clearing_once() -> None:
    request = request_of(*CALLED, assistant("a"))
    once = ClearResults(COUNTER, 1, 1).build(request, START)
    assert ClearResults(COUNTER, 1, 1).build(once.request, once.state) == once


def test_an_error_stays_an_error_and_a_pending_result_stays() -> None:
    failed = Message("tool", (ToolResult("a", LONG, error=True),))
    pending = Message("tool", (ToolResult("b", LONG, pending=True),))
    request = request_of(assistant("", read("a"), read("b")), failed, pending, assistant("x"))
    sent = history(ClearResults(COUNTER, 1, 1).build(request, START))
    assert sent[1].results[0].error and is_placeholder(sent[1].results[0].text)
    assert sent[2] == pending


def test_thinking_is_never_edited() -> None:
    # C14: langchain-ai/langchain#34794; openclaw/openclaw#44436
    thought = Message("assistant", (Reasoning("sealed", opaque=True, id="r"), read("call_1")))
    request = request_of(thought, CALLED[1], assistant("a"))
    assert history(ClearResults(COUNTER, 1, 1).build(request, START))[0] == thought


def test_outputs_of_excluded_tools_are_left_alone() -> None:
    request = request_of(*CALLED, assistant("a"))
    spared = ClearResults(COUNTER, 1, 1, exclude=frozenset({"read_file"}))
    assert spared.build(request, START).request == request


def test_an_output_that_the_model_has_not_seen_is_not_cleared() -> None:
    request = request_of(assistant("old"), *CALLED)
    assert ClearResults(COUNTER, 1, 1).build(request, START).request == request


def test_below_its_limit_clearing_goes_no_further_but_takes_nothing_back() -> None:
    request = request_of(*CALLED, assistant("a"), *CALLED, assistant("b"))
    size = request.tokens(COUNTER)
    assert ClearResults(COUNTER, 1, 1, limit=size).build(request, START).request == request
    over = ClearResults(COUNTER, 1, 1, limit=size - 1).build(request, START)
    assert over.request.tokens(COUNTER) < size
    later = ClearResults(COUNTER, 1, 1, limit=10 * size).build(request, over.state)
    assert later == over


def test_the_boundary_moves_in_chunks_so_that_requests_in_between_begin_alike() -> None:
    messages: list[Message] = []
    state, cleared, broken = START, [], 0
    previous: tuple[str, ...] = ()
    for number in range(1, 25):
        made = read(f"call_{number}")
        messages += [assistant(f"step {number}", made), result(made.id, LONG)]
        built = ClearResults(COUNTER, keep=6, every=6).build(request_of(*messages), state)
        state = built.state
        cleared.append(sum(is_placeholder(m.results[0].text) for m in history(built) if m.results))
        prints = built.request.fingerprints()
        broken += prints[: len(previous)] != previous
        previous = prints
    assert cleared == [0] * 11 + [6] * 6 + [12] * 6 + [18]
    assert broken == 3


# Compact


def big(count: int = 8) -> list[Message]:
    return [m for n in range(count) for m in (assistant("", read(f"c{n}")), result(f"c{n}", LONG))]


def test_a_summary_stands_for_the_older_steps() -> None:
    request = request_of(*big())
    built = Compact(COUNTER, Budget(2_400, 0), short, keeps=(3,)).build(request, START)
    assert history(built) == big()[10:]
    assert built.state.covered == 10
    assert built.request.messages[0].text.startswith("What came before.")
    assert built.request.part("summary").entries[0].message.role == "system"


def test_the_originals_are_summarised_whatever_was_cleared() -> None:
    seen: list[str] = []

    def write(messages: Sequence[Message], *rest: object) -> Summary:
        seen.extend(done.text for message in messages for done in message.results)
        return Summary("short", 0, 0, "short")

    chain = Chain(ClearResults(COUNTER, 1, 1), Compact(COUNTER, Budget(400, 0), write, 0.2, (1,)))
    built = chain.build(request_of(*big()), START)
    assert seen == [LONG] * 7 and built.state.covered == 14


@pytest.mark.parametrize("text", ["", "   \n"])
def test_an_empty_summary_is_not_taken(text: str) -> None:
    # C48: CodebuffAI/freebuff#1166; skorokithakis/stavrobot#28
    request = request_of(*big())
    write = lambda *given: Summary(text, 0, 0, "empty")  # noqa: E731
    built = Compact(COUNTER, SMALL, write).build(request, START)
    assert built.request == request and built.state == START
    assert "keep 6: the summary was empty" in built.notes


def test_a_summary_that_is_not_smaller_is_not_taken() -> None:
    # C23: google-gemini/gemini-cli#3574, #15225; RooCodeInc/Roo-Code#3911; Kilo-Org/kilocode#2037
    request = request_of(*big())
    removed = COUNTER.messages(big()[:4])
    for size, taken in ((removed + 900, False), (removed, False), (removed - 1, True)):
        text = "x" * (4 * (size - 4 - COUNTER.text("summary")))
        write = lambda *given, text=text: Summary(text, 0, 0, "long")  # noqa: E731
        compact = Compact(COUNTER, Budget(2_900, 0), write, keeps=(6,), find=None)
        built = compact.build(request, START)
        assert (built.state.summary is not None) == taken


def test_nothing_to_condense_asks_no_writer() -> None:
    # C25: OpenHands/software-agent-sdk#1073, #1518
    def write(*given: object) -> Summary:
        raise AssertionError("asked to summarise nothing")

    request = request_of(assistant("", read("c")), result("c", LONG * 3))
    built = Compact(COUNTER, SMALL, write).build(request, START)
    assert built.request == request
    assert built.notes == tuple(f"keep {keep}: nothing to condense" for keep in (6, 3, 1))


def test_a_writer_that_fails_changes_nothing_and_its_error_is_not_sent() -> None:
    # C49: anthropics/claude-code#40352; langchain-ai/langchain#38867
    calls: list[int] = []

    def write(*given: object) -> Summary:
        calls.append(1)
        raise ConnectionError("429 too many requests")

    request = request_of(*big())
    built = Compact(COUNTER, SMALL, write).build(request, START)
    assert built.request == request and built.state == START
    assert "429" not in sent_bytes(built.request) and "ConnectionError" in built.notes[0]
    assert len(calls) <= 3  # C19: Kilo-Org/kilocode#13983 made 408 tries


def test_with_nothing_new_the_old_summary_is_carried_forward() -> None:
    # C47: openclaw/openclaw#120663
    request = request_of(*big())
    compact = Compact(COUNTER, Budget(2_400, 0), short, keeps=(3,))
    first = compact.build(request, START)
    again = Compact(COUNTER, SMALL, short, 0.1, (3,)).build(request, first.state)
    assert again.request == first.request and again.state == first.state
    assert "nothing to condense" in again.notes[0]


def test_a_second_compaction_sees_the_first_and_not_its_steps() -> None:
    # C50: dyad-sh/dyad PR#2515; C46: langchain-ai/deepagents#2876; anthropics/claude-code#92089
    given: list[tuple[int, str]] = []

    def write(
        messages: Sequence[Message], counter: TokenCounter, limit: int, previous: Summary | None
    ) -> Summary:
        given.append((len(messages), previous.text if previous else ""))
        return Summary(f"summary {len(given)}", 0, 0, "test")

    compact = Compact(COUNTER, Budget(2_400, 0), write, keeps=(3,), find=None)
    first = compact.build(request_of(*big(8)), START)
    second = compact.build(request_of(*big(16)), first.state)
    assert given == [(10, ""), (16, "summary 1")]
    assert second.state.summary and second.state.summary.text == "summary 2"
    assert second.state.covered == 26


def test_facts_from_before_the_first_summary_survive_two_rounds() -> None:
    # C50
    messages = patch_like()
    compact = Compact(COUNTER, Budget(15_000, 0), careful, 0.1, (6,))
    first = compact.build(request_of(*messages[:24]), START)
    assert first.state.summary is not None and RULE in first.state.summary.text
    second = compact.build(request_of(*messages), first.state)
    assert second.state.summary is not None and second.state.covered > first.state.covered
    for fact in (RULE, "assert 200 == 401", "did not help"):
        assert fact in second.state.summary.text


def test_the_state_grows_with_the_conversation_and_not_with_its_square() -> None:
    # C46: langchain-ai/deepagents#2876; anthropics/claude-code#92089
    def stored(count: int) -> int:
        """Characters of the state after a compaction at every eighth step."""
        state, compact = START, Compact(COUNTER, Budget(3_000, 0), careful, 0.1, (1,), 150)
        for length in range(8, count + 1, 8):
            state = compact.build(request_of(*big(length)), state).state
        assert state.summary is not None and state.summary.covers == count - 1
        return len(repr(state.summary.record))

    assert stored(160) < 2.2 * stored(80)


def test_fixed_parts_over_the_trigger_are_named_and_no_writer_is_asked() -> None:
    # C17: MoonshotAI/kimi-code#2325
    def write(*given: object) -> Summary:
        raise AssertionError("a summary cannot help here")

    request = request_of(*big()).with_part(fixed_part("memory", [system("note " * 900, "memory")]))
    with pytest.raises(ContextTooLarge, match="memory"):
        Compact(COUNTER, Budget(1_000, 0), write).build(request, START)


def test_fewer_steps_are_kept_until_the_request_fits() -> None:
    request = request_of(*big(8))
    size = COUNTER.messages(big(1))
    for room, kept in ((6, 6), (5, 3), (2, 1)):
        budget = Budget(room * size + 60, 0)
        built = Compact(COUNTER, budget, short).build(request, START)
        assert len(history(built)) == 2 * kept
        assert built.state.covered == 16 - 2 * kept


def test_a_step_that_waits_for_a_result_is_not_summarised() -> None:
    waiting = [assistant("", read("job")), Message("tool", (ToolResult("job", "…", pending=True),))]
    request = request_of(*big(2), *waiting, *big(6))
    built = Compact(COUNTER, SMALL, short, keeps=(1,)).build(request, START)
    assert built.state.covered == 4


def test_a_state_from_another_conversation_is_refused() -> None:
    state = PolicyState(summary=Summary("s", 9, 90, "short"), covered=90)
    with pytest.raises(ValueError, match="message 90 of a conversation of 16"):
        Compact(COUNTER, SMALL, short).build(request_of(*big()), state)


@pytest.mark.parametrize("keep", [-1, 1.5, True, "6"])
def test_nonsense_for_a_number_of_steps_is_refused(keep: object) -> None:
    for make in (Recent, lambda k: ClearResults(COUNTER, k), lambda k: Summarised(COUNTER, k)):
        with pytest.raises(ValueError, match="keep: expected a whole number"):
            make(keep)  # type: ignore[arg-type,no-untyped-call]
