"""The triage agent decides by the request alone; the same checks catch planted cheats."""

from __future__ import annotations

import pytest

from patch_agent.triage.run import run_batch
from patch_agent.triage.settings import Settings
from tests.triage.cheats import checks

REAL = "patch_agent.triage.agent:TriageAgent"
MUTANTS = "tests.triage.cheats.mutants:"
CHANGES = [
    checks.other_reasoning,
    checks.other_placeholders,
    checks.other_note,
    checks.other_ids,
]


def test_the_watched_runs_have_what_is_changed():
    trimmed = [request for request, _ in checks.watched(REAL)]
    cleared = [request for request, _ in checks.watched(REAL, "clear")]
    for change, requests in zip(CHANGES, (trimmed, cleared, trimmed, trimmed), strict=True):
        assert any(change(request) != request for request in requests), change


def test_a_fresh_process_decides_the_same():
    assert checks.remembers(REAL) == []


def test_it_loads_nothing_that_knows_the_world():
    assert checks.peeks(REAL) == []


@pytest.mark.parametrize("policy", ["trim", "clear", "compact"])
@pytest.mark.parametrize("change", CHANGES)
def test_what_means_nothing_decides_nothing(policy, change):
    assert checks.heeds(REAL, change, policy) == []


@pytest.mark.parametrize("policy", ["trim", "clear", "compact", "none"])
def test_other_numbers_carry_through(policy):
    assert checks.clings(REAL, policy=policy) == []


@pytest.mark.parametrize("world", [977, 5_000_011])
def test_it_triages_a_world_that_it_has_never_seen(world):
    run = run_batch(Settings("none", seed=3, world=world))
    assert run.ending == "done"
    assert run.grade.passed >= 75


def test_memory_is_caught():
    assert checks.remembers(MUTANTS + "Remembers", every=2)


def test_reading_the_truth_is_caught():
    assert checks.peeks(MUTANTS + "ReadsTheTruth")


def test_knowing_a_world_by_its_numbers_is_caught():
    assert checks.clings(MUTANTS + "KnowsTheNumbers")


def test_spotting_the_policy_by_its_words_is_caught():
    assert checks.heeds(MUTANTS + "SpotsTheNote", checks.other_note)
    assert checks.heeds(MUTANTS + "SpotsThePlaceholder", checks.other_placeholders, "clear")
    assert checks.heeds(MUTANTS + "CountsTheIds", checks.other_ids)
