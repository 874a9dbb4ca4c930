"""The chapter's arithmetic, done by the engine's own functions on texts of exactly its sizes."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from patch_agent.budget import Budget, ContextTooLarge
from patch_agent.builder import Choices, PatchState, assemble, build_context
from patch_agent.messages import Message, ToolCall, assistant, result, system, user
from patch_agent.policies import Chain, ClearResults, Compact, PolicyState, placeholder
from patch_agent.pricing import CHAPTER, cost, reuse
from patch_agent.request import Request
from patch_agent.summaries import Summary
from patch_agent.task import files_text
from patch_agent.tokens import FRAMING, exact
from patch_agent.vocabulary import load_encoder

COUNTER = exact()
WINDOW = 128_000
BUDGET = Budget(WINDOW)


def words(tokens: int, first: str = "a") -> str:
    """A text of exactly so many tokens."""
    text = first + " a" * (tokens - 1)
    assert COUNTER.text(text) == tokens
    return text


def part_text(name: str, tokens: int, first: str = "a") -> str:
    """The text that makes a part of one system message take exactly so many tokens."""
    return words(tokens - FRAMING - COUNTER.text(name), first)


def tool(name: str, tokens: int) -> dict[str, str]:
    """A tool definition of exactly so many tokens."""
    bare = COUNTER.tool({"name": name, "description": words(1)})
    made = {"name": name, "description": words(1 + tokens - bare)}
    assert COUNTER.tool(made) == tokens
    return made


def conversation() -> tuple[Message, ...]:
    """48 steps of the chapter's sizes: 5,090 + 75,620 for the first 42, 6,590 for the rest."""
    messages: list[Message] = []
    spoken = _shares(5_090 - 50, 42)
    outputs = _shares(75_620, 42)
    for number, (call, output) in enumerate(zip(spoken, outputs, strict=True), 1):
        if number == 14:
            messages.append(user(words(50 - FRAMING)))
        messages += _step(number, call, output)
    for number, size in enumerate(_shares(6_590, 6), 43):
        messages += _step(number, 120, size - 120)
    return tuple(messages)


def _shares(total: int, count: int) -> list[int]:
    return [total // count + (place < total % count) for place in range(count)]


def _step(number: int, spoken: int, output: int) -> list[Message]:
    ident = f"call_{number}"
    frame = FRAMING + COUNTER.text(ident)
    call = ToolCall(ident, "read", json.dumps({}))
    said = spoken - frame - COUNTER.text("read") - COUNTER.text(call.arguments)
    return [assistant(words(said), call), result(ident, words(output - frame))]


def file_frame(path: str) -> int:
    """The tokens that the part `files` takes beside the text of its one file."""
    return COUNTER.message(system(files_text(((path, words(100)),)), name="files")) - 100


STATE = PatchState(
    system=part_text("system", 1_200),
    tools=tuple(tool(f"tool_{n}", 400) for n in range(6)),
    team_tools=tuple(tool(f"team_{n}", size) for n, size in enumerate(_shares(23_600, 34))),
    agents_md=part_text("agents_md", 900),
    memory=part_text("memory", 900),
    skills=part_text("skills", 600),
    report=part_text("report", 1_800),
    files=(("a.py", words(1_400 - file_frame("a.py"))),),
    choices=Choices(48, "drop", off=frozenset({"task"})),
)
CONVERSATION = (*conversation(), user(words(260 - FRAMING)))


@pytest.fixture(scope="module")
def full() -> Request:
    """The chapter's call: everything sent, no task block."""
    return build_context(STATE, CONVERSATION, WINDOW).request


def test_112_000_is_what_the_reply_leaves_of_the_window() -> None:
    assert BUDGET.limit == 112_000


def test_the_parts_add_up_to_96_760_which_is_86_percent(full: Request) -> None:
    sizes = full.sizes(COUNTER)
    fixed = ("system", "tools", "agents_md", "memory", "skills", "report")
    assert sum(sizes[part] for part in fixed) == 7_800
    assert sizes["files"] + sizes["user"] == 1_660
    assert sizes["history"] == 87_300
    assert full.tokens(COUNTER) == 96_760
    assert round(BUDGET.share(96_760) * 100) == 86


def test_15_240_tokens_are_left_which_is_8_steps(full: Request) -> None:
    assert BUDGET.room(full.tokens(COUNTER)) == 15_240
    assert 15_240 // 1_820 == 8 and round(87_300 / 48, -1) == 1_820


def test_with_all_40_tools_120_360_do_not_fit() -> None:
    assert len(STATE.tools + STATE.team_tools) == 40
    state = replace(STATE, choices=replace(STATE.choices, tools="40"))
    with pytest.raises(ContextTooLarge) as caught:
        build_context(state, CONVERSATION, WINDOW)
    assert (caught.value.size, caught.value.budget) == (120_360, 112_000)
    assert caught.value.parts["tools"] == 2_400 + 23_600
    assert assemble(state, CONVERSATION, WINDOW).request.tokens(COUNTER) == 120_360


def test_42_cleared_outputs_take_1_260_and_the_call_20_percent(full: Request) -> None:
    clear = ClearResults(COUNTER, keep=6, every=6)
    cleared = Chain(clear).build(full, PolicyState()).request
    lines = [done for message in cleared.messages for done in message.results][:42]
    assert sum(COUNTER.message(result(done.call_id, done.text)) for done in lines) == 1_260
    assert lines[8].text == placeholder("call_9", COUNTER.text(_output(full, 8)))
    assert cleared.tokens(COUNTER) == 96_760 - 75_620 + 1_260 == 22_400
    assert round(BUDGET.share(22_400) * 100) == 20


def _output(request: Request, place: int) -> str:
    return [done for message in request.messages for done in message.results][place].text


def test_a_summary_of_1_400_takes_the_call_to_17_450_which_is_16_percent(full: Request) -> None:
    def write(messages, counter, limit, previous) -> Summary:  # type: ignore[no-untyped-def]
        return Summary(part_text("summary", 1_400), 42, len(messages), "careful")

    built = Compact(COUNTER, BUDGET, write).build(full, PolicyState())
    assert built.request.sizes(COUNTER)["summary"] == 1_400
    assert built.request.sizes(COUNTER)["history"] == 6_590
    assert built.request.tokens(COUNTER) == 17_450
    assert round(BUDGET.share(17_450) * 100) == 16


def test_the_three_calls_cost_101_15_and_98() -> None:
    rows = [(0, 96_760), (94_830, 1_930), (3_600, 93_160)]
    assert all(reused + new == 96_760 for reused, new in rows)
    assert [round(cost(CHAPTER, *row, 1_000).total) for row in rows] == [101, 15, 98]


def test_3_600_is_what_stands_before_agents_md(full: Request) -> None:
    edited = replace(STATE, agents_md=part_text("agents_md", 900, first="b"))
    after = build_context(edited, CONVERSATION, WINDOW).request
    found = reuse(full, after, COUNTER, load_encoder().encode)
    assert found.part == "agents_md"
    # The part's own frame and name are the same in both; the chapter does not count them.
    assert found.tokens - FRAMING - COUNTER.text("agents_md") == 3_600
    assert found.tokens + found.new == 96_760


def test_a_part_is_framed_like_any_message() -> None:
    assert COUNTER.message(system(STATE.report, name="report")) == 1_800
