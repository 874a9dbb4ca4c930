"""The running example, ten steps on, in the three states that the chapter tells of."""

from __future__ import annotations

import json

import pytest

from patch_agent.aftermath import go_on, recorded_workspaces
from patch_agent.probes import load_probes
from patch_agent.scenario import load_scenario
from patch_agent.stand_in import StandIn
from patch_agent.task import Choices

CAREFUL = Choices(recent=6, older="careful", off=frozenset({"task"}))
CARELESS = Choices(recent=6, older="careless", off=frozenset({"task"}))
TASK_ALONE = Choices(recent=0, older="drop")
FIXTURE = "tests/fixtures/sessions.json"
SKEW = "auth/tokens.py"


@pytest.fixture(scope="module")
def runs():
    scenario = load_scenario()
    with recorded_workspaces(scenario) as workspaces:
        return {
            name: go_on(scenario, choices, StandIn(), workspaces.fresh())
            for name, choices in (
                ("careful", CAREFUL),
                ("careless", CARELESS),
                ("task", TASK_ALONE),
            )
        }


def calls(run):
    """Tool and target or path of each step."""
    found = []
    for step in run.steps:
        for call in step[0].calls:
            values = json.loads(call.arguments)
            found.append((call.name, values.get("path", values.get("target", ""))))
    return found


def test_careful_the_work_is_done_and_the_rule_kept(runs):
    run = runs["careful"]
    assert run.passes and run.ending == "done" and len(run.steps) <= 10
    assert set(run.changed) == {"auth/session.py", "billing/renewals.py", "CHANGELOG.md"}
    assert ("edit_file", SKEW) not in calls(run)


def test_careless_the_dead_end_again_and_the_fixture_edited(runs):
    run = runs["careless"]
    assert run.passes and len(run.steps) == 10
    assert FIXTURE in run.changed and "CHANGELOG.md" in run.changed
    assert "billing/renewals.py" not in run.changed and SKEW not in run.changed
    assert calls(run).count(("edit_file", SKEW)) == 2 and run.retried == (SKEW,)


def test_the_task_block_alone_keeps_the_rule_and_repeats_the_dead_end(runs):
    run = runs["task"]
    assert run.passes and FIXTURE not in run.changed
    assert "billing/renewals.py" in run.changed and run.retried == (SKEW,)


def test_what_turns_each_probe_when_history_gets_shorter():
    """The most steps for which a probe is not right, older ones left out, no task block."""
    from dataclasses import replace

    from patch_agent.builder import assemble

    scenario = load_scenario()
    model = StandIn(window=1_000_000)
    lost = {}
    for recent in range(scenario.steps + 1):
        choices = Choices(recent=recent, older="drop", off=frozenset({"task"}))
        state = replace(scenario.state, choices=choices)
        wire = assemble(state, scenario.conversation, scenario.window).request.wire()
        for probe in load_probes():
            if probe.grade(model.answer(wire, probe.asked)) != "right":
                lost[probe.id] = recent
    assert lost == {
        "may_edit": 34,
        "goal": 47,
        "first_failure": 19,
        "ruled_out": 18,
        "output_of": 39,
    }
