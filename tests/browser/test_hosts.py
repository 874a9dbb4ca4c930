"""JupyterLab and Voila start offline, run a notebook and answer a control through the kernel."""

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.hosts import WAIT, in_lab, run_all


def test_lab_runs_a_notebook_offline(
    open_page: Callable[..., Page], lab: str, shot: Callable[..., Path]
) -> None:
    page = open_page(in_lab(lab, "doubling.ipynb"), height=700)
    run_all(page)
    doubles(page)
    expect(page.get_by_role("button", name="Open privacy policy")).to_have_count(0)
    shot(page, "lab-doubling")


def test_voila_runs_a_notebook_offline(
    open_page: Callable[..., Page], voila: str, shot: Callable[..., Path]
) -> None:
    page = open_page(f"{voila}/voila/render/doubling.ipynb", height=700)
    doubles(page)
    shot(page, "voila-doubling")


def test_voilas_other_pages_ask_no_other_host(open_page: Callable[..., Page], voila: str) -> None:
    page = open_page(f"{voila}/voila/render/nothing.ipynb", allowed=("404",))
    expect(page.get_by_text("404")).to_be_visible()


def doubles(page: Page) -> None:
    """Moves the notebook's slider by one and waits for the kernel's answer."""
    expect(page.get_by_text("doubled: 6")).to_be_visible(timeout=WAIT)
    page.locator(".noUi-handle").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text("doubled: 8")).to_be_visible(timeout=WAIT)
