"""The widget in a built page, as a learner uses it: by mouse and by keyboard, on http and file."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from patch_agent.catalogue import texts
from tests.browser.builder_page import CATALOGUE, PROBES, Builder
from tests.browser.experiments import BY_KEYBOARD, BY_MOUSE, Experiment

Open = Callable[..., Page]
FIRST = "cb=1.34.drop.-.6.task"
CHAPTER = "book/context.html"


def test_the_first_frame_has_a_wrong_answer_and_one_press_flips_it(
    open_page: Open, chapter: str
) -> None:
    page = open_page(chapter)
    builder = Builder(page)
    builder.is_in(FIRST)
    before = builder.verdicts
    row = builder.row("may_edit")
    assert before["may_edit"] == "wrong"
    expect(row).to_contain_text("step 14")
    row.get_by_role("button", name="Send step 14 too").click()
    builder.is_in("cb=1.35.drop.-.6.task")
    assert builder.verdicts == {**before, "may_edit": "right"}
    expect(builder.status).to_contain_text("1 answer changed: fixtures, wrong → right")
    quote = row.locator(".cb-cell[data-lit] .cb-quote").first
    expect(quote).to_contain_text("tests/fixtures")
    ground = quote.evaluate("one => getComputedStyle(one).backgroundColor")
    assert ground != builder.row("goal").locator(".cb-cell").first.evaluate(
        "one => getComputedStyle(one).backgroundColor"
    )
    expect(page).to_have_url(re.compile(r"#cb=1\.35\.drop\.-\.6\.task$"))
    row.get_by_role("button", name="Take it back").click()
    builder.is_in(FIRST)
    assert builder.verdicts == before


@pytest.mark.parametrize("experiment", [*BY_MOUSE, *BY_KEYBOARD], ids=lambda one: one.__name__)
def test_an_experiment(open_page: Open, chapter: str, experiment: Experiment) -> None:
    experiment(Builder(open_page(chapter)))


def test_a_call_over_the_budget_is_not_sent(open_page: Open, chapter: str) -> None:
    builder = Builder(open_page(f"{chapter}#cb=1.48.drop.-.6.task"))
    builder.root.get_by_label("Number of tools").select_option("40")
    builder.is_in("cb=1.48.drop.-.40.task")
    expect(builder.status).to_contain_text("Not sent:")
    expect(builder.status).to_contain_text("Largest part that you can change: Tools, 2")
    expect(builder.folded("Ten steps on")).to_contain_text("the call is not sent")
    expect(builder.offers).to_have_count(0)


def test_a_link_brings_its_state_back(open_page: Open, chapter: str) -> None:
    fragment = "cb=1.6.careful.careless.6.memory,task"
    page = open_page(f"{chapter}#other=1&{fragment}")
    builder = Builder(page)
    builder.is_in(fragment)
    expect(builder.root).to_be_in_viewport()
    page.evaluate("location.hash = 'other=1&cb=1.12.clear.-.40.-'")
    builder.is_in("cb=1.12.clear.-.40.-")
    builder.root.get_by_role("checkbox", name="Memory").uncheck()
    expect(page).to_have_url(re.compile(r"#other=1&cb=1\.12\.clear\.-\.40\.memory$"))


@pytest.mark.parametrize(
    ("fragment", "named"),
    [
        ("cb=1.99.drop.-.6.task", "steps “99”"),
        ("cb=1.34.gone.-.6.task", "older steps “gone”"),
        ("cb=2.34.drop.-.6.task", "version “2”"),
        ("cb=%E0%A4%A", "version “%E0%A4%A”"),
        ("cb=1.34.drop.-.6.system", "part “system”"),
        ("cb=<b>1</b>", "version “<b>1</b>”"),
        ("cb=", "version"),
    ],
)
def test_a_malformed_link_is_answered_and_the_widget_lives(
    open_page: Open, site: str, fragment: str, named: str
) -> None:
    page = open_page(f"{site}/{CHAPTER}#{fragment}")
    builder = Builder(page)
    builder.is_in(FIRST)
    expect(builder.status).to_contain_text("The link's settings cannot be read")
    expect(builder.status).to_contain_text(named)
    builder.experiment(2).click()
    builder.is_in("cb=1.48.drop.-.6.task")
    expect(page).to_have_url(re.compile(r"#cb=1\.48\.drop\.-\.6\.task$"))


def test_a_link_of_others_is_left_alone(open_page: Open, site: str) -> None:
    page = open_page(f"{site}/{CHAPTER}#someone=else&cbx=9")
    builder = Builder(page)
    builder.is_in(FIRST)
    expect(builder.status).not_to_contain_text("cannot be read")


def test_a_link_to_a_heading_leaves_the_widget_as_it_is(open_page: Open, chapter: str) -> None:
    page = open_page(f"{chapter}#cb=1.12.clear.-.40.-")
    builder = Builder(page)
    page.evaluate("location.hash = 'the-parts-in-order'")
    page.evaluate("new Promise((done) => setTimeout(done, 100))")
    builder.is_in("cb=1.12.clear.-.40.-")
    builder.slider.press("ArrowRight")
    builder.is_in("cb=1.13.clear.-.40.-")
    page.go_back()
    builder.is_in("cb=1.12.clear.-.40.-")


def test_a_link_to_a_heading_keeps_what_the_address_says_of_the_widget(
    open_page: Open, chapter: str
) -> None:
    page = open_page(chapter)
    builder = Builder(page)
    title = page.get_by_role("heading", name="The parts, in order")
    link = (
        page.locator(".bd-sidebar-secondary, .bd-toc")
        .get_by_role("link")
        .filter(has_text="The parts, in order")
    )
    link.first.click()
    expect(title).to_be_in_viewport()
    expect(page).to_have_url(re.compile(r"#the-parts-in-order$"))
    builder.slider.press("ArrowRight")
    expect(page).to_have_url(re.compile(r"#cb=1\.35\.drop\.-\.6\.task$"))
    link.first.click()
    expect(title).to_be_in_viewport()
    expect(page).to_have_url(re.compile(r"#the-parts-in-order&cb=1\.35\.drop\.-\.6\.task$"))
    page.reload()
    builder.is_in("cb=1.35.drop.-.6.task")
    expect(title).to_be_in_viewport()


def test_items_of_others_in_the_address_stay_as_they_are_written(
    open_page: Open, chapter: str
) -> None:
    page = open_page(f"{chapter}#other=a%26b&cb=1.12.clear.-.40.-&more=%2525")
    builder = Builder(page)
    for k in (13, 14):
        builder.slider.press("ArrowRight")
        builder.is_in(f"cb=1.{k}.clear.-.40.-")
        expect(page).to_have_url(re.compile(rf"#other=a%26b&more=%2525&cb=1\.{k}\.clear"))


@pytest.mark.parametrize("typed", ["99", "-1", "3.5"])
def test_a_number_of_steps_that_cannot_be_is_refused(
    open_page: Open, bare: str, typed: str
) -> None:
    builder = Builder(open_page(bare))
    number = builder.root.get_by_role("spinbutton")
    number.fill(typed)
    expect(builder.status).to_contain_text(f"steps “{typed}”, expected a whole number")
    number.press("Tab")
    expect(number).not_to_have_value(typed)
    expect(builder.slider).to_have_value(number.input_value())


def test_a_number_that_is_refused_leaves_the_steps_as_they_were(open_page: Open, bare: str) -> None:
    builder = Builder(open_page(bare))
    number = builder.root.get_by_role("spinbutton")
    before = number.input_value()
    for typed in ("49", "3.5", "999999999999"):
        number.focus()
        builder.page.keyboard.press("Control+a")
        builder.page.keyboard.type(typed)
        expect(builder.status).to_contain_text(f"steps “{typed[:24]}”, expected a whole number")
        expect(number).to_have_value(typed)
        expect(builder.slider).to_have_value(before)
        number.press("Tab")
        expect(number).to_have_value(before)
    number.focus()
    builder.page.keyboard.press("Control+a")
    builder.page.keyboard.type("12")
    expect(builder.slider).to_have_value("12")


def test_the_exact_text_is_fetched_when_it_is_opened(open_page: Open, chapter: str) -> None:
    page = open_page(chapter)
    builder = Builder(page)
    script = CATALOGUE["texts"]["file"]
    asked = page.watch.requests  # type: ignore[attr-defined]
    assert not any(script in address for address in asked)
    whole = builder.folded("Exact text")
    whole.locator("> summary").click()
    user = whole.locator("details").filter(has=page.locator("> summary", has_text="User's message"))
    user.locator("> summary").click()
    expect(user.locator("pre")).to_have_text(texts()["user"])
    assert sum(script in address for address in asked) == 1
    user.get_by_role("button", name="Copy User's message").click()
    expect(user.locator(".cb-copy")).to_contain_text("copied")
    assert page.evaluate("navigator.clipboard.readText()") == texts()["user"]
    builder.row("may_edit").get_by_role("button").click()
    history = whole.locator("details").filter(has=page.locator("> summary", has_text="History"))
    history.locator("> summary").click()
    expect(history.locator("mark", has_text="tests/fixtures")).to_be_visible()
    pieces = history.locator(".cb-one-text:visible")
    count = pieces.count()
    builder.slider.focus()
    page.keyboard.press("ArrowLeft")
    expect(pieces).to_have_count(count - 3)


def test_texts_that_cannot_be_loaded_are_named(open_without: Open, site: str) -> None:
    script = CATALOGUE["texts"]["file"]
    page = open_without(f"{site}/{CHAPTER}", script)
    builder = Builder(page)
    whole = builder.folded("Exact text")
    whole.locator("> summary").click()
    expect(whole).to_contain_text(f"cannot be loaded from {script}")
    page.unroute_all()
    whole.locator("> summary").click()
    whole.locator("> summary").click()
    expect(whole.get_by_role("button", name="Copy the whole call")).to_be_visible()


def test_what_unfolds_holds_the_figures(open_page: Open, bare: str) -> None:
    builder = Builder(open_page(f"{bare}#cb=1.6.careful.-.6.task"))
    for title in ("Cost of this call", "Before and after", "Table"):
        builder.folded(title).locator("> summary").click()
    table = builder.folded("Table").locator("tbody tr")
    expect(table).to_have_count(len(CATALOGUE["parts"]) + 1)
    total = builder.root.locator(".cb-part.cb-sum .cb-tokens").inner_text()
    for title in ("Before and after", "Table"):
        expect(builder.folded(title).locator("tr.cb-sum")).to_contain_text(total)
    expect(builder.folded("Before and after")).to_contain_text("Steps 43–48, word for word")
    expect(builder.folded("Before and after")).to_contain_text("Summary of steps 1–42")
    expect(builder.folded("Cost of this call")).to_contain_text("prefix breaks in Summary")
    expect(builder.folded("Cost of this call").locator("tbody tr")).to_have_count(4)


def test_a_notebook_in_the_book_shows_the_widget(open_page: Open, site: str) -> None:
    builder = Builder(open_page(f"{site}/notebooks/01-build-a-context.html"))
    builder.is_in(FIRST)
    builder.row("may_edit").get_by_role("button", name="Send step 14 too").click()
    builder.is_in("cb=1.35.drop.-.6.task")


def test_every_control_has_a_name_and_keeps_labs_shortcuts_away(open_page: Open, bare: str) -> None:
    page = open_page(bare)
    builder = Builder(page)
    builder.folded("Exact text").locator("> summary").click()
    expect(builder.root.locator(".cb-texts")).to_be_visible()
    controls = builder.root.locator("button, input, select, summary, [tabindex='0']")
    assert controls.count() > 40
    bare_ones = controls.evaluate_all(
        "all => all.filter((one) => !one.dataset.lmSuppressShortcuts).map((one) => one.outerHTML)"
    )
    assert bare_ones == []
    assert len(PROBES) == 9


def test_a_screen_reader_is_told_once_it_is_quiet(open_page: Open, bare: str) -> None:
    page = open_page(bare)
    builder = Builder(page)
    spoken = builder.root.get_by_role("status")
    expect(spoken).to_contain_text("answers are right")
    page.evaluate("""() => { window.told = [];
      new MutationObserver(() => told.push(document.querySelector('[role=status]').textContent))
        .observe(document.querySelector('[role=status]'), { childList: true }) }""")
    builder.slider.focus()
    for _ in range(6):
        page.keyboard.press("ArrowRight")
    shown = builder.status.inner_text()
    expect(spoken).to_have_text(shown)
    assert page.evaluate("told.length") == 1
