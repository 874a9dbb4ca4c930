"""Compact: when a summary is taken, what it stands for, and when none is asked for."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from patch_agent.budget import Budget, ContextTooLarge
from patch_agent.messages import (
    Message,
    ToolResult,
    assistant,
    result,
    system,
)
from patch_agent.policies import (
    Chain,
    ClearResults,
    Compact,
    PolicyState,
)
from patch_agent.policies.demands import Demands, names_in
from patch_agent.request import fixed_part
from patch_agent.summaries import Summary, careful
from patch_agent.tokens import TokenCounter
from tests.conversations import RULE, patch_like
from tests.policy_tools import (
    COUNTER,
    LONG,
    SMALL,
    START,
    big,
    history,
    read,
    request_of,
    sent_bytes,
    short,
)


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
    # CodebuffAI/freebuff#1166; skorokithakis/stavrobot#28
    request = request_of(*big())
    write = lambda *given: Summary(text, 0, 0, "empty")  # noqa: E731
    built = Compact(COUNTER, SMALL, write).build(request, START)
    assert built.request == request and built.state == START
    assert built.notes == ("keep 1: the summary was empty",)


def test_a_summary_that_is_not_smaller_is_not_taken() -> None:
    # google-gemini/gemini-cli#3574, #15225, PR#7047; RooCodeInc/Roo-Code#3911 (PR#4061);
    # Kilo-Org/kilocode#2037
    request = request_of(*big())
    removed = COUNTER.messages(big()[:4])
    for size, taken in ((removed + 900, False), (removed, False), (removed - 1, True)):
        text = "x" * (4 * (size - 4 - COUNTER.text("summary")))
        write = lambda *given, text=text: Summary(text, 0, 0, "long")  # noqa: E731
        compact = Compact(COUNTER, Budget(2_900, 0), write, keeps=(6,), find=None)
        built = compact.build(request, START)
        assert (built.state.summary is not None) == taken


def test_nothing_to_condense_asks_no_writer() -> None:
    # OpenHands/software-agent-sdk#1073, #1518
    def write(*given: object) -> Summary:
        raise AssertionError("asked to summarise nothing")

    request = request_of(assistant("", read("c")), result("c", LONG * 3))
    built = Compact(COUNTER, SMALL, write).build(request, START)
    assert built.request == request
    assert built.notes == tuple(f"keep {keep}: nothing to condense" for keep in (6, 3, 1))


def test_a_writer_that_fails_changes_nothing_and_its_error_is_not_sent() -> None:
    # anthropics/claude-code#40352; langchain-ai/langchain#38867
    calls: list[int] = []

    def write(*given: object) -> Summary:
        calls.append(1)
        raise ConnectionError("429 too many requests")

    request = request_of(*big())
    built = Compact(COUNTER, SMALL, write).build(request, START)
    assert built.request == request and built.state == START
    assert "429" not in sent_bytes(built.request) and "ConnectionError" in built.notes[0]
    assert len(calls) <= 3  # Kilo-Org/kilocode#13983 made 408 tries


def test_with_nothing_new_the_old_summary_is_carried_forward() -> None:
    # openclaw/openclaw#120663
    request = request_of(*big())
    compact = Compact(COUNTER, Budget(2_400, 0), short, keeps=(3,))
    first = compact.build(request, START)
    again = Compact(COUNTER, SMALL, short, 0.1, (3,)).build(request, first.state)
    assert again.request == first.request and again.state == first.state
    assert "nothing to condense" in again.notes[0]


def test_a_second_compaction_sees_the_first_and_not_its_steps() -> None:
    # dyad-sh/dyad PR#2515; langchain-ai/deepagents#2876; anthropics/claude-code#92089
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
    # dyad-sh/dyad PR#2515
    messages = patch_like()
    compact = Compact(COUNTER, Budget(15_000, 0), careful, 0.1, (6,))
    first = compact.build(request_of(*messages[:24]), START)
    assert first.state.summary is not None and RULE in first.state.summary.text
    second = compact.build(request_of(*messages), first.state)
    assert second.state.summary is not None and second.state.covered > first.state.covered
    for fact in (RULE, "assert 200 == 401", "did not help"):
        assert fact in second.state.summary.text


def test_the_state_grows_with_the_conversation_and_not_with_its_square() -> None:
    # langchain-ai/deepagents#2876; anthropics/claude-code#92089
    def stored(count: int) -> int:
        """Characters of the state after a compaction at every eighth step."""
        state, compact = START, Compact(COUNTER, Budget(3_000, 0), careful, 0.1, (1,), 150)
        for length in range(8, count + 1, 8):
            state = compact.build(request_of(*big(length)), state).state
        assert state.summary is not None and state.summary.covers == count - 1
        return len(repr(state.summary.record))

    assert stored(160) < 2.2 * stored(80)


def test_fixed_parts_over_the_trigger_are_named_and_no_writer_is_asked() -> None:
    # MoonshotAI/kimi-code#2325
    asked = []
    request = request_of(*big()).with_part(fixed_part("memory", [system("note " * 900, "memory")]))
    with pytest.raises(ContextTooLarge, match="memory"):
        Compact(COUNTER, Budget(1_000, 0), lambda *given: asked.append(given)).build(request, START)  # type: ignore[arg-type, func-returns-value]
    assert asked == []


def test_fixed_parts_between_trigger_and_budget_are_named_from_the_first_request_on() -> None:
    # MoonshotAI/kimi-code#2325: 29k of a window of 32k, trigger at 85%
    def write(*given: object) -> Summary:
        raise AssertionError("a summary cannot help here")

    memory = fixed_part("memory", [system("note " * 23_200, "memory")])
    compact = Compact(COUNTER, Budget(32_000, 0), write, 0.85)
    for count in (1, 2, 5):
        request = request_of(*big(count)).with_part(memory)
        built = compact.build(request, START)
        assert built.request == request and built.state == START
        (note,) = built.notes
        size = memory.tokens(COUNTER)
        assert f"the threshold is 27,200; largest: memory, {size:,}" in note


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


def test_no_writer_is_asked_where_not_even_an_empty_summary_would_do() -> None:
    asked: list[int] = []

    def write(messages: Sequence[Message], *rest: object) -> Summary:
        asked.append(len(messages))
        return Summary("What came before.", 0, 0, "short")

    room = Budget(3 * COUNTER.messages(big(1)) + 60, 0)
    built = Compact(COUNTER, room, write).build(request_of(*big(20)), START)
    assert asked == [34] and built.state.covered == 34


@pytest.mark.parametrize("name", ["#4", "call_1", "a/b.py", "R-10"])
def test_a_name_within_a_longer_one_is_no_name(name: str) -> None:
    wanted = Demands(names=(name,))
    for longer in (f"{name}7", f"{name}i", f"{name}_", *([] if name == "#4" else [f"x{name}"])):
        assert wanted.without(f"See {longer}, {longer}") == wanted, longer
    for said in (name, f"See {name}7 and {name}.", f"`{name}`", f"见{name}文件", f"/repo/{name}/"):
        assert not wanted.without(said), said


def test_a_name_that_is_found_in_a_text_stands_there() -> None:
    told = (
        "https://tracker.example/browse/AUTH-42 #12/#13 ...#47 fix/AUTH-42-clock-skew AUTH-42.md"
        " a.call_7 x/call_7 auth/session.py-- tests/x.py::test_a[1-2]-x 请修改auth/session.py文件"
    )
    for text in (told, *told.split(" ")):
        assert not Demands(names=tuple(names_in(text))).without(text)


@pytest.mark.parametrize(
    "text", ["I'm sorry, I can't help with that.", "I’m sorry, I can’t.", "I won’t do that."]
)
def test_a_refusal_is_no_summary(text: str) -> None:
    def write(*given: object) -> Summary:
        return Summary(text, 0, 0, "model")

    built = Compact(COUNTER, Budget(2_400, 0), write, 0.5, (2,)).build(request_of(*big(9)), START)
    assert built.state.summary is None
