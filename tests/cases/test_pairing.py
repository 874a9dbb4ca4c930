"""Cases from the field: calls and results that lose each other. More are in test_policies.

Each test cites the public threads in which users of other agents and libraries met it.
"""

from __future__ import annotations

import pytest

from patch_agent.agent import INTERRUPTED
from patch_agent.budget import Budget
from patch_agent.check import problems
from patch_agent.messages import (
    Message,
    Reasoning,
    Text,
    ToolCall,
    assistant,
    pairing,
    result,
    system,
    user,
)
from patch_agent.policies import Chain, Clip, Compact, Recent, Trim, policy
from patch_agent.wire import load_wire
from tests.policy_tools import CALLED, COUNTER, LONG, START, big, history, read, request_of, short

TIGHT = Budget(1_000, 0)
ACTING = ("clear", "trim", "compact")


@pytest.mark.parametrize("name", ["trim", "compact"])
def test_a_marker_between_a_call_and_its_result_parts_nothing(name: str) -> None:
    # earendil-works/pi#8667
    marker = system("Earlier steps were summed up here.")
    odd = [assistant("", read("x")), marker, result("x", LONG)]
    messages = [user("u"), *big(3), *odd, *big(2)]
    sent = policy(name, COUNTER, TIGHT, write=short).build(request_of(*messages), START).request
    assert problems(sent) == () and marker in sent.messages
    called = [call.id for message in sent.messages for call in message.calls]
    done = [one.call_id for message in sent.messages for one in message.results]
    assert sorted(called) == sorted(done)


@pytest.mark.parametrize("keep", [1, 2, 3])
def test_the_result_made_for_an_interrupted_call_goes_with_the_call(keep: int) -> None:
    # openclaw/openclaw#4739, #15691
    stopped = [assistant("", read("x")), user("go on"), result("x", INTERRUPTED, error=True)]
    messages = [*stopped, *big(4)]
    compact = Compact(COUNTER, Budget(700, 0), short, 0.2, (keep,), find=None)
    for chain in (Chain(Recent(keep)), Chain(compact)):
        sent = chain.build(request_of(*messages), START).request
        assert problems(sent) == ()
        assert all(one.call_id != "x" for message in sent.messages for one in message.results)


def test_a_call_that_asks_to_compact_keeps_its_own_result() -> None:
    # shareAI-lab/learn-claude-code PR#502
    asked = [assistant("I sum up.", ToolCall("now", "compact", "{}")), result("now", "done")]
    request = request_of(*big(6), *asked)
    for keeps in ((0,), (1,), (3, 0)):
        compact = Compact(COUNTER, TIGHT, short, 0.2, keeps, find=None)
        built = compact.build(request, START)
        assert history(built)[-2:] == asked and built.state.covered == 2 * 6 - 4 * (keeps == (3, 0))


@pytest.mark.parametrize("keep", range(7))
def test_reasoning_and_the_reply_that_it_belongs_to_stay_or_go_together(keep: int) -> None:
    # openai/openai-agents-python#2727
    steps = [
        [
            Message("assistant", (Reasoning("sealed", opaque=True, id=f"rs_{n}"),)),
            Message("assistant", (Text("I read."), read(f"c{n}")), id=f"msg_{n}"),
            result(f"c{n}", LONG),
        ]
        for n in range(5)
    ]
    messages = [message for step in steps for message in step]
    compact = Compact(COUNTER, TIGHT, short, 0.2, (keep,), find=None)
    trim = Trim(COUNTER, 600, 300, max(keep, 2))
    for chain in (Recent(keep), compact, trim):
        sent = history(chain.build(request_of(*messages), START))
        thoughts = {block.id for m in sent for block in m.blocks if isinstance(block, Reasoning)}
        replies = {m.id for m in sent if m.id}
        assert {f"rs_{ident.split('_')[1]}" for ident in replies} == thoughts


def test_calls_without_an_id_get_one_each_and_no_arguments_are_glued() -> None:
    # unslothai/unsloth#9807
    function = [{"name": "read_file", "arguments": f'{{"path": "{name}"}}'} for name in "ab"]
    calls = [{"index": 0, "type": "function", "function": one} for one in function]
    twice = [
        {"role": "assistant", "content": "", "tool_calls": calls},
        {"role": "tool", "content": "text of a"},
        {"role": "tool", "tool_call_id": "", "content": "text of b"},
    ]
    messages = load_wire([*twice, *twice])
    idents = [call.id for message in messages for call in message.calls]
    assert len(set(idents)) == 4 and all(idents)
    assert [call.arguments for call in messages[0].calls] == ['{"path": "a"}', '{"path": "b"}']
    pairs = pairing(messages)
    assert not pairs.open and not pairs.orphans
    assert pairs.results[0, 1] == ((2, 0),)


@pytest.mark.parametrize("name", ACTING)
def test_parallel_results_out_of_order_stay_with_their_calls(name: str) -> None:
    # BerriAI/litellm#10696; langchain-ai/langmem#126
    steps = [
        [assistant("", read(f"a{n}"), read(f"b{n}")), result(f"b{n}", LONG), result(f"a{n}", "ok")]
        for n in range(6)
    ]
    messages = [user("u"), *(message for step in steps for message in step)]
    chain = policy(name, COUNTER, Budget(1_400, 0), keep=2, every=1, write=short)
    request = chain.build(request_of(*messages), START).request
    assert problems(request) == () and request.messages[-3:] == tuple(messages[-3:])


def test_a_long_result_is_clipped_and_stays_the_result_of_its_call() -> None:
    # langchain-ai/langmem#126
    request = request_of(assistant("", read("call_1")), result("call_1", LONG * 9))
    built = Clip(COUNTER, 200).build(request, START)
    (done,) = history(built)[1].results
    assert done.call_id == "call_1" and COUNTER.text(done.text) <= 200
    assert problems(built.request) == () and CALLED[1].results[0].text == LONG
