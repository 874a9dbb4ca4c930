"""The facts decide the run: requests with equal facts get the same next action."""

from __future__ import annotations

import random

import pytest

from patch_agent.stand_in import StandIn, facts, run_facts
from patch_agent.stand_in.plan import everywhere
from patch_agent.stand_in.suggestions import Suggestion
from patch_agent.tokens import estimate
from tests.stand_in_runs import TOOLS, recorded, request, steps

MODEL = StandIn(counter=estimate())


def known(scenario):
    """The facts of a scenario's runs: for every edit that can turn up in one."""
    edits = (scenario.wrong, scenario.right, scenario.forbidden, scenario.allowed)
    found = [Suggestion(edit.path, edit.old, edit.new) for edit in edits]
    return run_facts(found, (scenario.wrap_up_file,))


def values(scenario, wire):
    return tuple(fact.value(wire) for fact in known(scenario))


def test_facts_of_everything():
    scenario, conversation = recorded(1)
    found = facts(request(scenario, conversation))
    assert found["goal"] == scenario.goal
    assert found[f"may edit {scenario.wrong.path}"] == "yes"
    label = f"{scenario.wrong.path}: {scenario.wrong.new}"
    assert found[f"suggested {label}"] == "memory"
    assert found[f"ruled out {label}"] == found[f"made {label}"] == "yes"
    assert scenario.wrap_up_file in found["at the end"]
    assert found["tool run_tests"] == "yes"


def test_facts_of_nothing():
    scenario, _ = recorded(1)
    empty = {"messages": [{"role": "user", "content": "Go."}], "tools": []}
    assert set(values(scenario, empty)) == {"", "yes"}
    assert [f.value(empty) for f in known(scenario)] == [f.missing for f in known(scenario)]


@pytest.mark.parametrize("seed", (1, 2, 4))
def test_equal_facts_equal_action(seed):
    scenario, conversation = recorded(seed)
    rng = random.Random(seed)
    by_step = steps(conversation)
    red = {"role": "tool", "content": f"FAILED {scenario.goal} - {scenario.failure}\n1 failed"}
    seen: dict[tuple[str, ...], str] = {}
    for _ in range(150):
        kept = [message for step in by_step if rng.random() < 0.5 for message in step]
        off = [name for name in ("agents_md", "memory", "report") if rng.random() < 0.3]
        wire = request(scenario, kept, off=off, tools=TOOLS if rng.random() < 0.9 else ())
        first = MODEL.reply(wire)
        said = [first["content"]]
        if "tool_calls" in first:
            # One more step, after a failing run, so that an edit has to be chosen.
            result = red | {"tool_call_id": first["tool_calls"][0]["id"]}
            wire = {**wire, "messages": [*wire["messages"], first, result]}
            then = MODEL.reply(wire)
            said += [then["content"], str([c["function"] for c in then.get("tool_calls", ())])]
            wire = {**wire, "messages": wire["messages"][:-2]}
        key = values(scenario, wire)
        assert seen.setdefault(key, str(said)) == str(said), key
    assert len(seen) > 20, "the facts tell requests apart"


def test_each_edit_is_found_with_its_place():
    scenario, conversation = recorded(2)
    wire = request(scenario, conversation)
    for edit, evidence in everywhere(wire["messages"]):
        text = wire["messages"][evidence.message]["content"]
        assert text[evidence.start : evidence.end] == evidence.quote
        assert edit.old in evidence.quote and edit.new in evidence.quote
