"""The widget ContextBuilder as a tester sees it: what it shows, and its controls."""

from __future__ import annotations

import json
from typing import Any

from playwright.sync_api import Locator, Page, expect

from patch_agent.catalogue import load_catalogue
from tests.browser.widget_page import Widget
from tests.test_widget import views

CATALOGUE: dict[str, Any] = load_catalogue()
PROBES = [probe["id"] for probe in CATALOGUE["probes"]]

# The key that leads from what has the focus to a control; "" where the control has it.
WAY = """(target) => {
  const now = document.activeElement;
  if (now === target) return "";
  const before = now.compareDocumentPosition(target) & Node.DOCUMENT_POSITION_PRECEDING;
  return before ? "Shift+Tab" : "Tab";
}"""


class Builder(Widget):
    """A ContextBuilder."""

    def __init__(self, page: Page, wait: float = 10_000, within: Locator | None = None) -> None:
        super().__init__(page, (within or page).locator(".cb-root[data-state]"), wait)

    @property
    def verdicts(self) -> dict[str, str]:
        """What each probe's first answer is judged to be."""
        return self._judged(".cb-cell:first-of-type")

    @property
    def beside(self) -> dict[str, str]:
        """What each probe's answer in the second form is judged to be, while two are compared."""
        return self._judged(".cb-cell ~ .cb-cell:visible")

    def _judged(self, cells: str) -> dict[str, str]:
        found = self.root.locator(cells).evaluate_all(
            "all => all.map((one) => one.dataset.verdict)"
        )
        return dict(zip(PROBES, found, strict=True))

    @property
    def offers(self) -> Locator:
        return self.root.locator(".cb-offer:visible")

    def row(self, probe: str) -> Locator:
        return self.root.locator(".cb-answer").nth(PROBES.index(probe))

    def is_in(self, fragment: str) -> None:
        """Waits until the widget is in a state; what it shows must be what the state composes."""
        expect(self.root).to_have_attribute("data-state", fragment)
        view = views(CATALOGUE, [fragment])[0]
        total = f"{view['total']:,}"
        expect(self.root.locator(".cb-part.cb-sum .cb-tokens")).to_have_text(total)
        expect(self.root.locator(".cb-bar-size")).to_contain_text(f"{total} of 112,000")
        judged = {answer["id"]: answer["verdict"] for answer in view["answers"]}
        assert self.verdicts == (judged or dict.fromkeys(PROBES, "refused"))

    def drag_slider(self, k: int) -> None:
        """Drags the slider's thumb with the mouse to a number of steps."""
        self.slider.scroll_into_view_if_needed()
        box = self.slider.bounding_box()
        assert box
        now = int(self.slider.input_value())
        steps, thumb = CATALOGUE["session"]["steps"], 16

        def place(value: float) -> float:
            return box["x"] + thumb / 2 + (box["width"] - thumb) * value / steps

        height = box["y"] + box["height"] / 2
        self.page.mouse.move(place(now), height)
        self.page.mouse.down()
        self.page.mouse.move(place(k), height, steps=8)
        self.page.mouse.up()
        assert self.slider.input_value() == str(k)


def tab_to(page: Page, target: Locator, limit: int = 200) -> None:
    """Presses Tab until a control has the focus, as somebody without a mouse would.

    Where the control stands before what has the focus, it is Shift+Tab: no key then leads out of
    the widget into a notebook's cell, which keeps Tab for itself.
    """
    handle = target.element_handle()
    for _ in range(limit):
        way = page.evaluate(WAY, handle)
        if not way:
            return
        page.keyboard.press(way)
    raise AssertionError(f"Tab does not reach {json.dumps(str(target))}")
