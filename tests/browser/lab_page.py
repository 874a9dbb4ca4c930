"""The widget PolicyLab as a tester sees it: what it shows, and its controls."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Locator, Page, expect

from patch_agent.triage.lab_data import load_lab
from tests.browser.builder_page import tab_to
from tests.browser.widget_page import Widget

LAB: dict[str, Any] = load_lab()


def run_of(policy: str, seed: int) -> dict[str, Any]:
    """A recorded run."""
    curves: list[dict[str, Any]] = LAB["curves"]
    return next(one for one in curves if (one["policy"], one["seed"]) == (policy, seed))


def totals(curve: dict[str, Any]) -> list[int]:
    """Tokens of each request of a run."""
    return [sum(sizes) for sizes in zip(*curve["regions"].values(), strict=True)]


class LabWidget(Widget):
    """A PolicyLab."""

    def __init__(self, page: Page, wait: float = 10_000) -> None:
        super().__init__(page, page.locator(".pl .cb-root[data-state]"), wait)

    def said(self, which: int) -> Locator:
        return self.root.locator(".pl-said > p").nth(which)

    def press(self, target: Locator, *keys: str) -> None:
        """Tabs to a control and presses keys on it."""
        tab_to(self.page, target)
        for key in keys:
            self.page.keyboard.press(key)

    def is_in(self, state: str) -> None:
        """Waits for a state; what is said of its request must be what was recorded."""
        expect(self.root).to_have_attribute("data-state", state)
        _, *choices, request, _ = state.removeprefix("pl=").split(".")
        for which, choice in enumerate(one for one in choices if one != "-"):
            policy, _, seed = choice.partition(":")
            run = run_of(policy, LAB["typical"] if seed == "all" else int(seed))
            sizes, place = totals(run), int(request) - 1
            if place >= len(sizes):
                expect(self.said(which)).to_contain_text(f"ended after {len(sizes)} requests")
                continue
            cached = f"{run['read'][place] / sizes[place]:.0%} from the cache"
            expect(self.said(which)).to_contain_text(f"{sizes[place]:,} tokens, {cached}")
            broken = any(one["request"] == place + 1 for one in run["breaks"])
            marked = "yes" if broken else "no"
            expect(self.said(which)).to_have_attribute("data-broken", marked)
