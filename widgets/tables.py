"""Tables as HTML: figures that line up, and rows that fold where a page is narrow.

Cells are plain values: whole numbers get thousands separators, texts are escaped and may hold
`code` in backticks. What it leaves out: sorting, links, anything that needs a script. The looks
are in `book/_static/chapter.css`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

Cell = str | int


@dataclass(frozen=True, slots=True)
class Row:
    """What the row is about, its cells, a reason under its name, and whether it is a sum."""

    name: str
    cells: tuple[Cell, ...]
    note: str = ""
    total: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table with a caption; the first head is that of the rows' names."""

    caption: str
    heads: tuple[str, ...]
    rows: tuple[Row, ...]

    def html(self) -> str:
        """The table as HTML. Raises ValueError where a row has not one cell for each head."""
        width = len(self.heads) - 1
        for row in self.rows:
            if len(row.cells) != width:
                raise ValueError(f"row {row.name!r}: expected {width} cells, got {row.cells!r}")
        kinds = ["num" if self._is_numeric(column) else "words" for column in range(width)]
        heads = "".join(
            _tag("th", rich(head), role="columnheader", scope="col", class_=kind)
            for head, kind in zip(self.heads, ["", *kinds], strict=True)
        )
        labels = [head.replace("`", "") for head in self.heads[1:]]
        rows = "".join(_row(row, labels, kinds) for row in self.rows)
        body = (
            _tag("caption", rich(self.caption))
            + _tag("thead", _tag("tr", heads, role="row"), role="rowgroup")
            + _tag("tbody", rows, role="rowgroup")
        )
        columns = {4: 2}.get(kinds.count("num"), 3)
        table = _tag("table", body, role="table", class_="figures", style=f"--columns: {columns}")
        return _tag("div", table, class_="figures-box")

    def _is_numeric(self, column: int) -> bool:
        """True where most cells of a column are figures, so that all of them stand to the right."""
        figures = sum(_is_figure(row.cells[column]) for row in self.rows)
        return figures * 2 > len(self.rows)


def rich(text: str) -> str:
    """The text as HTML, with code where it has backticks."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def number(value: int) -> str:
    """A whole number with separators and a true minus sign."""
    return f"{value:,}".replace("-", "−")


def percent(share: float) -> str:
    """A share as a whole percentage."""
    return f"{share:.0%}"


def difference(measured: int, stated: int) -> str:
    """How far a measured figure lies from a stated one, in percent of the stated one."""
    change = measured / stated - 1
    return "equal" if measured == stated else f"{change:+.1%}".replace("-", "−")


def _row(row: Row, labels: Sequence[str], kinds: Sequence[str]) -> str:
    note = _tag("small", rich(row.note)) if row.note else ""
    name = _tag("th", _tag("span", rich(row.name)) + note, role="rowheader", scope="row")
    cells = "".join(map(_cell, row.cells, labels, kinds))
    return _tag("tr", name + cells, role="row", class_="total" if row.total else "")


def _cell(cell: Cell, label: str, kind: str) -> str:
    words = number(cell) if isinstance(cell, int) else rich(cell)
    return _tag("td", words, role="cell", class_=kind, data_label=label)


def _is_figure(cell: Cell) -> bool:
    return isinstance(cell, int) or bool(re.fullmatch(r"[+−]?[\d,.]+( ?%)?|equal|–|", cell))


def _tag(name: str, content: str, **attributes: Any) -> str:
    pairs = ((key.rstrip("_").replace("_", "-"), value) for key, value in attributes.items())
    written = "".join(f' {key}="{escape(str(value))}"' for key, value in pairs if value != "")
    return f"<{name}{written}>{content}</{name}>"
