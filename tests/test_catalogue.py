"""The catalogue equals what Python really does, and the page's module composes it the same way."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
import tomllib
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from patch_agent.aftermath import go_on, recorded_workspaces
from patch_agent.builder import assemble, default_counter
from patch_agent.catalogue import (
    State,
    build_catalogue,
    catalogue_text,
    format_state,
    load_catalogue,
    parse_state,
    random_state,
    text_script,
    texts,
)
from patch_agent.catalogue.runs import outcome, run_data, run_key
from patch_agent.catalogue.segments import all_segments, present
from patch_agent.data import data_path
from patch_agent.pricing import CHAPTER, cost, reuse
from patch_agent.probes import load_probes
from patch_agent.request import Request
from patch_agent.scenario import load_scenario
from patch_agent.stand_in import StandIn, reader
from patch_agent.vocabulary import load_encoder
from patch_agent.wire import to_wire

ROOT = Path(__file__).parent.parent
PROBES = load_probes()
STATES = 2_000
RUNS = 50
SEED = int(os.environ.get("SEED") or random.SystemRandom().randrange(10**6))
"""Other states on each run; a failure names it, and SEED=n draws the same ones again."""


@cache
def catalogue() -> dict[str, Any]:
    return load_catalogue()


def experiment_states() -> list[State]:
    """Every state that the four experiments lead through."""
    starts = {one["id"]: parse_state(one["state"]) for one in catalogue()["experiments"]}
    report, rule, summaries, cure = (
        starts[name] for name in ("report", "rule", "summaries", "cure")
    )
    found = [*starts.values(), State(34, "drop", off=frozenset({"task"}))]
    found += [replace(report, tools="none"), replace(report, off=frozenset({"task"}))]
    found += [replace(rule, k=k) for k in range(49)]
    found += [replace(summaries, older=form, vs=None) for form in ("careful", "careless")]
    found += [replace(cure, k=k) for k in range(49)]
    return found


def drawn(count: int, salt: int) -> list[State]:
    source = random.Random(SEED + salt)
    return [random_state(source, 48) for _ in range(count)]


def request_of(state: State) -> Request:
    scenario = load_scenario()
    patch = replace(scenario.state, choices=state.choices)
    return assemble(patch, scenario.conversation, scenario.window).request


def composed(states: list[State]) -> list[dict[str, Any]]:
    """What the page's module makes of these states, in Node."""
    node = shutil.which("node")
    assert node, "Node is missing: `make setup` brings it"
    script = ROOT / "tests" / "js" / "compose_states.js"
    done = subprocess.run(
        [node, str(script), str(data_path("catalogue.json"))],
        input=json.dumps([format_state(state) for state in states]),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    made: list[dict[str, Any]] = json.loads(done.stdout)
    return made


def python_view(state: State, model: StandIn, previous: Request) -> dict[str, Any]:
    """The same figures from a real request and the stand-in."""
    counter, request = default_counter(), request_of(state)
    sizes = request.sizes(counter)
    total = sum(sizes.values())
    view: dict[str, Any] = {
        "total": total,
        "sizes": {k: v for k, v in sizes.items() if v},
        "fits": total <= 112_000,
    }
    wire = request.wire()
    assert (model.refusal(wire) is None) == view["fits"]
    view["answers"] = answers(wire) if view["fits"] else []
    if view["fits"]:
        shared = reuse(previous, request, counter, load_encoder().encode)
        view["reused"] = shared.tokens
        view["units"] = cost(CHAPTER, shared.tokens, shared.new, 1_000).total
    return view


def answers(wire: dict[str, Any]) -> list[dict[str, str]]:
    """What the stand-in answers to each probe, once it has accepted the request."""
    given = [(probe, reader.answer(probe.asked, wire)) for probe in PROBES]
    return [{"answer": answer.text, "verdict": probe.grade(answer)} for probe, answer in given]


def test_the_page_composes_every_call_that_python_builds() -> None:
    """Tokens part by part, answers and cost: drawn states, and all those of the experiments."""
    states = [*drawn(STATES, 0), *experiment_states()]
    model = StandIn()
    previous = previous_request()
    for state, page in zip(states, composed(states), strict=True):
        python = python_view(state, model, previous)
        where = f"{format_state(state)} (SEED={SEED})"
        assert page["total"] == python["total"], where
        assert page["fits"] == python["fits"], where
        assert {k: v for k, v in page["sizes"].items() if v} == python["sizes"], where
        assert page["answers"] == python["answers"], where
        if python["fits"]:
            assert page["reused"] == python["reused"], where
            assert page["units"] == pytest.approx(python["units"]), where


def previous_request() -> Request:
    """The call that gave step 48: the conversation as it was then, everything sent."""
    scenario = load_scenario()
    last = max(i for i, m in enumerate(scenario.conversation) if m.role == "assistant")
    patch = replace(scenario.state, choices=State(47, off=frozenset({"task"})).choices)
    return assemble(patch, scenario.conversation[:last], scenario.window).request


def test_the_call_before_is_the_one_that_gave_the_last_step() -> None:
    wires = [to_wire(message) for message in previous_request().messages]
    by_id = {segment.id: segment for segment in all_segments(load_scenario())}
    kept = [by_id[name] for name in catalogue()["previous"] if not name.startswith("tool.")]
    assert [segment.wire for segment in kept] == wires


def test_segments_are_the_requests_bytes() -> None:
    """What the segments of a state hold, in order, is the request that goes over the wire."""
    segments = all_segments(load_scenario())
    for state in drawn(60, 1):
        sent = present(segments, state, 48)
        wire = request_of(state).wire()
        assert [s.wire for s in sent if s.message is not None] == wire["messages"], state
        assert [s.wire for s in sent if s.tool is not None] == wire["tools"], state


def test_the_kept_catalogue_is_what_the_code_makes() -> None:
    """`patch-agent catalogue data` makes it again, runs included."""
    assert data_path("catalogue.json").read_text(encoding="utf-8") == catalogue_text(
        build_catalogue()
    )


def test_kept_runs_equal_live_ones() -> None:
    """For states drawn at random: the same calls, words and results, until a call is refused."""
    scenario = load_scenario()
    states = drawn(RUNS, 2)
    with recorded_workspaces(scenario) as workspaces:
        for state, page in zip(states, composed(states), strict=True):
            where = f"{format_state(state)} (SEED={SEED})"
            live = go_on(scenario, state.choices, StandIn(), workspaces.fresh())
            if not page["fits"]:
                assert live.ending == "too large", where
                assert not live.steps, where
                continue
            kept = page["run"]
            rows = run_data(scenario, live, default_counter(), _words())["steps"]
            assert [_told(row) for row in kept["steps"]] == [_told(row) for row in rows], where
            assert (kept["refused"] is not None) == (live.ending == "too large"), where
            if kept["refused"]:
                assert f"{kept['refused']['size']:,} tokens" in live.reason, where
            else:
                assert kept["steps"] == rows, where
                told = outcome(live, scenario, _words()["outcomes"])
                assert (kept["outcome"], kept["verdict"]) == told, where


def _told(row: dict[str, Any]) -> list[Any]:
    """A step's row without what it does to other parts of the next call, which a refused call
    does not show."""
    return [row[key] for key in ("step", "call", "because", "result", "tokens")]


def _words() -> dict[str, Any]:
    return tomllib.loads(data_path("words", "context_builder.toml").read_text(encoding="utf-8"))


def test_every_state_has_a_run() -> None:
    segments = all_segments(load_scenario())
    for state in drawn(STATES, 3):
        sent = [segment.id for segment in present(segments, state, 48)]
        assert run_key(catalogue()["facts"], sent) in catalogue()["runs"], format_state(state)


def test_spans_point_at_their_quotes() -> None:
    """In UTF-16 units, as the page counts."""
    exact = texts()
    for probe in catalogue()["probes"]:
        for carrier in probe["carriers"]:
            units = exact[carrier["segment"]].encode("utf-16-le")
            quote = units[2 * carrier["start"] : 2 * carrier["end"]].decode("utf-16-le")
            if probe["id"] != "tools":
                assert " ".join(quote.split()) == carrier["quote"], carrier["segment"]


def test_the_text_script_cannot_end_its_element() -> None:
    name, script = text_script()
    assert name == catalogue()["texts"]["file"]
    assert "</" not in script
    assert "<!--" not in script


@pytest.mark.parametrize(
    ("link", "names"),
    [
        ("cb=2.34.drop.-.6.-", "version '2'"),
        ("cb=1.34.drop.-.6", "6 fields"),
        ("cb=1.x.drop.-.6.-", "steps 'x'"),
        ("cb=1.34.shred.-.6.-", "older"),
        ("cb=1.34.drop.both.6.-", "compare with 'both'"),
        ("cb=1.34.drop.drop.6.-", "compare with 'drop'"),
        ("cb=1.-1.drop.-.6.-", "steps '-1'"),
        ("cb=1.1e1.drop.-.6.-", "steps '1e1'"),
        ("cb=1.٣.drop.-.6.-", "steps '٣'"),
        (f"cb=1.{'9' * 9_000}.drop.-.6.-", "steps '999"),
        ("cb=1.34.drop.-.7.-", "tools"),
        ("cb=1.34.drop.-.6.system", "'system' cannot be switched off"),
        ("cb=1.34.drop.-.6.task,", "'' cannot be switched off"),
        ("zz=1.34.drop.-.6.-", "cb="),
        ("#section-2", "cb="),
        ("", "cb="),
    ],
)
def test_a_link_that_cannot_be_read_names_the_field(link: str, names: str) -> None:
    with pytest.raises(ValueError, match=re.escape(names)) as caught:
        parse_state(link)
    assert len(str(caught.value)) < 200


def test_links_hold_the_state() -> None:
    for state in drawn(200, 4):
        assert parse_state(format_state(state)) == state
        assert parse_state(f"#{format_state(state)}") == state


def test_a_link_to_more_steps_than_there_are_is_refused_by_the_builder() -> None:
    with pytest.raises(ValueError, match="recent: expected 0 to 48 steps, got 49"):
        request_of(parse_state("cb=1.49.drop.-.6.-"))
