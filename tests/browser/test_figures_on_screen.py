"""Every figure that the widget shows is the one of the call that Python builds for its state."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from playwright.sync_api import Locator, Page, expect

from patch_agent.builder import THRESHOLD, default_counter
from patch_agent.catalogue import State, format_state
from patch_agent.catalogue.segments import all_segments, present
from patch_agent.data import data_path, read_toml
from patch_agent.request import Request
from patch_agent.scenario import load_scenario
from patch_agent.stand_in import StandIn
from patch_agent.tokens import estimate
from tests.browser.builder_page import Builder
from tests.test_catalogue import composed, drawn, previous_request, python_view, request_of

Open = Callable[..., Page]
WINDOW, BUDGET = 128_000, 112_000
WORDS = read_toml(data_path("words", "context_builder.toml"))
CHOSEN = (State(6, "careful", off=frozenset({"task"})), State(20, "clear", tools="40"))
DRAWN = 3


@pytest.fixture(scope="module", params=range(len(CHOSEN) + DRAWN))
def state(request: pytest.FixtureRequest) -> State:
    """Two states, and some that are others on each run."""
    found: State = [*CHOSEN, *drawn(DRAWN, salt=9)][request.param]
    return replace(found, vs=None)


@pytest.fixture
def builder(open_page: Open, site: str, state: State) -> Builder:
    """The widget in a state, all that unfolds open."""
    fragment = format_state(state)
    builder = Builder(open_page(f"{site}/book/context.html#{fragment}"))
    builder.is_in(fragment)
    for title in builder.root.locator(".cb-folded > details > summary").all():
        title.click()
    return builder


def sizes_of(request: Request) -> dict[str, int]:
    return dict.fromkeys(WORDS["parts"], 0) | request.sizes(default_counter())


def table(details: Locator) -> list[list[str]]:
    """The cells of what is unfolded first, row by row."""
    first = details.locator("table").first
    expect(first).to_be_visible()
    rows: list[list[str]] = first.locator("tbody tr").evaluate_all(
        "all => all.map((row) => [...row.children].map((cell) => cell.textContent))"
    )
    return rows


def width(one: Locator) -> float:
    box = one.bounding_box()
    return box["width"] if box else 0.0


def test_the_bar_is_to_scale(builder: Builder, state: State) -> None:
    sizes = sizes_of(request_of(state))
    track = builder.root.locator(".cb-track").first
    scale = (width(track) - 2) / max(WINDOW, sum(sizes.values()))
    for piece, size in zip(track.locator(".cb-piece").all(), sizes.values(), strict=True):
        assert width(piece) == pytest.approx(size * scale, abs=1)
    mark, whole = (
        builder.root.locator(place).bounding_box() for place in (".cb-bar-mark", ".cb-tracks")
    )
    assert mark and whole
    at = (mark["x"] - whole["x"]) / whole["width"]
    assert at == pytest.approx(THRESHOLD * BUDGET / WINDOW, abs=0.005)


def test_each_part_has_its_tokens(builder: Builder, state: State) -> None:
    sizes = sizes_of(request_of(state))
    whole = sizes_of(request_of(replace(state, off=frozenset())))
    shown = builder.root.locator(".cb-part:not(.cb-sum) .cb-tokens").all_text_contents()
    expected = [
        f"{size:,}" if size else (f"+{whole[part]:,}" if whole[part] else "–")
        for part, size in sizes.items()
    ]
    assert shown == expected


def test_the_cost_is_that_of_the_request(builder: Builder, state: State) -> None:
    view = python_view(state, StandIn(), previous_request())
    details = builder.folded(WORDS["words"]["cost"])
    if not view["fits"]:
        expect(details.locator("table")).to_have_count(0)
        return
    *kinds, total = table(details)
    reused, new = view["reused"], view["total"] - view["reused"]
    assert [row[1] for row in kinds] == [f"{reused:,}", f"{new:,}", "1,000"]
    assert float(total[3]) == pytest.approx(view["units"], abs=0.06)


def test_the_table_has_exact_and_estimated_tokens(builder: Builder, state: State) -> None:
    request = request_of(state)
    exact, rough = sizes_of(request), dict.fromkeys(WORDS["parts"], 0) | request.sizes(estimate())
    rows = table(builder.folded(WORDS["words"]["table"]))
    for (name, tokens, guess, *_), part in zip(rows, exact, strict=False):
        assert (name, tokens) == (WORDS["parts"][part], f"{exact[part]:,}")
        assert int(guess.replace(",", "")) == pytest.approx(rough[part], rel=0.02, abs=12)


def test_before_and_after_add_up(builder: Builder, state: State) -> None:
    *rows, total = table(builder.folded(WORDS["words"]["compaction"]))
    for place, chosen in ((1, replace(state, k=48)), (2, state)):
        size = sum(sizes_of(request_of(chosen)).values())
        assert total[place].startswith(f"{size:,} (")
        assert sum(int(row[place].replace(",", "")) for row in rows) == size
    for name, text in (("summary", "Summary of"), ("history", "Steps")):
        shown = [int(row[2].replace(",", "")) for row in rows if row[0].startswith(text)]
        assert sum(shown) == sizes_of(request_of(state))[name]
    outputs = sum(int(row[2].replace(",", "")) for row in rows if row[0].endswith(": tool outputs"))
    assert outputs == sum(
        default_counter().message(one.message)
        for one in present(all_segments(load_scenario()), state, 48)
        if one.message and one.message.role == "tool" and (one.step or 49) <= 48 - state.k
    )


def test_ten_steps_on_are_those_of_this_call(builder: Builder, state: State) -> None:
    run = composed([state])[0]["run"]
    details = builder.folded(WORDS["words"]["run"])
    closed, steps = details.locator("summary"), details.locator(".cb-step .cb-call")
    if run is None:
        expect(closed).to_contain_text(WORDS["words"]["run_not_sent"])
    elif run["refused"]:
        expect(closed).to_contain_text(f"ends at step {run['refused']['step']}")
    else:
        expect(closed).to_contain_text(run["outcome"])
    expect(steps).to_have_text([step["call"] for step in run["steps"]] if run else [])
