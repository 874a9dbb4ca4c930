"""A widget as a tester sees it: what all widgets have."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect


class Widget:
    """One widget on a page, once it is drawn."""

    def __init__(self, page: Page, root: Locator, wait: float) -> None:
        self.page, self.root = page, root
        expect(root).to_be_visible(timeout=wait)

    @property
    def status(self) -> Locator:
        return self.root.locator(".cb-status")

    @property
    def slider(self) -> Locator:
        return self.root.get_by_role("slider")

    def experiment(self, number: int) -> Locator:
        return self.root.locator(".cb-experiments button").nth(number - 1)

    def folded(self, title: str) -> Locator:
        return self.root.locator(".cb-folded > details").filter(
            has=self.page.locator(f"> summary .cb-summary-title:text-is('{title}')")
        )
