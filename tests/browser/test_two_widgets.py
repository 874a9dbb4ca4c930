"""Two widgets on one page: each works, has its own place in the link, and takes nothing twice."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from patch_agent.catalogue import load_catalogue, texts
from tests.browser.builder_page import CATALOGUE, Builder
from tests.browser.watch import violations
from tests.two_widgets import SECOND, build_page
from widgets.page import once, page_html

Open = Callable[..., Page]
FIRST = CATALOGUE["first"]
REPEATED = """() => { const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
  return ids.filter((id, index) => ids.indexOf(id) !== index); }"""


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a page that Sphinx made of two directives, as a file."""
    folder = tmp_path_factory.mktemp("two")
    run = build_page(folder)
    assert run.returncode == 0, run.stderr
    return (folder / "html" / "index.html").as_uri()


def both(page: Page) -> tuple[Builder, Builder]:
    one, other = page.locator(".cb").all()
    return Builder(page, within=one), Builder(page, within=other)


def test_both_work_and_each_has_its_own_link(open_page: Open, two: str) -> None:
    page = open_page(two)
    one, other = both(page)
    one.is_in(FIRST)
    other.is_in(SECOND)
    for builder, form in ((one, "left out"), (other, "summed up with care")):
        expect(builder.root.get_by_role("radio", name=form)).to_be_checked()
    one.row("may_edit").get_by_role("button", name="Send step 14 too").click()
    one.is_in("cb=1.35.drop.-.6.task")
    other.is_in(SECOND)
    other.root.get_by_role("radio", name="summed up carelessly").check()
    other.is_in("cb=1.6.careless.-.6.memory,task")
    one.is_in("cb=1.35.drop.-.6.task")
    link = re.compile(r"#cb=1\.35\.drop\.-\.6\.task&two=1\.6\.careless\.-\.6\.memory,task$")
    expect(page).to_have_url(link)
    one, other = both(open_page(page.url))
    one.is_in("cb=1.35.drop.-.6.task")
    other.is_in("cb=1.6.careless.-.6.memory,task")
    one.page.evaluate("location.hash = 'two=1.12.clear.-.40.-&cb=1.0.drop.-.6.task'")
    one.is_in("cb=1.0.drop.-.6.task")
    other.is_in("cb=1.12.clear.-.40.-")


def test_both_show_the_exact_text_which_is_fetched_once(open_page: Open, two: str) -> None:
    page = open_page(two)
    for builder in both(page):
        whole = builder.folded("Exact text")
        whole.locator("> summary").click()
        user = whole.locator("details").filter(
            has=page.locator("> summary", has_text="User's message")
        )
        user.locator("> summary").click()
        expect(user.locator("pre")).to_have_text(texts()["user"])
    asked = page.watch.requests  # type: ignore[attr-defined]
    assert sum(CATALOGUE["texts"]["file"] in address for address in asked) == 1
    assert sum(address.startswith("blob:") for address in asked) <= 1


def test_no_id_stands_twice_and_axe_has_no_objection(open_page: Open, two: str) -> None:
    page = open_page(two, height=1400)
    for builder in both(page):
        for fold in builder.root.locator(".cb-folded > details > summary").all():
            fold.click()
        expect(builder.root.locator(".cb-texts")).to_be_visible()
    assert page.evaluate(REPEATED) == []
    groups = page.locator("input[type=radio]").evaluate_all("all => all.map(({ name }) => name)")
    assert sorted(map(groups.count, set(groups))) == [4, 4]
    for within in page.locator(".cb").all():
        within.evaluate("one => { one.id = 'checked' }")
        assert violations(page, "#checked") == []
        within.evaluate("one => { one.removeAttribute('id') }")


def test_a_key_given_twice_is_numbered(open_page: Open, tmp_path: Path) -> None:
    """As when two cells of a notebook show the widget; here nothing is shared beforehand."""
    one = page_html(load_catalogue())
    for name, html in (("apart", one + one), ("once", once(one + one))):
        file = tmp_path / f"{name}.html"
        file.write_text(f'<!doctype html><html lang="en"><title>{name}</title><main>{html}</main>')
        page = open_page(f"{file.as_uri()}#cb-2=1.12.clear.-.6.-")
        first, second = both(page)
        first.is_in(FIRST)
        second.is_in("cb=1.12.clear.-.6.-")
        second.slider.press("ArrowRight")
        second.is_in("cb=1.13.clear.-.6.-")
        first.is_in(FIRST)
        expect(page).to_have_url(re.compile(r"#cb-2=1\.13\.clear\.-\.6\.-$"))
