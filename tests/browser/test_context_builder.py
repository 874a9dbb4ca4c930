"""The widget in a built page, as a learner uses it: by mouse and by keyboard, on http and file."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from patch_agent.catalogue import load_catalogue, text_script, texts
from tests.browser.builder_page import CATALOGUE, PROBES, Builder
from tests.browser.experiments import BY_KEYBOARD, BY_MOUSE, Experiment
from tests.browser.watch import violations
from widgets.page import page_html

Open = Callable[..., Page]
FIRST = "cb=1.34.drop.-.6.task"
CHAPTER = "book/context.html"
WIDTHS = (288, 688, 848, 1250)
LAID_OUT = "(one) => one.checkVisibility({ contentVisibilityAuto: true })"


@pytest.fixture(params=["http", "file"])
def chapter(request: pytest.FixtureRequest, site: str, site_folder: Path) -> str:
    """The address of the chapter's page, from a server and from a file."""
    return f"{site}/{CHAPTER}" if request.param == "http" else (site_folder / CHAPTER).as_uri()


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A page that holds only the widget, as wide as the window less 32 pixels."""
    folder = tmp_path_factory.mktemp("bare")
    page = folder / "index.html"
    page.write_text(
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Widget</title>'
        "<style>body { margin: 16px; font: 16px/1.6 system-ui; color-scheme: light dark;"
        " background: light-dark(#fff, #14181e); color: light-dark(#222, #ddd) }</style>"
        f"<main><h1>Widget</h1><h2>Alone</h2>{page_html(load_catalogue())}</main>"
    )
    name, script = text_script()
    (folder / "_static").mkdir()
    (folder / "_static" / name).write_text(script)
    return page.as_uri()


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


def test_a_number_that_is_refused_leaves_the_steps_as_they_were(
    open_page: Open, bare: str
) -> None:
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


def test_a_notebook_in_the_book_shows_the_widget(open_page: Open, site: str) -> None:
    builder = Builder(open_page(f"{site}/notebooks/01-build-a-context.html"))
    builder.is_in(FIRST)
    builder.row("may_edit").get_by_role("button", name="Send step 14 too").click()
    builder.is_in("cb=1.35.drop.-.6.task")


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


def test_motion_is_left_out_where_it_is_not_wanted(open_page: Open, bare: str) -> None:
    page = open_page(bare)
    page.emulate_media(reduced_motion="reduce")
    builder = Builder(page)
    builder.row("may_edit").get_by_role("button").click()
    quote = builder.row("may_edit").locator(".cb-quote").first
    assert quote.evaluate("one => getComputedStyle(one).animationName") == "none"
