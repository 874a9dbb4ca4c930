"""The wire form: its documented shape, and nothing lost on the way."""

import json

import pytest
from hypothesis import given

from patch_agent.messages import (
    Image,
    Message,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    assistant,
    result,
    system,
    user,
)
from patch_agent.wire import WireError, from_wire, load_wire, to_wire
from tests.any_messages import anything
from tests.conversations import conversations


def test_the_documented_form():
    call = ToolCall("call_9", "read_file", '{"path": "auth/session.py"}')
    assert [
        to_wire(m)
        for m in (
            system("# Agents", "agents_md"),
            user("Fix it."),
            assistant("I read it.", call),
            result("call_9", "1\timport x"),
        )
    ] == [
        {"role": "system", "name": "agents_md", "content": "# Agents"},
        {"role": "user", "content": "Fix it."},
        {
            "role": "assistant",
            "content": "I read it.",
            "tool_calls": [
                {
                    "id": "call_9",
                    "type": "function",
                    "function": {"name": "read_file", "arguments": '{"path": "auth/session.py"}'},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "call_9", "content": "1\timport x"},
    ]


SHAPES = {
    "parallel calls": assistant("", ToolCall("1", "a", "{}"), ToolCall("2", "b", "{}")),
    "pending": Message("tool", (ToolResult("1", "in progress", pending=True),)),
    "error": result("1", "no such file", error=True),
    "two results in one message": Message("tool", (ToolResult("1", "a"), ToolResult("2", "b"))),
    "results and words of a user": Message("user", (ToolResult("1", "a"), Text("Go on."))),
    "reasoning": Message("assistant", (Reasoning("gAAAA", True, "rs_1"), Text("Hm."))),
    "image": Message("user", (Text("See:"), Image("image/png", "iVBORw0=", 85))),
    "several texts": Message("user", (Text("a"), Text("b"))),
    "an empty text": Message("user", (Text(""),)),
    "nothing at all": Message("assistant"),
    "arguments that are no JSON": assistant("", ToolCall("1", "a", "{path: ")),
    "a call before the words": Message("assistant", (ToolCall("1", "a", "{}"), Text("b"))),
    "an image from a tool": Message("tool", (ToolResult("1", ""), Image("image/png", "iV", 9))),
    "a result with a name": Message("tool", (ToolResult("1", "a"),), name="read_file"),
    "a tool message without a result": Message("tool", (Text("lost"),)),
}


@pytest.mark.parametrize("message", SHAPES.values(), ids=SHAPES)
def test_every_shape_comes_back(message):
    assert from_wire(json.loads(json.dumps(to_wire(message)))) == message


@given(anything())
def test_any_message_comes_back(messages):
    wires = json.loads(json.dumps([to_wire(message) for message in messages]))
    assert load_wire(wires) == tuple(messages)


@given(conversations())
def test_the_wire_form_is_canonical(messages):
    wires = [to_wire(message) for message in messages]
    assert [to_wire(from_wire(wire)) for wire in wires] == wires


def test_absent_content_is_empty_content():
    for wire in ({"role": "assistant"}, {"role": "assistant", "content": None}):
        assert from_wire(wire) == Message("assistant")


def test_results_in_parts_name_their_calls_though_others_have_no_id():
    waiting = {"function": {"name": "read_file", "arguments": "{}"}}
    named = [ToolCall("a", "run", "{}"), ToolCall("b", "run", "{}")]
    both = Message("tool", (ToolResult("a", "1"), ToolResult("b", "2")))
    wires = [
        {"role": "assistant", "tool_calls": [waiting]},
        to_wire(assistant("", *named)),
        to_wire(both),
        {"role": "tool", "content": "late"},
    ]
    first, _, results, late = load_wire(wires)
    assert results == both
    assert late.results[0].call_id == first.calls[0].id
    wires[2] = {"role": "tool", "content": [{"type": "tool_result", "tool_call_id": []}]}
    with pytest.raises(WireError, match=r"messages\[2\]"):
        load_wire(wires)


def test_a_result_in_text_parts_is_read():
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    wire = {"role": "tool", "tool_call_id": "1", "content": parts}
    assert from_wire(wire) == result("1", "a\nb")


@pytest.mark.parametrize(
    ("wire", "named"),
    [
        ([], "list"),
        ({"role": "robot"}, "'robot'"),
        ({"role": ["user"]}, "role"),
        ({"role": "user", "content": 5}, "int"),
        ({"role": "user", "content": [{"type": "video"}]}, "'video'"),
        ({"role": "user", "content": ["bare"]}, "type"),
        ({"role": "user", "name": 7, "content": ""}, "name"),
        ({"role": "assistant", "tool_calls": {}}, "tool_calls"),
        ({"role": "assistant", "tool_calls": [5]}, "5"),
        ({"role": "assistant", "tool_calls": [{"id": 5, "function": {"name": "a"}}]}, "id"),
        ({"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "a"}}]}, "argum"),
        ({"role": "tool", "tool_call_id": "1", "content": 5}, "int"),
        ({"role": "user", "content": [{"type": "image", "tokens": -1}]}, "-1"),
        ({"role": "user", "content": [{"type": "image", "tokens": True}]}, "True"),
        ({"role": "tool", "tool_call_id": "1", "content": ["bare"]}, "bare"),
        ({"role": "tool", "tool_call_id": "1", "content": [{"type": "image"}]}, "text"),
        ({"role": "user", "content": [{"type": "tool_call"}]}, "tool call"),
        ({"role": "user", "content": [{"type": "reasoning", "text": "a", "id": 5}]}, "id"),
    ],
)
def test_a_bad_message_is_named_with_its_place(wire, named):
    with pytest.raises(WireError, match=r"messages\[1\]") as caught:
        load_wire([{"role": "user", "content": "fine"}, wire])
    assert named in str(caught.value)


@pytest.mark.parametrize(
    "wire",
    [
        {"role": "x" * 10**6},
        {"role": ["x"] * 10**5},
        {"role": "user", "name": list(range(10**5))},
        {"role": "user", "content": [{"type": "x" * 10**6}]},
        {"role": "user", "content": [{"type": "image", "tokens": "9" * 10**6}]},
        {"role": "user", "content": [{"type": "image", "tokens": 10**4000}]},
        {"role": "assistant", "tool_calls": ["x" * 10**6]},
        {"role": "tool", "tool_call_id": "1", "content": ["x" * 10**6]},
    ],
)
def test_what_is_wrong_is_said_in_one_short_line(wire):
    with pytest.raises(WireError) as caught:
        load_wire([wire])
    assert len(str(caught.value)) < 250
