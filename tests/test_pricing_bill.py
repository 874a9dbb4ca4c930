"""What is billed: reads, writes and plain input by marks, minimum, lifetime and tier."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from patch_agent.messages import Message, assistant, system, user
from patch_agent.policies import CacheMarks, PolicyState
from patch_agent.pricing import PriceTable, Tier, bill, bills, edit, reuse, total
from patch_agent.request import Request, fixed_part, history_part
from patch_agent.tokens import exact
from patch_agent.vocabulary import load_encoder
from tests.conversations import conversations

COUNTER = exact()
ENCODE = load_encoder().encode
PLAIN = PriceTable("plain", input=1, output=4, cache_read=0.1, cache_write=1, per=1_000)
MARKS = replace(PLAIN, cache_write=1.25, marks=True)


def request_of(*messages: Message, marked: bool = False) -> Request:
    parts = (fixed_part("system", [system("You are Patch. " * 20, "system")]),)
    request = Request((*parts, history_part(messages)), tuple(messages))
    return CacheMarks().build(request, PolicyState()).request if marked else request


FIRST = (user("Fix the login, please."), assistant("I look."))
SECOND = (*FIRST, user("And?"), assistant("Done."))


def test_the_first_call_reads_nothing() -> None:
    request = request_of(*FIRST)
    made = bill(PLAIN, None, request, COUNTER, ENCODE, reply=100)
    size = request.tokens(COUNTER)
    assert (made.read, made.written, made.plain) == (0, 0, size)
    assert made.cost == pytest.approx((size + 400) / 1_000)


def test_a_provider_that_keeps_all_reads_what_is_shared_to_the_token() -> None:
    before, now = request_of(*FIRST), request_of(*SECOND)
    made = bill(PLAIN, before, now, COUNTER, ENCODE)
    assert made.read == before.tokens(COUNTER) and made.missed == ""
    changed = request_of(user("Fix the login, now."), *FIRST[1:])
    half = bill(PLAIN, before, changed, COUNTER, ENCODE)
    assert half.read == reuse(before, changed, COUNTER, ENCODE).tokens < before.tokens(COUNTER)


def test_with_marks_only_whole_marked_beginnings_are_read_and_written() -> None:
    before, now = request_of(*FIRST, marked=True), request_of(*SECOND, marked=True)
    first = bill(MARKS, None, before, COUNTER, ENCODE)
    assert (first.read, first.written, first.plain) == (0, before.tokens(COUNTER), 0)
    second = bill(MARKS, before, now, COUNTER, ENCODE)
    new = now.tokens(COUNTER) - before.tokens(COUNTER)
    assert (second.read, second.written, second.plain) == (before.tokens(COUNTER), new, 0)
    changed = request_of(FIRST[0], assistant("I looked."), marked=True)
    third = bill(MARKS, before, changed, COUNTER, ENCODE)
    stable = COUNTER.message(before.messages[0]) + COUNTER.message(FIRST[0])
    assert third.read == stable < third.reuse.tokens + 1
    assert third.cost == pytest.approx((0.1 * third.read + 1.25 * third.written) / 1_000)


def test_without_marks_in_the_request_a_provider_that_wants_them_keeps_nothing() -> None:
    before, now = request_of(*FIRST), request_of(*SECOND)
    made = bill(MARKS, before, now, COUNTER, ENCODE)
    assert (made.read, made.written, made.plain) == (0, 0, now.tokens(COUNTER))


@pytest.mark.parametrize("table", [PLAIN, MARKS])
def test_a_beginning_below_the_minimum_is_not_kept(table: PriceTable) -> None:
    before, now = (request_of(*talk, marked=True) for talk in (FIRST, SECOND))
    size = before.tokens(COUNTER)
    at, above = (
        bill(replace(table, minimum=minimum), before, now, COUNTER, ENCODE)
        for minimum in (size, size + 1)
    )
    assert (at.read, at.missed) == (size, "")
    assert (above.read, above.missed) == (0, "short")


@pytest.mark.parametrize("table", [PLAIN, MARKS])
def test_a_pause_longer_than_the_lifetime_is_a_miss(table: PriceTable) -> None:
    before, now = (request_of(*talk, marked=True) for talk in (FIRST, SECOND))
    kept = replace(table, lifetime=300)
    within, after = (
        bill(kept, before, now, COUNTER, ENCODE, pause=pause) for pause in (300, 300.1)
    )
    assert (within.read, within.missed) == (before.tokens(COUNTER), "")
    assert (after.read, after.missed) == (0, "pause")
    assert after.reuse == within.reuse and after.cost > within.cost
    assert after.input == within.input


def test_the_tier_is_that_of_the_whole_input_and_holds_for_the_reply() -> None:
    request = request_of(*SECOND)
    size = request.tokens(COUNTER)
    for above, times in ((size, 1), (size - 1, 5)):
        table = replace(PLAIN, tiers=(Tier(above, 5),))
        made = bill(table, None, request, COUNTER, ENCODE, reply=10)
        assert made.times == times
        assert made.cost == pytest.approx(times * (size + 40) / 1_000)


def test_a_run_is_the_sum_of_its_calls() -> None:
    # devrev/enterprise-bench#36: each turn sends, and is billed for, the history again
    talk = [user("u"), *(message for n in range(20) for message in (assistant(f"a {n}"),))]
    requests = [request_of(*talk[:length]) for length in range(1, len(talk) + 1)]
    billed = bills(PLAIN, requests, COUNTER, ENCODE, replies=[3] * 21)
    whole = total(billed)
    assert whole.input == sum(request.tokens(COUNTER) for request in requests)
    assert whole.input > 10 * requests[-1].part("history").tokens(COUNTER)
    assert (whole.calls, whole.reply) == (21, 63)
    assert whole.cost == pytest.approx(sum(one.cost for one in billed))
    assert 0.9 < whole.cached_share < 1 and total([]).cached_share == 0


@settings(max_examples=60)
@given(conversations(most=4), conversations(most=4), st.booleans(), st.integers(0, 200))
def test_every_token_is_billed_once(
    one: tuple[Message, ...], other: tuple[Message, ...], marks: bool, minimum: int
) -> None:
    before, now = request_of(*one, marked=True), request_of(*one[:2], *other, marked=True)
    table = replace(MARKS if marks else PLAIN, minimum=minimum)
    made = bill(table, before, now, COUNTER, ENCODE)
    assert made.input == now.tokens(COUNTER)
    assert min(made.read, made.written, made.plain) >= 0
    assert made.read <= made.reuse.tokens


@settings(max_examples=60)
@given(conversations(most=5), st.integers(0, 5))
def test_freed_added_and_kept_add_up(messages: tuple[Message, ...], cut: int) -> None:
    before, now = request_of(*messages[: len(messages) - cut]), request_of(*messages)
    found = edit(before, now, COUNTER, ENCODE)
    assert found.freed == 0 and found.invalidated == 0
    assert found.added == now.tokens(COUNTER) - before.tokens(COUNTER)
    back = edit(now, before, COUNTER, ENCODE)
    assert (back.freed, back.added) == (found.added, 0)
