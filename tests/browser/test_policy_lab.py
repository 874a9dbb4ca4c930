"""The widget PolicyLab in the page on policies: first frame, experiments, links, texts."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.lab_experiments import EXPERIMENTS
from tests.browser.lab_page import LAB, LabWidget, run_of, totals
from tests.browser.watch import violations

Open = Callable[..., Page]
PATH = "book/policies.html"
WIDTHS = (288, 688, 848, 1250)
TITLES = (
    "This request by region",
    "This request, word for word",
    "Where the beginning broke",
    "Every request as a table",
    "All figures of all runs",
)


@pytest.fixture
def lab_page(open_page: Open, site: str) -> Callable[..., LabWidget]:
    """The widget in the built page, by a link's state: lab_page("pl=1...", width=1280)."""

    def go(state: str = "", **options: object) -> LabWidget:
        return LabWidget(open_page(f"{site}/{PATH}{'#' if state else ''}{state}", **options))

    return go


def test_the_first_frame_has_a_consequence(lab_page: Callable[..., LabWidget]) -> None:
    lab = lab_page()
    lab.is_in(LAB["first"])
    expect(lab.status).to_contain_text("16 times cheaper")
    expect(lab.root).to_have_attribute("data-warn", "no")
    expect(lab.root.locator(".pl-chart")).to_have_count(2)
    line = lab.root.locator(".pl-tier").first
    expect(line).to_be_visible()
    expect(line).to_contain_text("100,000 tokens")
    none = totals(run_of("none", LAB["typical"]))
    dear = sum(tokens > LAB["tier"] for tokens in none)
    picture = lab.root.get_by_role("img", name=f"{dear} of them above 100,000")
    expect(picture).to_have_count(1)


def test_the_experiments_by_keyboard_alone(lab_page: Callable[..., LabWidget]) -> None:
    lab = lab_page()
    assert len(EXPERIMENTS) == len(LAB["experiments"])
    for experiment in EXPERIMENTS:
        experiment(lab)


def test_a_link_restores_the_state_and_follows_it(lab_page: Callable[..., LabWidget]) -> None:
    lab = lab_page("pl=1.trim:3.-.20.passed")
    lab.is_in("pl=1.trim:3.-.20.passed")
    lab.slider.press("ArrowRight")
    expect(lab.page).to_have_url(re.compile(r"#pl=1\.trim:3\.-\.21\.passed$"))
    lab.page.evaluate("location.hash = 'pl=1.early:all.none:1.5.steps'")
    lab.is_in("pl=1.early:all.none:1.5.steps")
    expect(lab.status).to_contain_text("One run against many")


BAD_LINKS = (
    ("pl=2.none:all.-.1.cost", "version “2”, expected 1"),
    ("pl=1.none:all.shred:all.1.cost", "policy “shred”"),
    ("pl=1.none:77.-.1.cost", "run “77”"),
    ("pl=1.none:all.-.38.cost", "request “38”, expected 1 to 37"),
    ("pl=%3Cb%3E", "version “<b>”"),
)


def test_a_bad_link_is_named_and_the_widget_works(lab_page: Callable[..., LabWidget]) -> None:
    lab = lab_page(BAD_LINKS[0][0])
    for link, says in BAD_LINKS:
        lab.page.evaluate("link => { location.hash = link }", link)
        expect(lab.status).to_contain_text(f"The link could not be read: {says}")
        lab.is_in(LAB["first"])
        lab.slider.press("ArrowRight")
        lab.is_in("pl=1.none:all.clear:all.23.cost")
        expect(lab.status).to_contain_text("16 times cheaper")


def test_any_request_can_be_read_and_copied(
    lab_page: Callable[..., LabWidget], site_folder: Path
) -> None:
    lab = lab_page("pl=1.compact:all.clear:1.35.cost")
    text = lab.folded("This request, word for word")
    text.locator("> summary").click()
    script = (site_folder / "_static" / LAB["texts"]["file"]).read_text(encoding="utf-8")
    found = json.loads(script[script.index(",") + 1 : script.rindex(")")])
    ranges = found["requests"]["compact:2"][34]
    pieces = [piece for first, end in ranges for piece in found["pool"][first:end]]
    rows = text.locator(".pl-pieces > li")
    expect(rows).to_have_count(len(pieces))
    names = [f"{piece[3]:,} tokens" for piece in pieces]
    assert rows.locator("summary .cb-tokens").all_text_contents() == names
    rows.nth(len(pieces) - 1).locator("summary").click()
    expect(rows.nth(len(pieces) - 1).locator("pre")).to_have_text(pieces[-1][4])
    text.get_by_role("button", name="Copy this request").click()
    expect(text.locator(".cb-copy")).to_contain_text("characters copied")
    copied = lab.page.evaluate("navigator.clipboard.readText()")
    assert copied == "\n\n".join(piece[4] for piece in pieces)
    lab.slider.press("ArrowRight")
    expect(rows).to_have_count(sum(e - f for f, e in found["requests"]["compact:2"][35]))
    closed = text.locator("> summary .cb-result")
    expect(closed).to_have_text(re.compile(r"^compact: "))
    text.get_by_role("radio", name="clear, seed 1").check()
    expect(text).to_contain_text("The words are kept of these runs: none:2, cache:2")
    expect(rows).to_have_count(0)
    lab.slider.press("Home")
    expect(closed).to_have_text(re.compile(r"^clear, seed 1: "))
    text.get_by_role("radio", name="compact").check()
    expect(closed).to_have_text(re.compile(r"^compact: "))


def test_words_that_cannot_be_loaded_are_named_and_asked_for_again(
    open_without: Open, site: str
) -> None:
    script = LAB["texts"]["file"]
    page = open_without(f"{site}/{PATH}", script)
    lab = LabWidget(page)
    text = lab.folded("This request, word for word")
    text.locator("> summary").click()
    expect(text).to_contain_text(f"could not be fetched. It is in the file {script}")
    page.unroute_all()
    lab.slider.press("ArrowRight")
    expect(text.locator(".pl-pieces > li").first).to_be_visible()
    expect(text).not_to_contain_text("could not be fetched")


def test_the_picture_is_pressed_and_the_table_has_it_all(
    lab_page: Callable[..., LabWidget],
) -> None:
    lab = lab_page("pl=1.none:1.-.1.cost")
    chart = lab.root.locator(".pl-chart").first
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    assert box
    lab.page.mouse.click(box["x"] + box["width"] * 9.5 / 23, box["y"] + 40)
    lab.is_in("pl=1.none:1.-.10.cost")
    table = lab.folded("Every request as a table")
    table.locator("> summary").click()
    run = run_of("none", 1)
    rows = table.locator("tbody tr")
    expect(rows).to_have_count(23)
    cells = rows.nth(9).locator("th, td").all_inner_texts()
    sizes = [run["regions"][region["id"]][9] for region in LAB["regions"]]
    assert cells[:8] == ["10", *(f"{size:,}" for size in sizes), f"{sum(sizes):,}"]


def test_a_number_that_cannot_be_is_named(lab_page: Callable[..., LabWidget]) -> None:
    lab = lab_page("pl=1.none:1.-.5.cost")
    number = lab.root.get_by_label("Request, as a number")
    number.fill("99")
    expect(lab.status).to_contain_text("request “99”, expected 1 to 23")
    lab.is_in("pl=1.none:1.-.5.cost")
    number.blur()
    expect(number).to_have_value("5")


@pytest.mark.parametrize(("width", "dark"), [(688, False), (288, True)], ids=["light", "dark"])
def test_all_of_it_is_accessible_and_fits(
    lab_page: Callable[..., LabWidget], shot: Callable[..., object], width: int, dark: bool
) -> None:
    lab = lab_page("pl=1.clear:2.compact:4.9.cost", dark=dark, height=1200)
    for title in TITLES:
        lab.folded(title).locator("> summary").click()
    expect(lab.root.locator(".pl-table").first).to_be_visible()
    for each in (*WIDTHS, width):
        lab.page.evaluate("w => { document.querySelector('.pl').style.width = `${w}px` }", each)
        wide = lab.root.evaluate("root => [root.scrollWidth, root.clientWidth]")
        assert wide[0] <= wide[1], each
    shot(lab.page, f"lab-{width}-{'dark' if dark else 'light'}")
    assert violations(lab.page, ".pl") == []


def test_nothing_moves_while_requests_are_stepped_through(
    lab_page: Callable[..., LabWidget],
) -> None:
    lab = lab_page("pl=1.clear:all.early:all.2.cost")
    place = "root => root.querySelector('.pl-spread').offsetTop"
    before = lab.root.evaluate(place)
    lab.slider.focus()
    for request in range(3, 20):
        lab.page.keyboard.press("ArrowRight")
        expect(lab.root).to_have_attribute("data-state", f"pl=1.clear:all.early:all.{request}.cost")
        assert lab.root.evaluate(place) == before
    expect(lab.slider).to_be_focused()


def test_colours_that_are_forced_leave_the_picture(lab_page: Callable[..., LabWidget]) -> None:
    lab = lab_page()
    lab.page.emulate_media(forced_colors="active")
    layers = lab.root.locator(".pl-chart").first.locator(".pl-layer")
    fills = layers.evaluate_all("all => all.map((one) => getComputedStyle(one).fill)")
    assert len(set(fills)) == len(LAB["regions"])
    now = lab.root.locator(".pl-now").first
    assert now.evaluate("one => getComputedStyle(one).borderTopWidth") != "0px"
