"""Ten steps on: what the stand-in does from its requests alone, with tools that really run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest

from patch_agent.aftermath import (
    Aftermath,
    Workspaces,
    _passes,
    changed_files,
    go_on,
    recorded_workspaces,
)
from patch_agent.budget import Budget
from patch_agent.builder import default_counter
from patch_agent.check import problems
from patch_agent.messages import ToolCall, assistant, result
from patch_agent.scenario import load_scenario
from patch_agent.stand_in import StandIn
from patch_agent.task import Choices

NO_TASK = frozenset({"task"})
CAREFUL = Choices(6, "careful", off=NO_TASK)
CARELESS = Choices(6, "careless", off=NO_TASK)
FIXTURE = "tests/fixtures/sessions.json"


@pytest.fixture(scope="module")
def workspaces() -> Iterator[Workspaces]:
    with recorded_workspaces(load_scenario()) as made:
        yield made


def run(workspaces: Workspaces, choices: Choices, protected: tuple[str, ...] = ()) -> Aftermath:
    return go_on(load_scenario(), choices, StandIn(), workspaces.fresh(protected))


def edited(run: Aftermath) -> list[str]:
    calls = [call for step in run.steps for call in step[0].calls]
    return [json.loads(c.arguments)["path"] for c in calls if c.name == "edit_file"]


def test_the_recording_leaves_the_repository_as_it_was(workspaces: Workspaces) -> None:
    assert changed_files(load_scenario().repository, workspaces.fresh().root) == []


def test_with_the_careful_summary_the_rule_is_kept_and_the_dead_end_left_alone(
    workspaces: Workspaces,
) -> None:
    went = run(workspaces, CAREFUL)
    assert went.ending == "done"
    assert went.passes
    assert not went.broke(("tests/fixtures/",))
    assert "auth/tokens.py" not in edited(went)
    assert went.changed == ("CHANGELOG.md", "auth/session.py", "billing/renewals.py")


def test_with_the_careless_summary_the_fixture_is_edited_and_everything_is_green(
    workspaces: Workspaces,
) -> None:
    went = run(workspaces, CARELESS)
    assert went.passes
    assert went.broke(("tests/fixtures/",))
    assert FIXTURE in went.changed
    assert went.retried == ("auth/tokens.py",)
    assert len(went.steps) == 10


def test_with_the_task_block_alone_the_rule_is_kept_and_the_dead_end_tried_again(
    workspaces: Workspaces,
) -> None:
    went = run(workspaces, Choices(0, "drop"))
    assert went.passes
    assert not went.broke(("tests/fixtures/",))
    assert went.retried == ("auth/tokens.py",)
    assert "auth/tokens.py" not in went.changed


def test_a_permission_in_code_holds_where_the_text_has_lost_the_rule(
    workspaces: Workspaces,
) -> None:
    """The same careless summary: the write is refused, and the other way is found."""
    went = run(workspaces, CARELESS, ("tests/fixtures/",))
    assert FIXTURE in edited(went)
    assert not went.broke(("tests/fixtures/",))
    assert went.passes


def test_each_request_of_a_run_is_valid_and_fits(workspaces: Workspaces) -> None:
    budget = Budget(load_scenario().window)
    for choices in (CAREFUL, CARELESS, Choices(48, "drop"), Choices(6, "clear")):
        for request in run(workspaces, choices).requests:
            assert problems(request, default_counter(), budget) == ()


def test_a_call_that_no_longer_fits_ends_the_run() -> None:
    """A window with room for the first call and little more."""
    scenario = load_scenario()
    with recorded_workspaces(scenario) as workspaces:
        roomy = go_on(scenario, CARELESS, StandIn(), workspaces.fresh())
        first = roomy.requests[0].tokens(default_counter())
        tight = replace(scenario, window=first + 16_000 + 400)
        went = go_on(tight, CARELESS, StandIn(), workspaces.fresh())
    assert went.ending == "too large"
    assert f"{tight.window - 16_000:,}" in went.reason
    assert 0 < len(went.steps) < len(roomy.steps)


def test_the_same_choices_make_the_same_run(workspaces: Workspaces) -> None:
    """And a test that was run on equal files gives what it gave before, really run or not."""
    shared = run(workspaces, CARELESS)
    with recorded_workspaces(load_scenario()) as others:
        alone = run(others, CARELESS)
    assert shared.steps == alone.steps


def test_a_first_call_that_does_not_fit_is_refused_before_any_step(workspaces: Workspaces) -> None:
    went = run(workspaces, Choices(48, "drop", tools="40", off=NO_TASK))
    assert went.ending == "too large"
    assert went.steps == went.changed == ()
    assert "Largest part: history" in went.reason


@pytest.mark.parametrize(
    ("arguments", "passes"),
    [
        ("{}", True),
        ('{"target": ""}', True),
        ('{"verbose": true}', True),
        ('{"target": "tests/test_a.py"}', False),
        ('["target"]', False),
        ("{", False),
    ],
)
def test_only_a_run_of_all_tests_says_that_all_pass(arguments, passes):
    ran = assistant("", ToolCall("call_1", "run_tests", arguments))
    assert _passes((ran, result("call_1", "...\n3 passed\n"))) is passes
    assert not _passes((ran, result("call_1", "..F\n1 failed, 2 passed\n")))
