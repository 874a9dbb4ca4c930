"""The chapter as a reader has it: answers that unfold, tables that fold, a picture in the dark."""

import re
from collections.abc import Callable
from itertools import pairwise

import pytest
from playwright.sync_api import Page, expect

from tests.browser.watch import violations

PAGE = "book/context.html"
NOTEBOOK = "notebooks/01-build-a-context.html"


@pytest.fixture
def chapter(open_page: Callable[..., Page], site: str) -> Callable[..., Page]:
    return lambda **options: open_page(f"{site}/{PAGE}", **options)


def test_answers_unfold_by_keyboard(chapter: Callable[..., Page]) -> None:
    page = chapter()
    answers = page.locator("details.unfold")
    assert answers.count() == 4
    for number in range(answers.count()):
        answer = answers.nth(number)
        body = answer.locator(":scope > p").first
        expect(body).to_be_hidden()
        answer.locator("summary").focus()
        page.keyboard.press("Enter" if number % 2 else "Space")
        expect(body).to_be_visible()
    assert violations(page) == []


def test_answers_are_printed(chapter: Callable[..., Page]) -> None:
    page = chapter()
    answer = page.locator("details.unfold").first
    closed = answer.bounding_box()
    page.emulate_media(media="print")
    opened = answer.bounding_box()
    assert closed and opened and opened["height"] > 4 * closed["height"]


def test_headings_go_down_one_level_at_a_time(chapter: Callable[..., Page]) -> None:
    page = chapter()
    levels = page.locator("article.bd-article :is(h1, h2, h3, h4, h5, h6):visible").evaluate_all(
        "all => all.map(h => Number(h.tagName[1]))"
    )
    assert levels.count(1) == 1 and levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


@pytest.mark.parametrize("width", [320, 768, 1280])
def test_no_table_is_wider_than_the_text(
    chapter: Callable[..., Page], shot: Callable[..., object], width: int
) -> None:
    page = chapter(width=width)
    boxes = page.locator(".figures-box")
    assert boxes.count() >= 9
    for number in range(boxes.count()):
        box = boxes.nth(number)
        wide = box.evaluate("box => [box.scrollWidth, box.clientWidth]")
        assert wide[0] <= wide[1], box.locator("caption").inner_text()
        expect(box.locator("caption")).to_be_visible()
    page.locator("#tokens-and-the-budget").scroll_into_view_if_needed()
    shot(page, f"chapter-tables-{width}")


def test_a_folded_row_names_its_cells(chapter: Callable[..., Page]) -> None:
    page = chapter(width=320)
    cell = page.locator(".figures-box td[data-label='measured']").first
    label = cell.evaluate("cell => getComputedStyle(cell, '::before').content")
    assert label == '"measured"'
    wide = chapter(width=1280)
    cell = wide.locator(".figures-box td[data-label='measured']").first
    assert cell.evaluate("cell => getComputedStyle(cell, '::before').content") == "none"


def test_both_summaries_can_be_read_by_keyboard(chapter: Callable[..., Page]) -> None:
    page = chapter()
    careful = page.get_by_role("region", name="With care")
    careful.focus()
    expect(careful).to_be_focused()
    page.keyboard.press("End")
    page.wait_for_function("box => box.scrollTop > 0", arg=careful.element_handle())
    expect(careful).to_contain_text("`tests/fixtures/` is off limits")
    expect(page.get_by_role("region", name="Carelessly")).not_to_contain_text("off limits")


def test_the_runs_end_as_the_text_says(chapter: Callable[..., Page]) -> None:
    page = chapter()
    table = page.locator("table", has=page.locator("caption", has_text="Ten steps on"))
    ends = table.get_by_role("row", name=re.compile("In the end")).get_by_role("cell")
    expect(ends.nth(0)).to_have_text("all tests pass, the rule is kept")
    expect(ends.nth(1)).to_contain_text("the rule is broken")
    expect(ends.nth(2)).to_have_text("all tests pass, the rule is kept; auth/tokens.py tried again")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_notebook_as_a_page(
    open_page: Callable[..., Page], site: str, shot: Callable[..., object], dark: bool
) -> None:
    page = open_page(f"{site}/{NOTEBOOK}", width=320, dark=dark)
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    picture = page.get_by_alt_text(re.compile("The tokens of everything sent rise"))
    picture.scroll_into_view_if_needed()
    expect(picture).to_have_css("background-color", "rgba(0, 0, 0, 0)")
    shot(page, f"notebook-page-320-{'dark' if dark else 'light'}")
    assert violations(page) == []
