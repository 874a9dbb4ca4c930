"""The pages around the widget: no error, no other host, readable by all, at three widths."""

import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser.watch import violations
from tests.site_files import loaded

PAGES = {
    "intro": "book/intro.html",
    "context": "book/context.html",
    "policies": "book/policies.html",
    "search": "search.html",
}
WIDTHS = (320, 768, 1280)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_and_is_accessible(
    open_page: Callable[..., Page],
    site: str,
    shot: Callable[..., Path],
    name: str,
    width: int,
    dark: bool,
) -> None:
    page = open_page(f"{site}/{PAGES[name]}", width=width, dark=dark)
    expect(page.locator("html")).to_have_attribute("data-theme", "dark" if dark else "light")
    shot(page, f"page-{name}-{width}-{'dark' if dark else 'light'}")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert violations(page, "html") == []


def test_what_is_weighed_is_all_that_is_loaded(
    open_page: Callable[..., Page], site: str, site_folder: Path
) -> None:
    """The byte budget of tests/test_site.py counts files without a browser: it must miss none."""
    page = open_page(f"{site}/book/context.html")
    page.wait_for_load_state("networkidle")
    asked = {urlsplit(url) for url in page.watch.requests}  # type: ignore[attr-defined]
    files = {site_folder / url.path.lstrip("/") for url in asked if url.scheme == "http"}
    assert len(files) > 10
    assert files - loaded(site_folder / "book" / "context.html") == set()


def test_the_site_opens_from_a_file(open_page: Callable[..., Page], site_folder: Path) -> None:
    page = open_page((site_folder / "index.html").as_uri())
    page.wait_for_url("**/intro.html")
    page.get_by_role("link", name="Start the chapter").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("The context of one call")


def test_the_menu_opens_on_a_phone(
    open_page: Callable[..., Page], site: str, shot: Callable[..., Path]
) -> None:
    page = open_page(f"{site}/book/context.html", width=320)
    page.locator(".bd-header-article .primary-toggle").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    expect(page.get_by_role("dialog").get_by_role("link", name="The context of")).to_be_visible()
    shot(page, "page-menu-320")
    assert violations(page, "html") == []


def test_the_colour_mode_goes_round(open_page: Callable[..., Page], site: str) -> None:
    page = open_page(f"{site}/book/context.html")
    seen = []
    for _ in range(3):
        seen.append(page.locator("html").get_attribute("data-mode"))
        page.get_by_role("button", name="Color mode").click()
    assert sorted(seen) == ["auto", "dark", "light"]


def test_search_finds_the_chapter(open_page: Callable[..., Page], site: str) -> None:
    page = open_page(f"{site}/book/intro.html")
    page.wait_for_load_state("load")
    page.keyboard.press("Control+k")
    page.get_by_role("searchbox").fill("training")
    page.keyboard.press("Enter")
    found = page.locator("#search-results").get_by_role("link", name=re.compile("context", re.I))
    expect(found.first).to_be_visible()


@pytest.mark.parametrize("width", [320, 1280])
def test_every_icon_is_drawn(open_page: Callable[..., Page], site: str, width: int) -> None:
    """An icon that is a mask without a picture is a full square or nothing: count its pixels."""
    page = open_page(f"{site}/book/context.html", width=width)
    icons = page.locator("[class*='fa-']:visible")
    assert icons.count() >= 3
    for number in range(icons.count()):
        icon = icons.nth(number)
        share = ink(icon.screenshot(), page)
        assert 0.03 < share < 0.75, (icon.get_attribute("class"), share)


def ink(png: bytes, page: Page) -> float:
    """The share of a picture's pixels that differ clearly from its corner's."""
    return page.evaluate(
        """async (bytes) => {
          const picture = await createImageBitmap(new Blob([new Uint8Array(bytes)]));
          const canvas = new OffscreenCanvas(picture.width, picture.height);
          const brush = canvas.getContext("2d");
          brush.drawImage(picture, 0, 0);
          const { data } = brush.getImageData(0, 0, picture.width, picture.height);
          let differ = 0;
          for (let i = 0; i < data.length; i += 4)
            differ += Math.abs(data[i] - data[0]) + Math.abs(data[i + 1] - data[1]) > 60 ? 1 : 0;
          return differ / (data.length / 4);
        }""",
        list(png),
    )


def test_a_dark_page_is_printed_light(open_page: Callable[..., Page], site: str) -> None:
    page = open_page(f"{site}/book/context.html", dark=True)
    body, texts = page.locator("body"), page.locator("main :is(h1, p, .cb-title, .cb-sub)")
    ground = "(one) => getComputedStyle(one).backgroundColor"
    colours = "(all) => all.map((one) => getComputedStyle(one).color)"
    assert body.evaluate(ground) != "rgb(255, 255, 255)"
    page.emulate_media(media="print")
    assert body.evaluate(ground) == "rgb(255, 255, 255)"
    for colour in set(texts.evaluate_all(colours)):
        assert sum(int(value) for value in re.findall(r"\d+", colour)[:3]) < 3 * 128, colour
