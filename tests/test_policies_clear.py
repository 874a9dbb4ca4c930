"""ClearResults: what is cleared and what never, the placeholder, the boundary in chunks."""

from __future__ import annotations

from patch_agent.messages import (
    Message,
    Reasoning,
    ToolResult,
    assistant,
    result,
)
from patch_agent.output_paths import output_path
from patch_agent.policies import (
    ClearResults,
    is_placeholder,
    placeholder,
)
from tests.policy_tools import (
    CALLED,
    COUNTER,
    LONG,
    START,
    history,
    read,
    request_of,
)


def test_old_outputs_become_a_line_that_names_their_file() -> None:
    request = request_of(*CALLED, assistant("a"))
    built = ClearResults(COUNTER, 1, 1).build(request, START)
    size = COUNTER.text(LONG)
    assert history(built)[1] == result("call_1", placeholder("call_1", size))
    assert output_path("call_1") in placeholder("call_1", size) and f"{size:,}" in placeholder(
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
    # langchain-ai/langchain#34794; openclaw/openclaw#44436
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
