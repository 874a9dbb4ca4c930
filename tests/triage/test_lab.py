"""Runs as the widget PolicyLab draws them: nothing is lost, the recorded ones come out again."""

from __future__ import annotations

import json
import random

import pytest

from patch_agent.cli import main
from patch_agent.data import DataError, data_path
from patch_agent.policies import CacheMarks, Chain
from patch_agent.pricing import price_tables
from patch_agent.tokens import exact
from patch_agent.triage import lab_data
from patch_agent.triage.lab import REGIONS, curve
from patch_agent.triage.lab_catalogue import COLUMNS, row_of, with_run
from patch_agent.triage.lab_data import NAMES, SEEDS, load_lab, made, record_text
from patch_agent.triage.lab_text import shown, texts
from patch_agent.triage.results import measure
from patch_agent.triage.run import run_batch
from patch_agent.triage.settings import Settings

KEPT = json.loads(data_path("triage", "lab.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def drawn():
    """A run of a policy that acts, drawn at random, with its requests and its curve."""
    name, seed = random.choice(("clear", "trim", "compact", "early")), random.choice(SEEDS)
    run, requests = made(name, seed)
    return run, requests, curve(run, requests)


def test_regions_add_up_to_each_request(drawn):
    run, requests, found = drawn
    sums = [sum(sizes) for sizes in zip(*found["regions"].values(), strict=True)]
    assert tuple(found["regions"]) == REGIONS
    assert sums == [request.tokens(exact()) for request in requests]
    assert sums == [one.tokens for one in run.sent]
    parts = [request.sizes(exact()) for request in requests]
    for region in ("system", "tools", "summary"):
        assert found["regions"][region] == [size.get(region, 0) for size in parts]
    assert found["regions"]["reasoning"] == [one.reasoning for one in run.sent]
    assert all(
        size >= one.results for size, one in zip(found["regions"]["results"], run.sent, strict=True)
    )


def test_costs_and_the_cache_are_those_that_are_billed(drawn):
    run, _, found = drawn
    figures = measure(run)
    assert sum(found["costs"]) == pytest.approx(figures.cost, abs=1e-4)
    assert sum(found["read"]) == figures.cached
    assert len(found["costs"]) == len(found["read"]) == figures.steps


def test_every_broken_beginning_is_told_and_no_other(drawn):
    run, requests, found = drawn
    broken = [place for place, one in enumerate(run.sent, 1) if one.bill.reuse.invalidated]
    assert [one["request"] for one in found["breaks"]] == broken != []
    for one in found["breaks"]:
        before, now = (requests[one["request"] - back].messages for back in (2, 1))
        same = one["message"] - 1
        assert before[:same] == now[:same] and before[same] != now[same]
        assert one["acts"] and one["invalidated"] > 0
        assert one["freed"] > 0 or one["acts"] == ["cleared"]


def test_texts_are_those_of_the_requests(drawn):
    _, requests, _ = drawn
    found = json.loads(json.dumps(texts({"mine:1": requests})))
    assert list(found["requests"]) == ["mine:1"]
    for request, ranges in zip(requests, found["requests"]["mine:1"], strict=True):
        pieces = [piece for first, end in ranges for piece in found["pool"][first:end]]
        words = [text for _, role, _, _, text in pieces if role != "definition"]
        assert words == list(map(shown, request.messages))
        assert sum(piece[3] for piece in pieces) == request.tokens(exact())
    named = {tuple(piece[1:3]) for piece in found["pool"]}
    assert {("tool", "read_report"), ("definition", "file_issue")} <= named
    assert len({tuple(piece) for piece in found["pool"]}) == len(found["pool"])


def test_a_drawn_recorded_run_comes_out_again(drawn):
    run, _, found = drawn
    wanted = (run.settings.policy, run.settings.seed)
    kept = next(one for one in KEPT["curves"] if (one["policy"], one["seed"]) == wanted)
    assert json.loads(json.dumps(found)) == kept


def test_recorded_runs_agree_with_the_recorded_figures():
    figures = json.loads(data_path("triage", "figures.json").read_text(encoding="utf-8"))["runs"]
    rows = {(row["policy"], row["seed"]): row for row in figures}
    assert [(one["policy"], one["seed"]) for one in KEPT["curves"]] == [
        (name, seed) for name in NAMES for seed in SEEDS
    ]
    for one in KEPT["curves"]:
        row = rows[one["policy"], one["seed"]]
        assert len(one["read"]) == row["steps"]
        assert sum(map(sum, one["regions"].values())) == row["tokens"]["input"]
        assert sum(one["costs"]) == pytest.approx(row["cost"], abs=1e-4)
        assert sum(one["read"]) / row["tokens"]["input"] == pytest.approx(
            row["cached_share"], abs=1e-4
        )


@pytest.fixture
def one_run(monkeypatch):
    """One run alone is made and kept, so that it takes a second."""
    lab_data.lab_texts.cache_clear()
    monkeypatch.setattr(lab_data, "NAMES", ("clear",))
    monkeypatch.setattr(lab_data, "SEEDS", range(2, 3))
    yield
    lab_data.lab_texts.cache_clear()


def test_the_command_writes_the_runs(one_run, tmp_path, capsys):
    assert main(["batch", "lab", str(tmp_path)]) == 0
    written = tmp_path / "triage" / "lab.json"
    assert capsys.readouterr().out == f"{written}\n"
    found = json.loads(written.read_text(encoding="utf-8"))
    kept = next(one for one in KEPT["curves"] if (one["policy"], one["seed"]) == ("clear", 2))
    assert found["curves"] == [kept] and found["texts"]["runs"] == ["clear:2"]
    assert found["command"] == KEPT["command"] and found["typical"] == 2


def test_texts_of_other_runs_are_refused(one_run):
    with pytest.raises(
        DataError, match=r"lab\.json: texts: not those .*patch-agent batch lab data"
    ):
        lab_data.lab_text_script()


def test_the_record_is_kept_compactly_and_whole():
    text = data_path("triage", "lab.json").read_text(encoding="utf-8")
    assert record_text(KEPT) == text
    assert len(text) < 200_000


def test_the_catalogue_has_the_figures_of_all_runs():
    lab = load_lab()
    assert [policy["id"] for policy in lab["policies"]] == list(NAMES)
    for found in lab["figures"].values():
        assert len(found["seeds"]) == 30 and all(found["finished"])
        assert all(len(found[column]) == 30 for column in COLUMNS)
    assert lab["times"] == price_tables()["batch"].times(lab["tier"] + 1) == 5
    assert lab["typical"] in SEEDS
    steps = lab["figures"]["none"]["steps"]
    assert abs(steps[lab["typical"] - 1] - sorted(steps)[15]) <= 1


def test_each_state_of_the_words_can_be_shown():
    lab = load_lab()
    for state in (lab["first"], *(one["state"] for one in lab["experiments"])):
        head, *choices, request, figure = state.split(".")
        assert head == f"pl={lab['version']}" and figure in COLUMNS
        assert request.isdigit() and len(choices) == 2


def test_a_run_of_your_own_stands_beside_the_recorded_ones():
    lab, counter = load_lab(), exact()
    run = run_batch(Settings("none", 3), limit=4, policy=Chain(CacheMarks(), counter=counter))
    found = curve(run, run.requests(), "mine", counter=counter)
    assert sum(found["read"]) > 0 and found["ending"] == "limit"
    figures = measure(run).as_json()
    once = with_run(lab, found, figures)
    assert once["policies"][-1] == {"id": "mine", "label": "mine", "what": "", "limit": None}
    assert once["figures"]["mine"]["seeds"] == [3]
    assert once["figures"]["mine"]["finished"] == [False]
    shown = {name: once["figures"]["mine"][name][0] for name in COLUMNS}
    result = measure(run)
    wanted = {
        "steps": result.steps,
        "input": figures["tokens"]["input"],
        "cost": figures["cost"],
        "cached_share": round(result.cached_share, 4),
        "rereads": result.rereads,
        "duplicates": result.duplicates,
        "compactions": result.compactions,
        "kept": figures["identifiers"]["kept"],
        "restored": figures["identifiers"]["restored"],
        "passed": figures["checks"]["passed"],
    }
    assert shown == row_of(figures) == wanted
    assert with_run(once, found, figures) == once
    assert len(lab["policies"]) == len(NAMES), "the catalogue that was given is left as it was"


def test_a_run_that_is_known_takes_the_recorded_one_s_place():
    lab = load_lab()
    known = next(one for one in lab["curves"] if one["policy"] == "trim")
    figures = json.loads(data_path("triage", "figures.json").read_text(encoding="utf-8"))["runs"]
    row = next(one for one in figures if (one["policy"], one["seed"]) == ("trim", known["seed"]))
    again = with_run(lab, known, row)
    assert again["figures"] == lab["figures"] and again["policies"] == lab["policies"]
    assert len(again["curves"]) == len(lab["curves"])


def test_requests_of_another_run_are_refused(drawn):
    run, requests, _ = drawn
    with pytest.raises(ValueError, match=rf"requests: expected {len(requests)}, got 3"):
        curve(run, requests[:3])


def test_another_schema_is_named(tmp_path, monkeypatch):
    path = tmp_path / "lab.json"
    path.write_text(json.dumps({**KEPT, "schema": 99}), encoding="utf-8")
    monkeypatch.setattr(lab_data, "data_path", lambda *names: path)
    with pytest.raises(DataError, match=r"lab\.json: expected runs of schema 1, got 99"):
        load_lab()
