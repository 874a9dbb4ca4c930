"""Cases from the field: what is remembered between calls. More are in test_policies_compact."""

from __future__ import annotations

import json

import pytest

from patch_agent.budget import Budget
from patch_agent.messages import user
from patch_agent.policies import (
    PolicyState,
    Running,
    StateError,
    load_state,
    policy,
    save_state,
)
from patch_agent.summaries import Summary, careful
from tests.conversations import RULE, patch_like
from tests.policy_tools import COUNTER, big, short


def test_boundary_and_summary_are_saved_together_or_not_at_all() -> None:
    # microsoft/agent-framework#8099
    state = PolicyState(covered=6, summary=Summary("s", 3, 6, "short"), cleared=4)
    saved = json.loads(save_state(state))
    for lost in ({"summary": None}, {"covered": 0}):
        with pytest.raises(StateError, match="belong together"):
            load_state(json.dumps(saved | lost))


def test_what_is_stored_does_not_hold_the_steps_again() -> None:
    # langchain-ai/deepagents#2876; anthropics/claude-code#92089
    running = Running(policy("compact", COUNTER, Budget(3_000, 0), write=short))
    running.add(user("u"))
    sizes = []
    for number in range(1, 90):
        running.add(*big(1))
        running.build()
        if number % 30 == 29:
            sizes.append(len(save_state(running.state)))
    assert running.state.summary is not None
    assert max(sizes) < 2_000


def test_facts_survive_many_rounds_of_a_careful_summary() -> None:
    # dyad-sh/dyad PR#2515
    running = Running(policy("compact", COUNTER, Budget(9_000, 0), limit=4_000, write=careful))
    covered = set()
    for _ in range(4):
        for message in patch_like():
            if message.role == "assistant":
                sent = running.build().request
                covered.add(running.state.covered)
            running.add(message)
    assert len(covered) > 4 and running.state.summary is not None
    assert RULE in running.state.summary.text or any(RULE == m.text for m in sent.messages)
    assert "assert 200 == 401" in running.state.summary.text
