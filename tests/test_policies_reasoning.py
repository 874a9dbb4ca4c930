"""Reasoning is opaque: it is counted, and kept or dropped with its step, never edited."""

from __future__ import annotations

import pytest

from patch_agent.budget import Budget
from patch_agent.messages import Message, Reasoning, Text, result, user
from patch_agent.policies import NAMES, policy
from tests.policy_tools import COUNTER, LONG, START, read, request_of, short

SEALED = "c2VhbGVk" * 60


def thoughtful(count: int) -> list[Message]:
    """Steps of sealed reasoning, words, a call and its result."""
    messages = [user("Fix it.")]
    for number in range(count):
        thought = Reasoning(f"{SEALED}{number}", opaque=True, id=f"rs_{number}")
        called = Message("assistant", (thought, Text("I read."), read(f"c{number}")))
        messages += [called, result(f"c{number}", LONG)]
    return messages


def test_reasoning_is_counted() -> None:
    (_, called, _) = thoughtful(1)
    bare = Message("assistant", called.blocks[1:])
    assert COUNTER.message(called) - COUNTER.message(bare) == COUNTER.text(f"{SEALED}0")


@pytest.mark.parametrize("name", NAMES)
def test_reasoning_stays_whole_or_goes_with_its_step(name: str) -> None:
    messages = thoughtful(30)
    budget = Budget(COUNTER.messages(messages), 0)
    chain = policy(name, COUNTER, budget, limit=5_000, keep=3, write=short)
    sent = chain.build(request_of(*messages), START).request
    kept = [entry.message for entry in sent.entries if entry.message.calls]
    assert all(message in messages for message in kept)
    told = [block for message in kept for block in message.blocks if isinstance(block, Reasoning)]
    assert len(told) == len(kept) == 30 if name in ("none", "cache", "clear") else len(kept) < 30


def test_clearing_alone_cannot_make_reasoning_smaller_but_trimming_can() -> None:
    messages = thoughtful(60)
    budget = Budget(COUNTER.messages(messages), 0)
    sizes = {
        name: policy(name, COUNTER, budget, limit=6_000, keep=2, every=1)
        .build(request_of(*messages), START)
        .request.tokens(COUNTER)
        for name in ("clear", "trim")
    }
    reasoning = 60 * COUNTER.text(f"{SEALED}0")
    assert sizes["clear"] > reasoning > 6_000 >= sizes["trim"]
