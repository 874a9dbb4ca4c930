"""PolicyLab beside a kernel: in JupyterLab, whose shortcuts must not reach it, and in Voila."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser import hosts
from tests.browser.hosts import KEYS, WAIT
from tests.browser.lab_experiments import EXPERIMENTS
from tests.browser.lab_page import LAB, LabWidget
from tests.browser.watch import violations

OWN = """from patch_agent.triage.run import run_batch
from patch_agent.triage.settings import Settings

lab.add(run_batch(Settings("trim", 9, limit=30_000), limit=6))"""


@pytest.fixture(scope="module")
def notebook(notebooks: Path) -> str:
    """A notebook with the widget, and with a run of the learner's own."""
    source = "from widgets import PolicyLab\n\nlab = PolicyLab()\nlab"
    return hosts.write_notebook(notebooks / "lab.ipynb", source, OWN)


@pytest.mark.parametrize("host", ["in_lab", "in_voila"])
def test_the_experiments_work_beside_a_kernel(
    request: pytest.FixtureRequest, shot: Callable[..., Path], host: str
) -> None:
    """By keyboard alone; then a run of the learner's own, with its words, which Python sends."""
    page: Page = request.getfixturevalue(host)
    address = page.url
    widget = LabWidget(page, wait=WAIT)
    policies = widget.root.get_by_label("First policy", exact=True)
    own = policies.locator("option", has_text="trim-limit-30000")
    expect(own).to_have_count(1, timeout=WAIT)  # both cells have run
    widget.is_in(LAB["first"])
    for experiment in EXPERIMENTS:
        experiment(widget)
    policies.select_option("trim-limit-30000")
    expect(widget.status).to_contain_text("The only run with “trim-limit-30000” costs $0.01")
    pieces = widget.root.locator(".pl-pieces > li")
    expect(pieces.first).to_be_visible(timeout=WAIT)
    shot(page, f"lab-{host}")
    assert page.url == address
    assert violations(page, ".pl") == []


def test_labs_shortcuts_do_not_reach_the_controls(in_lab: Page) -> None:
    page = in_lab
    widget = LabWidget(page, wait=WAIT)
    cells = page.locator(".jp-Notebook .jp-Cell")
    expect(cells).to_have_count(2)
    widget.folded("This request, word for word").locator("> summary").click()
    expect(widget.root.locator(".pl-pieces > li").first).to_be_visible(timeout=WAIT)
    controls = widget.root.locator(
        "button, input, select, .cb-summary, .pl-pieces > li:first-child summary"
    )
    shown = [one for one in controls.all() if one.is_visible()]
    assert len(shown) > 15
    for control in shown:
        control.focus()
        for key in KEYS:
            page.keyboard.press(key)
    expect(cells).to_have_count(2)
    expect(page.locator(".jp-Notebook .jp-MarkdownCell")).to_have_count(0)
    expect(widget.root).to_be_visible()
