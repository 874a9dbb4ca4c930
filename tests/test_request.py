"""Requests: order of parts, sizes, the wire and back, and a fingerprint for each prefix."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patch_agent.budget import Budget, ContextTooLarge
from patch_agent.messages import ToolCall, assistant, result, system, user
from patch_agent.request import (
    PARTS,
    VOLATILITY,
    Entry,
    Part,
    Request,
    fixed_part,
    history_part,
    request_from_wire,
)
from patch_agent.tokens import exact
from patch_agent.wire import WireError
from tests.any_messages import anything

READ = {"name": "read_file", "description": "Reads.", "parameters": {"type": "object"}}
EDIT = {"name": "edit_file", "description": "Edits.", "parameters": {"type": "object"}}
TALK = (
    user("Make the test pass."),
    assistant("I look.", ToolCall("call_1", "read_file", '{"path": "a.py"}')),
    result("call_1", "1\tx = 1"),
)


def example() -> Request:
    """A request with every part."""
    named = [Part("tools", tools=(READ, EDIT)), history_part(TALK)]
    named += [
        fixed_part(ident, [system(f"text of {ident}", ident)])
        for ident in PARTS
        if ident not in ("tools", "history", "user")
    ]
    named.append(fixed_part("user", [user("Fix it now.")]))
    return Request(tuple(sorted(named, key=lambda part: PARTS.index(part.id))), TALK)


def test_the_parts_stand_in_the_order_of_the_glossary():
    order = "system tools agents_md memory skills report summary history files user task"
    assert " ".join(PARTS) == order
    assert set(VOLATILITY.values()) == {"fixed", "per task", "grows", "per call", "new"}
    assert [part.id for part in example().parts] == list(PARTS)


def test_an_unknown_part_is_refused_by_name():
    with pytest.raises(ValueError, match="'rules'"):
        Part("rules")


def test_a_part_is_put_in_its_place_or_instead_of_the_old_one():
    request = Request((fixed_part("user", [user("hi")]), fixed_part("task", [system("t", "task")])))
    wider = request.with_part(fixed_part("memory", [system("m", "memory")]))
    assert [part.id for part in wider.parts] == ["memory", "user", "task"]
    again = wider.with_part(fixed_part("user", [user("bye")]))
    assert [message.text for message in again.messages] == ["m", "bye", "t"]
    assert [message.text for message in request.messages] == ["hi", "t"]
    assert wider.part("skills") == Part("skills")


def test_the_wire_holds_messages_and_tools_and_nothing_else():
    wire = example().wire()
    assert set(wire) == {"messages", "tools"} and wire["tools"] == [READ, EDIT]
    assert [m.get("name") for m in wire["messages"] if m["role"] == "system"] == [
        ident for ident in PARTS if ident not in ("tools", "history", "user")
    ]
    assert json.loads(json.dumps(wire)) == wire


def test_history_knows_its_place_in_the_conversation():
    entries = example().part("history").entries
    assert [entry.index for entry in entries] == [0, 1, 2]
    assert all(TALK[entry.index] is entry.message for entry in entries)


def test_sizes_sum_to_tokens():
    counter, request = exact(), example()
    sizes = request.sizes(counter)
    assert list(sizes) == list(PARTS) and all(sizes.values())
    assert sum(sizes.values()) == request.tokens(counter)
    assert sizes["tools"] == counter.tool(READ) + counter.tool(EDIT)
    assert sizes["history"] == counter.messages(TALK)


@given(anything(), anything())
def test_sizes_sum_to_tokens_for_any_messages(early, late):
    request = Request((fixed_part("system", early), history_part(late)), tuple(late))
    counter = exact()
    assert sum(request.sizes(counter).values()) == request.tokens(counter)
    assert request.tokens(counter) == counter.messages([*early, *late])


@given(anything(), st.data())
def test_fingerprints_are_equal_up_to_the_first_difference(messages, data):
    place = data.draw(st.integers(0, len(messages)))
    other = [*messages[:place], user("something else entirely"), *messages[place:]]
    first = Request((history_part(messages),)).fingerprints()
    second = Request((history_part(other),)).fingerprints()
    assert len(first) == len(messages) and len(second) == len(messages) + 1
    same = [a == b for a, b in zip(first, second, strict=False)]
    assert all(same[:place]) and not any(same[place:])


def test_a_byte_early_on_changes_every_later_fingerprint():
    request = example()
    edited = request.with_part(fixed_part("agents_md", [system("text of agents_mD", "agents_md")]))
    pairs = zip(request.fingerprints(), edited.fingerprints(), strict=True)
    same = [before == after for before, after in pairs]
    assert same == [True, True, True] + [False] * (len(same) - 3)  # system and two tools


def test_reordered_tools_break_the_prefix_at_the_first_tool():
    # anthropics/claude-code#92033
    turned = example().with_part(Part("tools", tools=(EDIT, READ)))
    same = [a == b for a, b in zip(example().fingerprints(), turned.fingerprints(), strict=True)]
    assert same[0] and not any(same[1:])


def test_text_moved_over_the_border_of_two_messages_is_a_difference():
    one = Request((history_part([user("ab"), user("c")]),)).fingerprints()
    two = Request((history_part([user("a"), user("bc")]),)).fingerprints()
    assert not set(one) & set(two)


def test_a_request_comes_back_from_the_wire_with_its_parts():
    request = example()
    read = request_from_wire(json.loads(json.dumps(request.wire())))
    assert [part.id for part in read.parts] == list(PARTS)
    assert read.wire() == request.wire()
    assert read.fingerprints() == request.fingerprints()


@given(anything())
def test_any_messages_come_back_from_the_wire_in_order(messages):
    wire = Request((history_part(messages),)).wire()
    assert request_from_wire(wire).wire() == wire


@pytest.mark.parametrize(
    ("wire", "named"),
    [
        ([], "messages"),
        ({}, "messages"),
        ({"messages": {}}, "messages"),
        ({"messages": [], "tools": {"name": "a"}}, "tools"),
        ({"messages": [], "tools": ["read_file"]}, "tools"),
        ({"messages": [{"role": "x"}]}, "messages[0]"),
    ],
)
def test_what_is_no_request_is_refused_by_name(wire, named):
    with pytest.raises(WireError) as caught:
        request_from_wire(wire)
    assert named in str(caught.value)


def test_a_budget_is_the_window_without_the_reserve():
    budget = Budget(128_000)
    assert budget.limit == 112_000 and budget.share(96_760) == pytest.approx(0.8639, abs=1e-4)
    assert budget.room(96_760) == 15_240 and budget.room(120_360) == -8_360


@pytest.mark.parametrize(
    ("window", "reserve", "named"),
    [
        (16_000, 16_000, "window of 16,000"),
        (10, 16_000, "got 16,000"),
        (-1, 0, "window"),
        (10.5, 0, "10.5"),
        (True, 0, "True"),
        (100, -1, "reserve"),
        ("100", 0, "'100'"),
    ],
)
def test_an_impossible_budget_is_refused_with_its_value(window, reserve, named):
    with pytest.raises(ValueError) as caught:
        Budget(window, reserve)
    assert named in str(caught.value)


def test_a_call_too_large_carries_size_budget_and_parts():
    error = ContextTooLarge(120_360, 112_000, {"tools": 26_000, "history": 87_300})
    assert (error.size, error.budget, error.parts["tools"]) == (120_360, 112_000, 26_000)
    assert "120,360" in str(error) and "112,000" in str(error) and "history" in str(error)
    assert "5 tokens" in str(ContextTooLarge(5, 4, {}))


def test_a_request_is_never_changed_in_place():
    request = example()
    before = json.dumps(request.wire())
    request.with_part(Part("tools")).with_part(Part("history", (Entry(user("x")),)))
    request.wire()["messages"].clear()
    assert json.dumps(request.wire()) == before
