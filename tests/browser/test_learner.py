"""The learner's own code in JupyterLab and Voila: whatever it does, the widgets live on.

The notebook's builder does something wrong for each of the first numbers of recent steps, and is
a good one for all others. Its policies are run by buttons.
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


POLICIES = {
    "nothing": r"request 1\. Your build returned nothing",
    "raises": r"request 1\. Your build raised IndexError at line 2: tuple index out of range",
    "loses": r"request 1\. Your call cannot be sent\. request: pinned text is not sent",
    "results": r"request 2\. Your call cannot be sent.* has no result",
    "turns": r"request 2\. Your call cannot be sent, for 4 reasons\. message 2: call 'call_1' ",
    "oversized": r"request 1\. Your call cannot be sent\. part memory: [\d,]+ tokens over the ",
    "edits": r"request 1\. Your build edited what it was given: message 0",
    "prints": r"request 1\. Your build printed more than .* at line 3; .* printed: once more once",
    "endless": r"request 1\. Your build stopped after 1 s at line [78]",
    "stubborn": r"request 1\. Your build did not end after 1 s at line 1[3-5] of stubborn\(\)",
}


def choose(builder: Builder, steps: int) -> None:
    builder.root.get_by_role("spinbutton").fill(str(steps))


def status(builder: Builder) -> Locator:
    return builder.root.locator(".cb-status")


def total(builder: Builder) -> str:
    return builder.root.locator(".cb-part.cb-sum .cb-tokens").text_content() or ""


@pytest.mark.parametrize("host", ["lab", "voila"])
def test_the_widgets_live_on_whatever_the_code_does(
    request: pytest.FixtureRequest, open_page: Open, shot: Callable[..., Path], host: str
) -> None:
    address: str = request.getfixturevalue(host)
    if host == "lab":
        page = open_page(hosts.in_lab(address, NOTEBOOK), height=900)
        run_all(page)
    else:
        page = open_page(f"{address}/voila/render/{NOTEBOOK}", height=900)
    own_policies(page)
    shot(page, f"learner-{host}-lab")
    own_builder(page, host, shot)


def own_policies(page: Page) -> None:
    lab = page.locator(".pl .cb-root[data-state]")
    notice = lab.locator(".pl-notice")
    picker = lab.get_by_label("Policy beside it", exact=True)
    expect(picker).to_have_value("mine", timeout=WAIT)
    expect(notice).to_be_hidden()
    for name, words in POLICIES.items():
        page.get_by_role("button", name=f"run {name}").click()
        expect(notice).to_have_text(re.compile(f"^Your policy “mine”, seed 1, {words}"))
        expect(notice).to_contain_text("its last good runs are shown.")
        expect(picker).to_have_value("mine")
    page.get_by_role("button", name="run good").click()
    expect(notice).to_be_hidden()
    assert violations(page, ".pl") == []


def own_builder(page: Page, host: str, shot: Callable[..., Path]) -> None:
    builder = Builder(page, wait=WAIT, within=page.locator(".cb:not(.pl)"))
    builder.root.scroll_into_view_if_needed()
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
    assert violations(page, ".cb:not(.pl)") == []


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
