"""How heavy the chapter page is, how soon it is there, and how soon the widget answers a press."""

from collections.abc import Callable, Iterator
from functools import partial
from statistics import median
from time import sleep

import pytest
from playwright.sync_api import Browser, Locator, Page

from tests.benchmarks.conftest import Say, percentile_95
from tests.browser.builder_page import Builder
from tests.test_site import LIMIT

PAGE = "book/context.html"
LOADED = """() => {
  const [page] = performance.getEntriesByType("navigation");
  const files = [page, ...performance.getEntriesByType("resource")];
  return {
    bytes: files.reduce((sum, file) => sum + file.encodedBodySize, 0),
    files: files.length,
    paint: performance.getEntriesByName("first-contentful-paint")[0].startTime,
    done: page.loadEventEnd,
  };
}"""
# From the input event's own time until the frame after it is made, before any other task has its
# turn. A key counts from when it went down. A press that changes nothing leaves no time behind:
# each begins anew.
WATCH_PRESSES = """() => {
  const taken = globalThis.taken = [];
  globalThis.began = 0;
  const done = () => { taken.push(performance.now() - began); began = 0; };
  for (const kind of ["keydown", "click", "input"])
    addEventListener(kind, (event) => { began ||= event.timeStamp; }, { capture: true });
  const root = document.querySelector(".cb-root");
  new MutationObserver(() => requestAnimationFrame(
    () => scheduler.postTask(done, { priority: "user-blocking" })))
    .observe(root, { attributeFilter: ["data-state"] });
}"""
# At the control, the page is drawn and has nothing left to do.
STILL = """() => new Promise((done) => requestAnimationFrame(
  () => requestAnimationFrame(() => requestIdleCallback(done))))"""
# What a press takes where a page holds nothing but what is pressed.
EMPTY = """<!doctype html><html lang="en"><title>Empty</title>
<main class="cb-root" data-state="false"><input type="checkbox"> <output>false</output></main>
<script>document.querySelector("input").addEventListener("change", (event) => {
  const root = document.querySelector("main");
  root.dataset.state = root.lastElementChild.textContent = event.target.checked;
});</script>"""
PAGES = 3
UNTOUCHED = 0.2
"""Seconds before and after a press in which the page is not asked anything: its answer, and what is
thrown away behind it, would be in the way of the frame."""
HELD = 80
"""Milliseconds that a finger stays on a button or key: what it changes when it comes down is drawn
by the time that it comes up."""
# The first frame in which the answer about the fixtures is right.
WATCH_FIRST_FLIP = """
  const look = () => {
    const flipped = document.querySelector(".cb-root[data-state='cb=1.35.drop.-.6.task']");
    if (!flipped) return requestAnimationFrame(look);
    const [paint] = performance.getEntriesByName("first-contentful-paint");
    globalThis.flip = performance.now() - paint.startTime;
  };
  requestAnimationFrame(look);
"""


def slow_down(page: Page, times: int) -> None:
    """Makes the page's processor so many times slower."""
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": times})


@pytest.fixture
def new_page(browser: Browser) -> Iterator[Callable[[], Page]]:
    """Makes a page of somebody who has never been here: nothing is in a cache."""
    contexts = []

    def make() -> Page:
        contexts.append(browser.new_context(viewport={"width": 1280, "height": 800}))
        return contexts[-1].new_page()

    yield make
    for context in contexts:
        context.close()


@pytest.mark.parametrize("slower", [1, 4])
def test_the_chapter_page(new_page: Callable[[], Page], site: str, say: Say, slower: int) -> None:
    page = new_page()
    slow_down(page, slower)
    page.goto(f"{site}/{PAGE}", wait_until="load")
    page.wait_for_function("performance.getEntriesByName('first-contentful-paint').length")
    found = page.evaluate(LOADED)
    if slower == 1:
        say(f"chapter page, {found['files']} files", found["bytes"] / 1024, "KB", LIMIT / 1024)
    say(f"chapter page, CPU {slower}x slower: first paint", found["paint"], "ms")
    say(f"chapter page, CPU {slower}x slower: loaded", found["done"], "ms")


@pytest.mark.parametrize("slower", [1, 4])
def test_the_first_press(new_page: Callable[[], Page], site: str, say: Say, slower: int) -> None:
    """From the first paint to the frame with the flipped answer, pressed as soon as it can be."""
    taken = []
    for _ in range(5):
        page = new_page()
        page.add_init_script(WATCH_FIRST_FLIP)
        slow_down(page, slower)
        page.goto(f"{site}/{PAGE}", wait_until="commit")
        page.get_by_role("button", name="Send step 14 too").click()
        page.wait_for_function("globalThis.flip")
        taken.append(page.evaluate("flip"))
    bound = 1_000 if slower == 1 else None
    say(f"first answer flipped after first paint, CPU {slower}x slower", max(taken), "ms", bound)


@pytest.mark.parametrize("opened", [False, True], ids=["closed", "opened"])
def test_every_control(new_page: Callable[[], Page], site: str, say: Say, opened: bool) -> None:
    """Presses of all controls on several pages, the CPU slowed down four times; then with all
    details open."""
    how = "CPU 4x slower, all details open" if opened else "CPU 4x slower"
    starts: list[float] = []
    toggles: list[float] = []
    for _ in range(PAGES):
        page = new_page()
        page.goto(f"{site}/{PAGE}")
        builder = Builder(page)
        for title in builder.root.locator(".cb-folded > details > summary").all() if opened else ():
            title.click()
        page.evaluate(WATCH_PRESSES)
        slow_down(page, 4)
        starts += filter(None, (took(builder.root, *one) for one in experiments(builder) * 2))
        toggles += filter(None, (took(builder.root, *one) for one in controls(builder)))
        page.close()
    number = f"{len(toggles)} of them"
    say(f"an experiment's start, {how}: longest of {len(starts)}", max(starts), "ms")
    say(f"a toggle, {how}, {number}: median", median(toggles), "ms")
    say(f"a toggle, {how}, {number}: 95th perc.", percentile_95(toggles), "ms", 50)


def test_a_control_of_an_empty_page(new_page: Callable[[], Page], say: Say) -> None:
    """Below this no page can come: the input's way into the page and out of it."""
    page = new_page()
    page.set_content(EMPTY)
    page.evaluate(WATCH_PRESSES)
    slow_down(page, 4)
    box = page.get_by_role("checkbox")
    effects = [took(page.locator("main"), box, partial(press, box)) for _ in range(60)]
    presses = [ms for ms in effects if ms is not None]
    say("a checkbox of an empty page, CPU 4x slower: median", median(presses), "ms")
    say("a checkbox of an empty page, CPU 4x slower: 95th perc.", percentile_95(presses), "ms")


Press = tuple[Locator, Callable[[], object]]


def press(control: Locator) -> None:
    """Presses a control with the mouse alone: `Locator.click` has scripts of its own answer the
    page's events, which are no part of the page."""
    box = control.bounding_box()
    assert box
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    control.page.mouse.click(*middle, delay=HELD)


def took(root: Locator, control: Locator, act: Callable[[], object]) -> float | None:
    """The milliseconds from a press to its frame; None where it changes nothing."""
    page = root.page
    control.scroll_into_view_if_needed()
    control.focus()
    before = page.evaluate("() => { began = 0; return taken.length; }")
    state = root.get_attribute("data-state")
    page.evaluate(STILL)
    sleep(UNTOUCHED)
    act()
    sleep(UNTOUCHED)
    if root.get_attribute("data-state") == state:
        return None
    page.wait_for_function(f"taken.length > {before}")
    return float(page.evaluate("taken.at(-1)"))


def experiments(builder: Builder) -> list[Press]:
    """The four buttons that start an experiment."""
    buttons = [builder.experiment(number) for number in (1, 2, 3, 4)]
    return [(button, partial(press, button)) for button in buttons]


def controls(builder: Builder) -> list[Press]:
    """Slider, forms, tools, a second form, parts: each several times."""
    root, slider = builder.root, builder.slider
    type_key = partial(builder.page.keyboard.press, delay=HELD)
    keys = ["ArrowLeft"] * 3 + ["Home"] + ["ArrowRight"] * 20
    made: list[Press] = [(slider, partial(type_key, key)) for key in keys]
    for select in root.locator("select").all():
        further = ["ArrowDown"] * (select.locator("option").count() - 1)
        made += [(select, partial(type_key, key)) for key in [*further, "Home"]]
    pressed = root.get_by_role("radio").all()
    pressed += [box for box in root.get_by_role("checkbox").all() for _ in range(2)]
    made += [(one, partial(press, one)) for one in pressed]
    made += [(slider, partial(type_key, "ArrowRight"))] * 20
    return made
