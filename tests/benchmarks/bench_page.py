"""How heavy the chapter page is and how soon it is there, in Chromium with the CPU slowed."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

MEASURE = """() => {
  const [page] = performance.getEntriesByType("navigation");
  const files = [page, ...performance.getEntriesByType("resource")];
  return {
    bytes: files.reduce((sum, file) => sum + file.encodedBodySize, 0),
    files: files.length,
    paint: performance.getEntriesByName("first-contentful-paint")[0].startTime,
    ready: page.domContentLoadedEventEnd,
    done: page.loadEventEnd,
  };
}"""


@pytest.mark.parametrize("slower", [1, 4])
def test_the_chapter_page(
    open_page: Callable[..., Page], site: str, say: Callable[[str], None], slower: int
) -> None:
    page = open_page("about:blank")
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": slower})
    page.goto(f"{site}/book/context.html", wait_until="load")
    page.wait_for_function("performance.getEntriesByName('first-contentful-paint').length")
    figures = page.evaluate(MEASURE)
    say(
        f"chapter page, CPU {slower}x slower: "
        f"{figures['bytes']:,} bytes in {figures['files']} files; "
        f"first paint {figures['paint']:.0f} ms, scripts run {figures['ready']:.0f} ms, "
        f"loaded {figures['done']:.0f} ms"
    )
