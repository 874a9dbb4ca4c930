"""The widget beside a kernel: in JupyterLab, whose shortcuts must not reach it, and in Voila."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from patch_agent.catalogue import texts
from tests.browser import hosts
from tests.browser.builder_page import Builder
from tests.browser.experiments import BY_KEYBOARD, BY_MOUSE, flips, press
from tests.browser.hosts import KEYS, WAIT
from tests.browser.watch import violations


@pytest.fixture(scope="module")
def notebook(notebooks: Path) -> str:
    """A notebook with the widget alone."""
    source = "from widgets import ContextBuilder\n\nbuilder = ContextBuilder()\nbuilder"
    return hosts.write_notebook(notebooks / "builder.ipynb", source, "print(builder.state)")


@pytest.mark.parametrize("how", ["mouse", "keyboard"])
@pytest.mark.parametrize("host", ["in_lab", "in_voila"])
def test_the_experiments_work_beside_a_kernel(
    request: pytest.FixtureRequest, shot: Callable[..., Path], host: str, how: str
) -> None:
    page: Page = request.getfixturevalue(host)
    address = page.url
    builder = Builder(page, wait=WAIT)
    builder.is_in("cb=1.34.drop.-.6.task")
    shot(page, f"builder-{host}")
    offer = builder.row("may_edit").get_by_role("button", name="Send step 14 too")
    take = offer.click if how == "mouse" else partial(press, builder, offer, "Enter")
    assert flips(builder, take, "cb=1.35.drop.-.6.task") == {"may_edit": ("wrong", "right")}
    for experiment in BY_MOUSE if how == "mouse" else BY_KEYBOARD:
        experiment(builder)
    builder.experiment(3).click()
    builder.is_in("cb=1.6.careful.careless.6.task")
    shot(page, f"builder-{host}-compared")
    assert page.url == address
    assert "text/html" not in page.content() or host == "in_lab"
    assert violations(page, ".cb") == []
    if host == "in_lab":
        expect(page.locator(".jp-Notebook .jp-Cell")).to_have_count(2)


@pytest.mark.parametrize("host", ["in_lab", "in_voila"])
def test_the_exact_text_comes_from_python(request: pytest.FixtureRequest, host: str) -> None:
    page: Page = request.getfixturevalue(host)
    builder = Builder(page, wait=WAIT)
    whole = builder.folded("Exact text")
    whole.locator("> summary").click()
    user = whole.locator("details").filter(has=page.locator("> summary", has_text="User's message"))
    user.locator("> summary").click()
    expect(user.locator("pre")).to_have_text(texts()["user"])


def test_labs_shortcuts_do_not_reach_the_controls(in_lab: Page) -> None:
    page = in_lab
    builder = Builder(page, wait=WAIT)
    cells = page.locator(".jp-Notebook .jp-Cell")
    expect(cells).to_have_count(2)
    whole = builder.folded("Exact text")
    whole.locator("> summary").click()
    expect(whole.locator(".cb-texts")).to_be_visible()
    controls = builder.root.locator("button, input, select, summary, [tabindex='0']")
    shown = [one for one in controls.all() if one.is_visible()]
    assert len(shown) > 25
    for control in shown:
        control.focus()
        for key in KEYS:
            page.keyboard.press(key)
    expect(cells).to_have_count(2)
    expect(page.locator(".jp-Notebook .jp-MarkdownCell")).to_have_count(0)
    expect(builder.root).to_be_visible()


def test_the_kernel_knows_the_state_and_sets_it(in_lab: Page) -> None:
    page = in_lab
    builder = Builder(page, wait=WAIT)
    builder.experiment(3).click()
    builder.is_in("cb=1.6.careful.careless.6.task")
    last = page.locator(".jp-Notebook .jp-Cell").nth(1)
    last.locator(".cm-content").click()
    page.keyboard.press("Shift+Enter")
    expect(last.locator(".jp-OutputArea-output")).to_contain_text("cb=1.6.careful.careless.6.task")
    last.locator(".cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.type("builder.state = 'cb=1.12.clear.-.40.-'")
    page.keyboard.press("Shift+Enter")
    builder.is_in("cb=1.12.clear.-.40.-")
    last.locator(".cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.type("builder.state = 'cb=1.99.clear.-.40.-'")
    page.keyboard.press("Shift+Enter")
    expect(builder.status).to_contain_text("steps “99”")
    builder.is_in("cb=1.34.drop.-.6.task")
