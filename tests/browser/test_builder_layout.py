"""How ContextBuilder is laid out: at each width, in each scheme, with the reader's own settings."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.builder_page import CATALOGUE, Builder
from tests.browser.watch import violations

Open = Callable[..., Page]
FIRST = "cb=1.34.drop.-.6.task"
WIDTHS = (288, 688, 848, 1250)
LAID_OUT = "(one) => one.checkVisibility({ contentVisibilityAuto: true })"
# What a reader may set for all texts: https://www.w3.org/TR/WCAG22/#text-spacing
SPACED = """* { line-height: 1.5 !important; letter-spacing: 0.12em !important;
  word-spacing: 0.16em !important; } p { margin-bottom: 2em !important; }"""
CUT = """() => [...document.querySelectorAll(".cb-root :is(p, span, button, label)")]
  .filter((one) => one.checkVisibility() && one.textContent)
  .filter((one) => !one.closest(".cb-hidden, .cb-word, :is(.cb-verdict, .cb-evidence) > *"))
  .filter((one) => {
    const { clientHeight, scrollHeight } = one;
    const clamped = getComputedStyle(one).webkitLineClamp !== "none";
    const box = one.getBoundingClientRect();
    const row = one.closest(".cb-answer")?.getBoundingClientRect();
    const below = row && box.bottom > row.bottom + 1;
    return below || (!clamped && clientHeight && scrollHeight > clientHeight + 1);
  }).map((one) => `${one.className}: ${one.textContent}`)"""


def test_nothing_vanishes_where_colours_are_forced(
    open_page: Open, bare: str, shot: Callable[..., Path]
) -> None:
    page = open_page(bare, height=1400, dark=True)
    page.emulate_media(forced_colors="active")
    builder = Builder(page)
    colour = "(one, [part, what]) => getComputedStyle(one, part)[what]"
    ground = page.locator("body").evaluate(colour, [None, "backgroundColor"])
    text = page.locator("body").evaluate(colour, [None, "color"])
    pieces = builder.root.locator(".cb-track").first.locator(".cb-piece:visible")
    seen = [piece.evaluate(colour, [None, "backgroundColor"]) for piece in pieces.all()]
    assert len(seen) > 5
    assert len({*seen, ground}) == len(seen) + 1
    row = builder.row("may_edit")
    assert row.evaluate(colour, ["::before", "backgroundColor"]) != ground
    quote = row.locator(".cb-quote").first
    row.get_by_role("button").click()
    builder.is_in("cb=1.35.drop.-.6.task")
    assert row.evaluate(colour, ["::before", "backgroundColor"]) != ground
    lit = quote.evaluate(colour, [None, "backgroundColor"])
    assert lit not in (ground, quote.evaluate(colour, [None, "color"]))
    unlit = builder.row("helper_found").locator(".cb-quote").first
    assert unlit.evaluate(colour, [None, "color"]) == text
    shot(page, "builder-forced-colours", full=True)


@pytest.mark.parametrize("width", [320, 720, 1282])
@pytest.mark.parametrize("state", ["cb=1.6.drop.-.6.task", "cb=1.6.careless.careful.6.task"])
def test_text_with_more_space_is_not_cut(
    open_page: Open, chapter: str, width: int, state: str
) -> None:
    page = open_page(f"{chapter}#{state}", width=width)
    builder = Builder(page)
    builder.is_in(state)
    assert page.evaluate(CUT) == []
    page.add_style_tag(content=SPACED)
    assert page.evaluate(CUT) == []
    questions = builder.root.locator(".cb-question:visible")
    assert all(one.bounding_box()["height"] > 20 for one in questions.all())  # type: ignore[index]


@pytest.mark.parametrize("width", [688, 848, 1250])
def test_nothing_moves_while_the_slider_is_dragged(open_page: Open, bare: str, width: int) -> None:
    page = open_page(bare, width=width + 32, height=1400)
    builder = Builder(page)
    where = """() => [...document.querySelectorAll('.cb-answer, .cb-part, .cb-details, .cb-status')]
      .map((one) => { const { x, y, width, height } = one.getBoundingClientRect();
        return [x, y, width, height].map(Math.round).join(); })"""
    builder.slider.focus()
    before = page.evaluate(where)
    assert len(before) > 20
    nodes = page.evaluate("window.kept = [...document.querySelectorAll('.cb-root *')].length")
    for key in [*["ArrowLeft"] * 12, "Home", "End", *["PageDown"] * 4]:
        page.keyboard.press(key)
        assert page.evaluate(where) == before, key
        expect(builder.slider).to_be_focused()
    assert page.evaluate("[...document.querySelectorAll('.cb-root *')].length") == nodes


def test_the_module_takes_over_without_a_move(open_page: Open, bare: str) -> None:
    """The first frame that Python writes is as high as the one that the module draws."""
    page = open_page(bare)
    builder = Builder(page)
    drawn = builder.root.bounding_box()
    static = page.context.browser.new_context(  # type: ignore[union-attr]
        viewport={"width": 1280, "height": 800}, java_script_enabled=False
    )
    other = static.new_page()
    other.goto(bare)
    plain = other.locator(".cb-root").bounding_box()
    assert "said so at step 14" in other.locator(".cb-answers").inner_text()
    static.close()
    assert drawn == plain


def test_what_is_out_of_sight_can_be_found_and_printed(open_page: Open, bare: str) -> None:
    """It is not laid out until it comes near, which must not hide it from anybody."""
    page = open_page(f"{bare}#cb=1.6.careful.-.6.task", width=720, height=300)
    builder = Builder(page)
    for fold in builder.root.locator(".cb-folded > details > summary").all():
        fold.click()
    head = builder.folded("Before and after").locator("h5").last
    away = "() => { getSelection().empty(); scrollTo(0, 0); }"
    page.evaluate(away)
    page.wait_for_function(f"one => !({LAID_OUT})(one)", arg=head.element_handle())
    assert page.evaluate("text => find(text)", CATALOGUE["words"]["ledger_each"])
    expect(head).to_be_in_viewport()
    assert head.evaluate(LAID_OUT)
    page.evaluate(away)
    page.wait_for_function(f"one => !({LAID_OUT})(one)", arg=head.element_handle())
    page.emulate_media(media="print")
    assert head.evaluate(LAID_OUT)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_it_fits_each_width_and_scheme(
    open_page: Open, bare: str, shot: Callable[..., Path], width: int, dark: bool
) -> None:
    page = open_page(bare, width=width + 32, height=900, dark=dark)
    builder = Builder(page)
    scheme = "dark" if dark else "light"
    states = {
        "first": FIRST,
        "compared": "cb=1.6.careful.careless.6.task",
        "careless": "cb=1.6.careless.-.6.task",
        "over": "cb=1.48.drop.-.40.-",
    }
    for name, fragment in states.items():
        page.evaluate("fragment => { location.hash = fragment }", fragment)
        builder.is_in(fragment)
        assert page.evaluate("document.documentElement.scrollWidth") <= width + 32
        assert violations(page) == []
        shot(page, f"builder-{name}-{width}-{scheme}", full=True)
    page.evaluate("fragment => { location.hash = fragment }", states["compared"])
    for fold in builder.root.locator(".cb-folded > details > summary").all():
        fold.click()
    expect(builder.root.locator(".cb-texts")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width + 32
    assert violations(page) == []
    shot(page, f"builder-open-{width}-{scheme}", full=True)


def test_narrow_shows_first_what_is_not_right(open_page: Open, bare: str) -> None:
    builder = Builder(open_page(bare, width=320, height=900))
    wrong, right = builder.row("may_edit"), builder.row("helper_found")
    expect(right).to_be_hidden()
    parts = builder.root.locator(".cb-parts")
    more = builder.root.locator(".cb-more")
    boxes = [one.bounding_box() for one in (wrong, parts, more)]
    tops = [box["y"] for box in boxes if box]
    assert len(tops) == 3 and tops == sorted(tops)
    expect(more).to_have_text(re.compile(r"^\d right$"))
    more.click()
    expect(right).to_be_visible()
    expect(more).to_have_attribute("aria-expanded", "true")


def test_motion_is_left_out_where_it_is_not_wanted(open_page: Open, bare: str) -> None:
    page = open_page(bare)
    page.emulate_media(reduced_motion="reduce")
    builder = Builder(page)
    builder.row("may_edit").get_by_role("button").click()
    quote = builder.row("may_edit").locator(".cb-quote").first
    assert quote.evaluate("one => getComputedStyle(one).animationName") == "none"
