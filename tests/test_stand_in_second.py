"""The stand-in on scenarios that it was not written for: the second one, from several seeds."""

from __future__ import annotations

import pytest

from patch_agent.probes import Probe
from patch_agent.stand_in import StandIn
from patch_agent.summaries import careful, careless
from patch_agent.tokens import estimate
from patch_agent.wire import load_wire
from tests.stand_in_runs import recorded, request, steps, ten_steps

SEEDS = (1, 2, 3, 5, 29)
RUN_SEEDS = (1, 5)
"""Runs really run pytest, about ten times each; two seeds differ in domain and in rule."""
MODEL = StandIn(counter=estimate())


def judge(probe, wire):
    """The verdict on one probe of the second scenario; its truth may be that nothing is there."""
    answer = MODEL.answer(wire, {"kind": probe.kind, "params": probe.params})
    asked = Probe("", probe.kind, "", "", probe.contains, probe.params)
    return answer.found, asked.grade(answer)


@pytest.fixture(params=SEEDS)
def seed(request):
    return request.param


def test_all_probes_are_right_when_everything_is_sent(seed):
    scenario, conversation = recorded(seed)
    wire = request(scenario, conversation)
    for probe in scenario.probes:
        found, verdict = judge(probe, wire)
        assert found == bool(probe.contains), probe
        assert verdict == "right" or not found, probe


def test_a_probe_is_lost_with_its_carriers_and_no_other_is(seed):
    scenario, conversation = recorded(seed)
    by_step = steps(conversation)
    for probe in scenario.probes:
        if not probe.contains or probe.kind in ("tools", "wants_now"):
            continue
        kept = [m for n, step in enumerate(by_step, 1) if n not in probe.steps for m in step]
        wire = request(scenario, kept, off=probe.parts)
        assert not judge(probe, wire)[0], probe
        for other in scenario.probes:
            shared = set(other.steps) & set(probe.steps) or set(other.parts) & set(probe.parts)
            if other.contains and not shared and set(other.steps) - set(probe.steps):
                assert judge(other, wire)[1] == "right", (probe, other)


@pytest.fixture(params=RUN_SEEDS)
def run_seed(request):
    return request.param


def task(scenario):
    return (
        f"Goal: {scenario.goal} must pass.\nRules, in the user's words:\n"
        f'- step {scenario.rule_step}: "{scenario.rule}"\nFiles changed: none'
    )


def test_with_everything_sent_the_work_is_done_and_the_rule_kept(run_seed):
    scenario, conversation = recorded(run_seed)
    went = ten_steps(scenario, conversation, scenario.files)
    assert went.acts[0] == ("run_tests", scenario.goal)
    assert went.edited(scenario.wrong.path) == went.edited(scenario.forbidden.path) == 0
    assert scenario.right.new in went.files[scenario.right.path]
    assert scenario.allowed.new in went.files[scenario.allowed.path]
    assert went.files[scenario.wrap_up_file] != scenario.files[scenario.wrap_up_file]
    assert not went.replies[-1].get("tool_calls")


def test_with_the_task_block_alone_the_rule_holds_and_the_dead_end_is_tried_again(run_seed):
    scenario, _ = recorded(run_seed)
    went = ten_steps(scenario, (), scenario.files, task=task(scenario))
    assert went.edited(scenario.wrong.path) == 2
    assert went.files[scenario.wrong.path] == scenario.files[scenario.wrong.path]
    assert went.files[scenario.forbidden.path] == scenario.files[scenario.forbidden.path]
    assert scenario.allowed.new in went.files[scenario.allowed.path]


def test_with_nothing_of_the_history_the_rule_is_broken(run_seed):
    scenario, _ = recorded(run_seed)
    went = ten_steps(scenario, (), scenario.files)
    assert went.acts[0] == ("run_tests", ""), "it knows of no goal, so it runs everything"
    assert went.edited(scenario.wrong.path) == 2
    assert scenario.forbidden.new in went.files[scenario.forbidden.path]


def test_a_permission_in_code_stops_what_no_text_forbids(run_seed):
    scenario, _ = recorded(run_seed)
    went = ten_steps(scenario, (), scenario.files, protected=(scenario.protected,))
    assert went.edited(scenario.forbidden.path) == 1, "it tries"
    assert went.files[scenario.forbidden.path] == scenario.files[scenario.forbidden.path]
    assert scenario.allowed.new in went.files[scenario.allowed.path]


def test_careful_and_careless_summaries_lead_to_different_ends(run_seed):
    scenario, conversation = recorded(run_seed)
    messages = load_wire(list(conversation))
    good = careful(messages, estimate()).text
    went = ten_steps(scenario, (), scenario.files, summary=good)
    assert went.edited(scenario.wrong.path) == went.edited(scenario.forbidden.path) == 0
    assert scenario.allowed.new in went.files[scenario.allowed.path]
    bad = careless(messages, estimate()).text
    went = ten_steps(scenario, (), scenario.files, summary=bad)
    assert went.edited(scenario.wrong.path) == 2
    assert scenario.forbidden.new in went.files[scenario.forbidden.path]


def test_without_tools_it_says_so():
    scenario, conversation = recorded(1)
    reply = MODEL.reply(request(scenario, conversation, tools=()))
    assert "tool_calls" not in reply and "run_tests" in reply["content"]


def test_without_the_report_it_says_what_it_lacks():
    scenario, conversation = recorded(1)
    went = ten_steps(scenario, conversation, scenario.files, off=("report",))
    assert "no change that I may still try" in went.replies[-1]["content"]
    assert went.files == dict(scenario.files)
