"""Cases from the field: what is too big, loops that never end, summaries that grow.

More are in test_policies_compact. Each test cites the public threads that it comes from.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest

from patch_agent.budget import Budget, ContextTooLarge
from patch_agent.check import problems
from patch_agent.messages import Message, Usage, assistant, result, system, user
from patch_agent.policies import Clip, Compact, PolicyState, Running, Trim, policy
from patch_agent.request import fixed_part
from patch_agent.summaries import Summary
from patch_agent.tokens import CalibratedCounter, TokenCounter, estimate
from tests.policy_tools import COUNTER, LONG, START, big, history, read, request_of, short

SYSTEM = fixed_part("system", [system("rule " * 400, "system")])


class Writer:
    """A writer of summaries of so many tokens that keeps what it was asked."""

    def __init__(self, tokens: int) -> None:
        self.tokens, self.asked = tokens, list[Sequence[Message]]()

    def __call__(
        self, messages: Sequence[Message], counter: TokenCounter, limit: int, previous: object
    ) -> Summary:
        self.asked.append(messages)
        return Summary("x" * (4 * self.tokens), 0, 0, "test")


def test_without_headroom_compaction_stops_and_names_what_is_too_large() -> None:
    # anomalyco/opencode#48827 (PR#48828)
    huge = [assistant("", read("tail")), result("tail", LONG * 3)]
    running = Running(
        policy("compact", COUNTER, Budget(800, 0), limit=700, write=Writer(20), find=None),
        [SYSTEM, fixed_part("report", [system("found " * 80, "report")])],
    )
    running.add(user("u"), *big(2), *huge)
    with pytest.raises(ContextTooLarge, match="Largest part") as caught:
        running.build()
    assert caught.value.size > caught.value.budget == 800


def test_a_writer_that_always_fails_is_asked_ever_more_rarely() -> None:
    # Kilo-Org/kilocode#13983, 408 attempts
    writer = Writer(0)
    running = Running(policy("compact", COUNTER, Budget(40_000, 0), limit=2_000, write=writer))
    running.add(user("u"))
    for number in range(120):
        running.add(assistant("words " * 60, read(f"c{number}")), result(f"c{number}", "ok"))
        assert problems(running.build().request) == ()
    assert 0 < len(writer.asked) <= 3 * 8
    with pytest.raises(ContextTooLarge):
        tight = policy("compact", COUNTER, Budget(2_500, 0), write=writer)
        tight.build(running.request(), running.state)


def test_the_trigger_counts_what_is_sent_next_and_not_what_was_billed() -> None:
    # letta-ai/letta#3242
    reply = Message("assistant", assistant("done").blocks, usage=Usage(600, 900, 300, 100))
    request = request_of(user("u " * 50), reply, user("v"))
    budget = Budget(400, 0)
    assert policy("compact", COUNTER, budget).build(request, START).state == START
    counter = CalibratedCounter(estimate()).fed(request, Usage(150, 9_000, 50, 0))
    assert counter.fed(request, Usage(150, 9_000, 50, 0)).ratio == counter.ratio
    assert request.tokens(counter) == pytest.approx(200, abs=4)


@pytest.mark.parametrize("name", ["trim", "compact"])
def test_a_share_that_cannot_be_reached_is_no_silent_wipe(name: str) -> None:
    # letta-ai/letta#3270
    request = request_of(user("the task"), *big(6)).with_part(SYSTEM)
    chain = policy(name, COUNTER, Budget(2_000, 0), limit=1_600, target=300, write=short)
    built = chain.build(request, START)
    assert user("the task") in history(built)
    assert history(built)[-2:] == big(6)[-2:]
    if name == "compact":
        assert any("300 were wanted" in note for note in built.notes)
    else:
        assert history(built)[-4:] == big(6)[-4:]


def test_the_share_that_was_asked_for_is_what_is_left() -> None:
    # letta-ai/letta#3270
    request = request_of(user("the task"), *big(40))
    for target in (1_000, 3_000, 6_000):
        built = Trim(COUNTER, 8_000, target).build(request, START)
        left = built.request.tokens(COUNTER)
        assert target - COUNTER.messages(big(1)) < left <= target


@pytest.mark.parametrize("name", ["clear", "trim", "compact"])
def test_a_result_larger_than_the_window_is_clipped_and_asks_no_writer(name: str) -> None:
    # RooCodeInc/Roo-Code#4186, #6069
    writer = Writer(5)
    request = request_of(user("u"), assistant("", read("call_1")), result("call_1", LONG * 900))
    chain = policy(name, COUNTER, Budget(20_000, 0), write=writer)
    built = chain.build(request, START)
    text = history(built)[-1].results[0].text
    assert built.request.tokens(COUNTER) <= 20_000 and writer.asked == []
    assert text.startswith(f"[clipped: {COUNTER.text(LONG * 900):,} tokens")
    assert ".patch/outputs/call_1.log" in text.split("\n")[0]
    assert text.endswith("line of output\n")


def test_a_conversation_without_results_is_not_asked_for_twice() -> None:
    # aaif-goose/goose#8642, PR#10500
    writer = Writer(10_000)
    talk = [message for n in range(40) for message in (user(f"q{n} " * 40), assistant("a " * 90))]
    with pytest.raises(ContextTooLarge, match="history") as caught:
        chain = policy("compact", COUNTER, Budget(2_000, 0), write=writer)
        chain.build(request_of(*talk), START)
    assert len({len(messages) for messages in writer.asked}) == len(writer.asked) <= 3
    assert caught.value.parts["history"] > 2_000


def test_what_is_too_large_is_told_by_part_so_that_the_caller_can_choose() -> None:
    # run-llama/llama_index#11637, #9371
    found = fixed_part("memory", [system("note " * 2_000, "memory")])
    request = request_of(user("u"), *big(2)).with_part(SYSTEM).with_part(found)
    with pytest.raises(ContextTooLarge, match="memory") as caught:
        policy("none", COUNTER, Budget(2_500, 0)).build(request, START)
    assert sum(caught.value.parts.values()) == caught.value.size == request.tokens(COUNTER)
    largest = max(caught.value.parts, key=caught.value.parts.__getitem__)
    smaller = request.with_part(fixed_part(largest, []))
    assert policy("none", COUNTER, Budget(2_500, 0)).build(smaller, START).request == smaller


def test_the_step_after_a_compaction_does_not_set_off_the_next() -> None:
    # anthropics/claude-code#15426, #22195
    writer = Writer(20)
    budget = Budget(6_000, 0)
    running = Running(policy("compact", COUNTER, budget, limit=3_000, write=writer, find=None))
    running.add(user("u"), *big(11))
    running.build()
    asked = len(writer.asked)
    assert running.state.summary is not None
    running.add(assistant("", read("again")), result("again", LONG * 12))
    built = running.build()
    assert len(writer.asked) == asked
    assert built.request.tokens(COUNTER) <= budget.limit
    assert COUNTER.text(history(built)[-1].results[0].text) <= budget.limit // 4


@pytest.mark.parametrize("pause", [0, 1, 3])
def test_after_a_compaction_so_many_steps_pass_before_the_next(pause: int) -> None:
    # anthropics/claude-code#15426, #22195
    writer, size = Writer(20), COUNTER.messages(big(1))
    compact = Compact(COUNTER, Budget(40 * size, 0), writer, 0.1, (2,), pause=pause, find=None)
    running, asked_at = Running(compact), []
    for number in range(12):
        running.add(assistant("", read(f"s{number}")), result(f"s{number}", LONG))
        before = len(writer.asked)
        running.build()
        asked_at += [number] * (len(writer.asked) > before)
    assert len(asked_at) > 1
    assert min(after - before for before, after in pairwise(asked_at)) == max(pause, 2)


def test_progress_is_measured_in_tokens_and_not_in_messages() -> None:
    # letta-ai/letta-code#3956
    little = [assistant("ok") for _ in range(126)]
    request = request_of(*little, *big(8))
    compact = Compact(COUNTER, Budget(3_600, 0), Writer(300), 0.8, (8,), progress=0.1, find=None)
    built = compact.build(request, START)
    assert built.state == START and built.request == request
    assert any("too few" in note or "not smaller" in note for note in built.notes)


def test_an_attempt_that_came_to_nothing_is_remembered_as_such() -> None:
    # Kilo-Org/kilocode#13983
    chain = policy("compact", COUNTER, Budget(9_000, 0), limit=1_000, write=Writer(0))
    request = request_of(*big(9))
    state = chain.build(request, START).state
    assert (state.summary, state.failed, state.attempted) == (None, 1, 9)
    assert chain.build(request, state).state.failed == 1


def test_a_thousand_long_messages_are_cut_at_once() -> None:
    # run-llama/llama_index#12264; its time is in tests/benchmarks/bench_policies.py
    talk = [user("words " * 145) if n % 2 else assistant("words " * 145) for n in range(1_000)]
    built = policy("trim", COUNTER, Budget(16_000, 0)).build(request_of(*talk), PolicyState())
    assert COUNTER.messages(talk) > 200_000 > 16_000 >= built.request.tokens(COUNTER)
    assert problems(built.request) == ()


@pytest.mark.parametrize("cap", [1, 10, 40, 400])
def test_a_clipped_result_is_never_larger_than_what_it_was(cap: int) -> None:
    for text in ("", "short", "x" * 100, LONG, "日本語" * 400):
        request = request_of(assistant("", read("c")), result("c", text))
        done = history(Clip(COUNTER, cap).build(request, START))[1].results[0].text
        assert COUNTER.text(done) <= max(cap, min(COUNTER.text(text), 30))
