"""Tables of the page: what a reader sees, and what a screen reader is told."""

import re

import pytest

from widgets.tables import Row, Table, difference, number, rich


def table(*rows: Row) -> str:
    return Table("Sizes, in tokens", ("part", "chapter", "measured"), rows).html()


def test_a_row_reads_as_its_name_then_its_figures_each_with_its_head() -> None:
    html = table(Row("history of `48` steps", (87_300, 86_915), "Real outputs.", total=True))
    assert '<th role="columnheader" scope="col" class="num">chapter</th>' in html
    assert "history of <code>48</code> steps</span><small>Real outputs.</small>" in html
    assert '<td role="cell" class="num" data-label="measured">86,915</td>' in html
    assert '<tr role="row" class="total">' in html


def test_every_tag_that_opens_closes() -> None:
    html = table(Row("a", (1, "words")), Row("b", ("86%", "equal"), note="why"))
    for name in set(re.findall(r"<(\w+)", html)):
        assert len(re.findall(rf"<{name}\b", html)) == html.count(f"</{name}>"), name


def test_text_from_data_stays_text() -> None:
    html = table(Row('<script>"&', ("<b>", "`<i>`"), note="<img src=x>"))
    assert "<script" not in html and "<b>" not in html and "<i>" not in html and "<img" not in html
    assert rich("`a<b`") == "<code>a&lt;b</code>"


def test_a_row_without_a_cell_for_each_head_is_refused() -> None:
    with pytest.raises(ValueError, match=r"row 'history': expected 2 cells, got \(1,\)"):
        table(Row("history", (1,)))


def test_differences_are_shares_of_the_stated_figure() -> None:
    assert difference(96_760, 96_760) == "equal"
    assert difference(110, 100) == "+10.0%"
    assert difference(99, 100) == "−1.0%"
    assert number(-1_234) == "−1,234"
