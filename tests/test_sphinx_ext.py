"""The directive ``{context-builder}``: several on a page, its options, what is refused."""

import json
import re
from pathlib import Path

import pytest

from patch_agent.catalogue import load_catalogue
from tests.two_widgets import SECOND, build_page
from widgets.page import once, page_html


def test_a_page_holds_once_what_its_widgets_share(tmp_path: Path) -> None:
    run = build_page(tmp_path)
    assert run.returncode == 0, run.stderr
    html = (tmp_path / "html" / "index.html").read_text(encoding="utf-8")
    own = [
        json.loads(data)
        for data in re.findall(r'<script type="application/json">(.*?)</script>', html)
    ]
    assert [(one["key"], one["state"]) for one in own] == [("cb", ""), ("two", SECOND)]
    shared = re.findall(r'<script type="application/json" id="(.*?)">', html)
    assert shared == [own[0]["data"]] == [own[1]["data"]]
    assert html.count("--cb-part-history:") == 1
    assert html.count("page.patchWidgets = {") == 1
    assert "from step 15" in html and "from step 43" in html
    written = [file.name for file in (tmp_path / "html" / "_static").glob("text-*.js")]
    assert written == [load_catalogue()["texts"]["file"]], "that of the widget on the page alone"


@pytest.mark.parametrize(
    ("option", "says"),
    [
        (":key: a.b", "key: expected a letter, then letters, digits, - or _, got 'a.b'"),
        (":state: cb=1.6.shred.-.6.-", "older: expected one of drop, clear"),
        (":state: cb=1.49.drop.-.6.-", "steps 49, expected 0 to 48"),
        (":colour: red", "colour"),
    ],
)
def test_an_option_that_cannot_be_is_named(tmp_path: Path, option: str, says: str) -> None:
    run = build_page(tmp_path, f"# Page\n\n```{{context-builder}}\n{option}\n```\n")
    assert run.returncode != 0
    assert "index.md" in run.stderr and says in run.stderr


def test_a_page_keeps_what_differs() -> None:
    """Two catalogues on one page both stay; nothing but shared pieces is ever taken out."""
    catalogue = load_catalogue()
    one, other = page_html(catalogue), page_html({**catalogue, "threshold": 0.7}, key="other")
    assert once(one) == one
    assert once(one + one).count('application/json" id="patch-') == 1
    both = once(one + other)
    assert both.count('application/json" id="patch-') == 2
    assert len(set(re.findall(r'id="(patch-\w+)"', both))) == 2
    assert both.count("<style>") == 1
