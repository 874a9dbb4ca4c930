"""The page on policies: what it claims of the batch holds in each recorded world."""

import re
from pathlib import Path

import pytest

from patch_agent.data import data_path, read_json
from patch_agent.policies import NAMES
from patch_agent.triage.grade import GLOBAL, KINDS
from widgets import batch, estimates
from widgets.batch import Spread, World

PAGE = Path(__file__).resolve().parents[1] / "book" / "policies.md"
WORLDS = batch.worlds()
LIMITED = ("clear", "trim", "compact")

each_world = pytest.mark.parametrize("world", WORLDS, ids=lambda world: f"world-{world.number}")


def test_enough_worlds_and_runs_are_recorded() -> None:
    assert len(WORLDS) == len({world.number for world in WORLDS}) == 4
    for world in WORLDS:
        assert tuple(world.runs) == tuple(batch.WHAT)
        sizes = {len(runs) for runs in world.runs.values()}
        assert sizes == {30 if world.number == 1 else 6}
        assert all(run["finished"] for runs in world.runs.values() for run in runs)


@each_world
def test_marks_make_a_run_several_times_cheaper_and_change_no_step(world: World) -> None:
    assert world.middle("none", "cost") > 4 * world.middle("cache", "cost")
    assert world.middle("cache", "cached") > 0.93
    for plain, marked in zip(world.runs["none"], world.runs["cache"], strict=True):
        assert plain["seed"] == marked["seed"]
        assert plain["steps"] == marked["steps"]
        assert plain["tokens"]["input"] == marked["tokens"]["input"]
        assert plain["missed"] == marked["missed"]


@each_world
@pytest.mark.parametrize("name", LIMITED)
def test_staying_below_the_dear_tier_saves_more(world: World, name: str) -> None:
    assert world.middle(name, "dear") == 0 < world.middle("cache", "dear")
    assert world.middle(name, "cost") < world.middle("cache", "cost")
    assert world.middle(name, "cached") < world.middle("cache", "cached")


@each_world
def test_early_clearing_makes_work_by_repeated_reads(world: World) -> None:
    assert world.middle("early", "steps") > 1.3 * world.middle("clear", "steps")
    assert world.middle("early", "cost") > world.middle("clear", "cost")
    assert world.middle("early", "rereads") > 20
    assert world.middle("clear", "rereads") <= 1


@each_world
def test_early_clearing_is_not_nearly_as_long_as_in_the_book(world: World) -> None:
    """132 steps against 35 or so; here even the longest run has fewer."""
    assert world.middle("early", "steps") < 2 * world.middle("none", "steps") < 2 * 132
    assert world.spread("early", "steps").most < 132


@each_world
def test_trimming_files_more_crashes_twice_and_passes_fewer_checks(world: World) -> None:
    others = [name for name in world.runs if name != "trim"]
    assert all(
        world.middle("trim", "duplicates") > world.middle(name, "duplicates") for name in others
    )
    assert world.middle("trim", "passed") < world.middle("none", "passed")


@each_world
def test_clearing_past_a_limit_costs_no_checks(world: World) -> None:
    assert world.middle("clear", "passed") == world.middle("none", "passed")


@each_world
def test_seeds_differ_more_than_policies(world: World) -> None:
    steps = world.spread("none", "steps")
    middles = [world.middle(name, "steps") for name in world.runs]
    assert steps.most / steps.least > max(middles) / min(middles)
    checks = world.spread("none", "passed")
    passed = [world.middle(name, "passed") for name in world.runs]
    assert checks.most - checks.least > max(passed) - min(passed)


def test_compaction_is_not_dearer_than_clearing_everywhere() -> None:
    dearer = [w.middle("compact", "cost") > w.middle("clear", "cost") for w in WORLDS]
    assert len(set(dearer)) == 2


def test_no_note_is_read() -> None:
    assert all(w.spread(name, "read").most == 0 for w in WORLDS for name in w.runs)


def test_the_recorded_table_is_the_page_s() -> None:
    """Two computations of one spread: that of the command, and that of the page."""
    table = read_json(data_path("triage", "figures.json"))["table"]
    names = {"steps": "steps", "cost": "cost", "rereads": "rereads", "passed": "passed"}
    for name, columns in table.items():
        for column, figure in names.items():
            stated = Spread(*(columns[column][kind] for kind in ("min", "median", "max")))
            found = WORLDS[0].spread(name, figure)
            assert (found.least, found.most) == (stated.least, stated.most)
            assert found.middle == pytest.approx(stated.middle, abs=1e-6)


def test_each_word_of_the_page_is_computed_and_used() -> None:
    used = set(re.findall(r"\{glue:text\}`(?!bench_)(\w+)`", PAGE.read_text(encoding="utf-8")))
    assert used == set(batch.words(WORLDS)) | {
        f"run_{name}" for name in ("requests", "least", "mean", "most", "tools")
    }


def test_counts_in_words() -> None:
    words = batch.words(WORLDS)
    assert (words["reports"], words["causes"], words["checks"]) == ("99", "23", "94")
    assert len(KINDS) * int(words["causes"]) + len(GLOBAL) == int(words["checks"])
    assert (len(KINDS), len(GLOBAL), len(batch.TOOLS)) == (4, 2, 5)


def test_the_default_chain_is_as_the_page_describes_it() -> None:
    html = batch.chains().html()
    row = html.split("<code>default</code>")[1]
    assert re.findall(r"<code>(\w+)</code>", row) == [
        "Clip",
        "ClearResults",
        "Compact",
        "CacheMarks",
    ]
    assert all(f"<code>{name}</code>" in html for name in NAMES)


def test_estimates_miss_where_the_page_says() -> None:
    rows = {row.name: row.cells for row in estimates.of_texts().rows}
    for kind in ("crash reports", "base64"):
        true, plain, by_kind = (int(cell) for cell in rows[kind][:3])
        assert plain < 0.75 * true
        assert abs(by_kind - true) < abs(plain - true)
