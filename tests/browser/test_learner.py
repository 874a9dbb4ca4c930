"""A builder of the learner's own in JupyterLab and Voila: whatever it does, the widget lives on.

The notebook's builder does something wrong for each of the first numbers of recent steps, and is
a good one for all others.
"""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser import hosts
from tests.browser.builder_page import Builder
from tests.browser.hosts import WAIT, run_all
from tests.browser.watch import violations

Open = Callable[..., Page]
NOTEBOOK = "learner.ipynb"
LAST = "the last good call is shown."
CASES = {
    1: (r"Your build raised IndexError at line 2 of raises\(\): tuple index out of range; ", ()),
    2: (r"Your call cannot be sent, for \d+ reasons\. part files: files stands after user; ",
        ("part ",)),
    3: (r"Your call cannot be sent\. part memory: [\d,]+ tokens over the budget of 112,000; ", ()),
    4: (r"Your build returned nothing \(None\)\. It has to return a request", ()),
    5: (r"Your call cannot be sent\. message \d+: call 'call_\d+' has no result; ", ()),
    6: (r"Your build edited what it was given: message 12\. Make a new value instead; ", ()),
    7: (r"Your build printed more than 10,000 characters and was stopped at line 3 of prints\(\); ",
        ("Your build printed:", "again and again")),
    8: (r"Your build stopped after 1 s at line [67] of endless\(\); ", ()),
    9: (r"Your build did not end after 1 s at line 1[3-5] of stubborn\(\) and cannot be", ()),
}  # fmt: skip


def choose(builder: Builder, steps: int) -> None:
    builder.root.get_by_role("spinbutton").fill(str(steps))


def status(builder: Builder) -> Locator:
    return builder.root.locator(".cb-status")


def total(builder: Builder) -> str:
    return builder.root.locator(".cb-part.cb-sum .cb-tokens").inner_text()


@pytest.mark.parametrize("host", ["lab", "voila"])
def test_the_widget_lives_on_whatever_the_builder_does(
    request: pytest.FixtureRequest, open_page: Open, shot: Callable[..., Path], host: str
) -> None:
    address: str = request.getfixturevalue(host)
    if host == "lab":
        page = open_page(hosts.in_lab(address, NOTEBOOK), height=900)
        run_all(page)
    else:
        page = open_page(f"{address}/voila/render/{NOTEBOOK}", height=900)
    builder = Builder(page, wait=WAIT)
    expect(status(builder)).to_contain_text("6 of 9 answers are right.")
    sizes = {34: total(builder)}
    for number, (words, lines) in CASES.items():
        good = 20 + number
        choose(builder, number)
        expect(status(builder)).to_have_text(re.compile(f"^{words}.*{LAST}$"))
        for line in lines:
            expect(builder.root.locator(".cb-own")).to_contain_text(line)
        assert total(builder) == next(reversed(sizes.values())), "the last good call is shown"
        if number in (2, 7):
            shot(page, f"learner-{host}-{number}")
        choose(builder, good)
        expect(status(builder)).to_have_text(re.compile(r"changed.* [\d,]+ tokens, \d+%\.$"))
        expect(builder.root.locator(".cb-own")).to_be_hidden()
        expect(builder.root.get_by_role("spinbutton")).to_be_focused()
        sizes[good] = total(builder)
    assert len(set(sizes.values())) == len(sizes)
    keeps_the_focus(builder)
    assert violations(page, ".cb") == []


def keeps_the_focus(builder: Builder) -> None:
    """A part is switched by keyboard: the call is made anew, and the box keeps the focus."""
    before = total(builder)
    box = builder.root.get_by_role("checkbox", name="Memory")
    box.press("Space")
    expect(builder.root.locator(".cb-part.cb-sum .cb-tokens")).not_to_have_text(before)
    expect(builder.root.get_by_role("checkbox", name="Memory")).to_be_focused()
    builder.folded("Exact text").locator("> summary").click()
    texts = builder.root.locator(".cb-texts")
    history = texts.locator("details").filter(has_text="History")
    history.locator("> summary").click()
    expect(history.locator("pre").first).to_contain_text("read_file {")
