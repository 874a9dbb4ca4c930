"""Recorded figures: 30 seeds for each policy in data/triage/figures.json, fewer of other worlds in
worlds.json. Both files name their commands."""

from __future__ import annotations

import json
import random

import pytest

from patch_agent.data import data_path
from patch_agent.triage.settings import Settings
from patch_agent.triage.sweep import run_one


@pytest.fixture(scope="module")
def figures():
    """The recorded figures."""
    return json.loads(data_path("triage", "figures.json").read_text(encoding="utf-8"))


def comes_out_again(row):
    """True where the run that a row tells of has the same figures today."""
    settings = Settings(row["policy"], row["seed"], row["world"], row["limit"])
    return json.loads(json.dumps(run_one(settings).as_json())) == row


def test_three_drawn_at_random_come_out_again(figures):
    for row in random.sample(figures["runs"], 3):
        assert comes_out_again(row), row


def test_one_of_each_other_world_comes_out_again():
    recorded = json.loads(data_path("triage", "worlds.json").read_text(encoding="utf-8"))
    numbers = sorted({row["world"] for row in recorded["runs"]})
    assert [
        f"--world {number} " in command
        for number, command in zip(numbers, recorded["commands"], strict=True)
    ] == [True] * 3
    for number in numbers:
        row = random.choice([row for row in recorded["runs"] if row["world"] == number])
        assert comes_out_again(row), row


def test_without_a_policy_the_sizes_are_near_the_book(figures):
    rows = [row for row in figures["runs"] if row["policy"] == "none"]
    assert len(rows) == 30

    def middle(figure):
        return sorted(map(figure, rows))[len(rows) // 2]

    assert middle(lambda row: row["steps"]) == pytest.approx(35, rel=0.2)
    assert middle(lambda row: row["tokens"]["input"]) == pytest.approx(3e6, rel=0.2)
    assert 0.4 <= middle(lambda row: row["dear"]) <= 0.6
    assert middle(lambda row: row["results"]) == pytest.approx(0.7, abs=0.05)
    assert 0.5 <= middle(lambda row: row["reasoning"]) <= 2


def test_only_what_held_on_several_worlds_is_asserted(figures):
    middle = {name: found["cost"]["median"] for name, found in figures["table"].items()}
    assert middle["cache"] < middle["none"] / 3
    found = figures["table"]
    assert found["early"]["rereads"]["median"] > 5 * found["clear"]["rereads"]["median"]
    assert found["early"]["steps"]["median"] > found["clear"]["steps"]["median"]
    for name in found:
        low, high = found[name]["passed"]["min"], found[name]["passed"]["max"]
        assert low <= found["none"]["passed"]["max"] and high >= found["none"]["passed"]["min"]


def test_the_table_is_made_of_the_runs(figures):
    for name, found in figures["table"].items():
        rows = [row for row in figures["runs"] if row["policy"] == name]
        assert found["runs"] == len(rows)
        assert found["steps"]["max"] == max(row["steps"] for row in rows)
        assert found["unfinished"] == sum(not row["finished"] for row in rows)
