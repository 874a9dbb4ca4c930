"""Cases from the field: edits of the prefix that cost more than they save.

Each test cites the public threads in which users of other agents and libraries met it.
"""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise

import pytest

from patch_agent.budget import Budget
from patch_agent.messages import Message, assistant, result, system, user
from patch_agent.policies import (
    CacheMarks,
    Chain,
    ClearResults,
    PolicyState,
    Running,
    Worth,
    is_placeholder,
    policy,
)
from patch_agent.pricing import bills, edit, price_table, price_tables, reuse, total
from patch_agent.request import Part, Request, fixed_part, history_part
from patch_agent.tokens import exact
from patch_agent.vocabulary import load_encoder
from tests.policy_tools import LONG, START, history, read, request_of, short

COUNTER = exact()
ENCODE = load_encoder().encode
TOOLS = tuple({"name": name, "description": "a tool " * 20} for name in ("read", "edit", "run"))
UNASKED = price_table(
    "test", {"input": 1, "output": 4, "cache_read": 0.1, "per": 1_000, "unit": "units"}
)


def step(number: int, size: int = 1) -> list[Message]:
    made = read(f"c{number}", f"src/m{number}.py")
    return [assistant(f"step {number}", made), result(made.id, f"{number}\n{LONG * size}")]


def run(chain: object, steps: int, size: int = 1) -> list[Request]:
    """The requests of a run of so many steps, one before each reply."""
    parts = [fixed_part("system", [system("You are Patch.", "system")]), Part("tools", tools=TOOLS)]
    running = Running(chain, parts)  # type: ignore[arg-type]
    running.add(user("Fix it."))
    requests = []
    for number in range(steps):
        requests.append(running.build().request)
        running.add(*step(number, size))
    return requests


def test_an_edit_is_reported_with_what_it_invalidated_beside_what_it_freed() -> None:
    # anomalyco/opencode#32515: 219k cached, one old result pruned, nothing cached any more
    messages = [user("u"), *(message for n in range(30) for message in step(n))]
    before = request_of(*messages)
    entries = list(before.part("history").entries)
    gone = replace(entries[2], message=result("c0", "[pruned]"))
    after = before.with_part(Part("history", (*entries[:2], gone, *entries[3:])))
    found = edit(before, after, COUNTER, ENCODE)
    saved = COUNTER.message(messages[2]) - COUNTER.message(gone.message)
    assert (found.freed, found.part, found.index) == (saved, "history", 2)
    assert found.invalidated > 20 * found.freed
    same = reuse(before, after, COUNTER, ENCODE).tokens
    assert found.invalidated == before.tokens(COUNTER) - same


def test_clearing_is_left_where_it_saves_less_than_it_costs() -> None:
    # anomalyco/opencode#32515
    messages = [*step(0), *(m for n in range(1, 200) for m in (assistant("w " * 30),) * 2)]
    worth = Worth(reused=0.1, new=1.0, calls=5)
    clear = ClearResults(COUNTER, keep=2, every=1, worth=worth)
    built = clear.build(request_of(*messages), START)
    assert built.request == request_of(*messages)
    assert "tokens freed" in built.notes[0] and "invalidated" in built.notes[0]
    longer = replace(clear, worth=replace(worth, calls=2_000))
    assert is_placeholder(history(longer.build(request_of(*messages), START))[1].results[0].text)


def test_clearing_and_then_summing_up_rewrite_the_prefix_once() -> None:
    # Yeachan-Heo/gajae-code#2334
    chain = policy("compact", COUNTER, Budget(9_000, 0), limit=4_000, every=2, write=short)
    requests = run(chain, 60)
    changed, broken = 0, 0
    for before, after in pairwise(requests):
        broken += edit(before, after, COUNTER, ENCODE).invalidated > 0
        cleared = [placeholders(request) for request in (before, after)]
        summed = before.part("summary") != after.part("summary")
        changed += summed or cleared[1] > cleared[0]
    assert any(request.part("summary").entries for request in requests)
    assert 0 < broken <= changed


def placeholders(request: Request) -> int:
    return sum(is_placeholder(done.text) for m in request.messages for done in m.results)


def test_sorted_tools_begin_alike_and_others_break_the_prefix_at_their_place() -> None:
    # anthropics/claude-code#92033, #90584; can1357/oh-my-pi PR#890;
    # langchain-ai/deepagents PR#2497
    first = Request((Part("tools", tools=TOOLS), history_part([user("u")])), (user("u"),))
    other = first.with_part(Part("tools", tools=TOOLS[::-1]))
    fewer = first.with_part(Part("tools", tools=TOOLS[:2]))
    broken = edit(first, other, COUNTER, ENCODE)
    assert (broken.part, broken.index) == ("tools", 0)
    assert reuse(first, other, COUNTER, ENCODE).tokens < COUNTER.tool(TOOLS[0])
    shrunk = edit(first, fewer, COUNTER, ENCODE)
    assert shrunk.invalidated >= COUNTER.tool(TOOLS[2])
    marks = Chain(CacheMarks())
    made = [marks.build(request, START).request for request in (first, other)]
    assert made[0].wire() == made[1].wire()
    assert edit(made[0], made[1], COUNTER, ENCODE).invalidated == 0


def test_the_cost_of_condensing_often_includes_the_cache_that_it_loses() -> None:
    # OpenHands/OpenHands PR#6597
    always, never = Chain(ClearResults(COUNTER, 1, 1)), Chain(CacheMarks())
    by_step = bills(UNASKED, run(always, 40, 1), COUNTER, ENCODE)
    kept = bills(UNASKED, run(never, 40, 1), COUNTER, ENCODE)
    assert sum(one.reuse.invalidated for one in kept) == 0
    lost = sum(one.reuse.invalidated for one in by_step)
    without = sum(
        (one.input * 0.1 + 0.9 * (one.reuse.new - one.reuse.invalidated)) / 1_000 for one in by_step
    )
    assert lost > 0 and total(by_step).cost > without


def test_chunks_break_the_prefix_far_less_often_than_every_step() -> None:
    counts = []
    for every in (1, 6):
        chain = Chain(ClearResults(COUNTER, 2, every))
        requests = run(chain, 40)
        pairs = pairwise(requests)
        counts.append(sum(edit(a, b, COUNTER, ENCODE).invalidated > 0 for a, b in pairs))
    assert counts == [37, 6]


@pytest.mark.parametrize("name", ["none", "cache", "clear", "trim", "compact"])
def test_marks_follow_the_prefix_that_the_next_request_repeats(name: str) -> None:
    table = replace(price_tables()["batch"], minimum=0, tiers=())
    chain = policy(name, COUNTER, Budget(90_000, 0), limit=6_000, write=short)
    billed = bills(table, run(chain, 40), COUNTER, ENCODE)
    assert (total(billed).read > 0) == (name != "none")
    for one in billed:
        assert one.read <= one.reuse.tokens
        assert one.input == one.reuse.tokens + one.reuse.new
    if name == "cache":
        assert all(one.read == one.reuse.tokens for one in billed)
        assert total(billed).cached_share > 0.85


def test_the_task_block_behind_the_mark_does_not_spoil_the_next_read() -> None:
    table = replace(price_tables()["batch"], minimum=0)
    requests, state = [], PolicyState()
    messages: list[Message] = [user("Fix it.")]
    for number in range(6):
        request = Request((history_part(messages),), tuple(messages))
        task = fixed_part("task", [system(f"Now at step {number}.", "task")])
        files = fixed_part("files", [system(f"file as of {number}", "files")])
        request = request.with_part(files).with_part(task)
        requests.append(Chain(CacheMarks()).build(request, state).request)
        messages += step(number)
    billed = bills(table, requests, COUNTER, ENCODE)
    for before, one in zip(requests, billed[1:], strict=False):
        assert one.read == before.part("history").tokens(COUNTER)


def test_marks_are_no_text_and_go_over_the_wire_as_fields() -> None:
    request = request_of(user("u"), *step(0))
    made = CacheMarks().build(request, START).request
    assert made.marks == (0, 2) and made.tokens(COUNTER) == request.tokens(COUNTER)
    assert made.fingerprints() == request.fingerprints()
    wire = made.wire()
    assert ["cache_control" in message for message in wire["messages"]] == [True, False, True]
    for message in wire["messages"]:
        message.pop("cache_control", None)
    assert json.dumps(wire) == json.dumps(request.wire())


def test_an_empty_request_has_no_marks() -> None:
    assert CacheMarks().build(Request(()), START).request.marks == ()
