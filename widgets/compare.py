"""The tables of the comparison with policies that one could install, from `data/bench.json`.

The figures are measured by hand, on a quiet machine, by the command that the file names; the page
is made from the file, so it is dated and says what it was measured on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from patch_agent.data import data_path, read_of_schema
from widgets.tables import Row, Table, number, percent

CHECKS = {
    "pairs": "pairs",
    "system": "system prompt",
    "rule": "the user's rule",
    "budget": "budget",
}
"""What is judged, and its words."""
SHAPES = ("one turn", "chat")
SIZE = 10_000
"""Messages of the conversations that the first table is about."""
SCHEMA = 1
"""Version of the file's shape."""
OURS = "patch-agent"
OVER = "> 1 min"

Measured = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Comparison:
    """The recorded comparison: what it was measured on, and its rows."""

    head: Measured
    rows: tuple[Measured, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the ways compared, ours first."""
        return tuple(self.head["how"])

    @property
    def sizes(self) -> tuple[int, ...]:
        """The numbers of messages."""
        return tuple(dict.fromkeys(row["size"] for row in self.rows))

    def row(self, name: str, shape: str, size: int = SIZE) -> Measured:
        """What one way took for one conversation."""
        (found,) = (
            row
            for row in self.rows
            if (row["name"], row["shape"], row["size"]) == (name, shape, size)
        )
        return found

    def library(self, name: str) -> str:
        """The package that a way comes from."""
        return str(self.row(name, SHAPES[0])["library"])

    def finished(self, name: str) -> tuple[Measured, ...]:
        """The rows of one way that came to an end."""
        return tuple(row for row in self.rows if row["name"] == name and "first" in row)

    def holds(self, name: str) -> bool:
        """True where all four held in each row that came to an end."""
        return all(row[check] for row in self.finished(name) for check in CHECKS)


def comparison() -> Comparison:
    """The recorded comparison. Raises DataError where the file is damaged."""
    found = read_of_schema(data_path("bench.json"), "a comparison", SCHEMA)
    return Comparison({key: found[key] for key in found if key != "rows"}, tuple(found["rows"]))


def milliseconds(value: float) -> str:
    """A time: whole from 100 on, two places below 1."""
    places = 0 if value >= 100 else 1 if value >= 1 else 2
    return f"{value:,.{places}f}"


def side_by_side(found: Comparison) -> Table:
    """All ways at one size: time, what is kept, what did not hold."""
    rows = []
    for name in found.names:
        both = [found.row(name, shape) for shape in SHAPES]
        ours = found.library(name) == OURS
        note = found.head["how"][name]
        if ours:
            cells = tuple(milliseconds(row["first"]) for row in both)
            rows.append(Row(f"Ours: `{name}`, from nothing", (*cells, *_kept(both)), note))
            note = "The same, once all is counted, looked over and written."
        label = f"Ours: `{name}`, once counted" if ours else f"{found.library(name)}: `{name}`"
        rows.append(Row(label, (*map(_time, both), *_kept(both)), note))
    figures = (f"{what}, {shape}" for what in ("ms", "kept") for shape in SHAPES)
    return Table(
        f"{number(SIZE)} messages made to fit a quarter of their tokens",
        ("way", *figures, "did not hold"),
        tuple(rows),
    )


def _time(row: Measured) -> str:
    return milliseconds(row["middle"]) if "first" in row else OVER


def _kept(both: Iterable[Measured]) -> tuple[str, ...]:
    """What of each conversation is kept, and what did not hold in which of them."""
    rows = list(both)
    shares = [_share(row["kept"] / row["tokens"]) if "first" in row else "" for row in rows]
    return (*shares, _broken(rows))


def _share(part: float) -> str:
    return f"{part:.1%}" if part < 0.01 else percent(part)


def _broken(rows: list[Measured]) -> str:
    done = [row for row in rows if "first" in row]
    told = []
    for check, words in CHECKS.items():
        where = [row["shape"] for row in done if not row[check]]
        if where:
            told.append(words if len(where) == len(rows) else f"{words} ({where[0]})")
    return ", ".join(told) or ("all held" if done else "")


def growth(found: Comparison) -> Table:
    """How the time grows with the conversation: the slower of the two."""
    rows = []
    for name in found.names:
        ours = found.library(name) == OURS
        for key in ("first", "middle") if ours else ("middle",):
            when = {"first": ", from nothing", "middle": ", once counted"}[key] if ours else ""
            label = f"Ours: `{name}`{when}" if ours else f"`{name}`"
            rows.append(Row(label, tuple(_slower(found, name, n, key) for n in found.sizes)))
    return Table(
        "Milliseconds by messages: the slower of the two conversations",
        ("way", *map(number, found.sizes)),
        tuple(rows),
    )


def _slower(found: Comparison, name: str, size: int, key: str) -> str:
    rows = [found.row(name, shape, size) for shape in SHAPES]
    if not all("first" in row for row in rows):
        return OVER
    return milliseconds(max(row[key] for row in rows))


APART = {
    "from nothing": lambda row: row["first"],
    "in it: writing the summary": lambda row: row["apart"].get("write"),
    "in it: looking it over": lambda row: row["apart"].get("look over"),
    "one check of what is sent": lambda row: row["apart"]["check"],
    "once counted": lambda row: row["middle"],
    "one step more": lambda row: row["steps"]["middle"],
    "one step more, all checks on": lambda row: row["checked_steps"]["middle"],
}


def apart(found: Comparison, size: int = SIZE) -> Table:
    """What of our time goes where."""
    ours = [name for name in found.names if found.library(name) == OURS]
    columns = [(name, shape) for name in ours for shape in SHAPES]
    rows = []
    for label, of in APART.items():
        values = [of(found.row(name, shape, size)) for name, shape in columns]
        cells = tuple("–" if value is None else milliseconds(value) for value in values)
        rows.append(Row(label, cells))
    heads = ("what", *(f"`{name}`, {shape}" for name, shape in columns))
    return Table(f"Where our milliseconds go: {number(size)} messages", heads, tuple(rows))


def words(found: Comparison) -> dict[str, str]:
    """The figures in the page's sentences."""
    others = [name for name in found.names if found.library(name) != OURS]
    ours = [name for name in found.names if name not in others]
    holding = [name for name in others if found.holds(name)]
    most = [found.row(name, shape) for name in ours for shape in SHAPES]
    versions = found.head["versions"]
    named = ", ".join(f"{name} {version}" for name, version in versions.items() if name != OURS)
    return {
        "bench_date": found.head["date"],
        "bench_cores": number(found.head["cores"]),
        "bench_versions": named,
        "bench_others": number(len(others)),
        "bench_holding": ", ".join(holding),
        "bench_size": number(SIZE),
        "bench_again": milliseconds(max(row["middle"] for row in most)),
        "bench_step": milliseconds(max(row["steps"]["middle"] for row in most)),
        "bench_checked": milliseconds(max(row["checked_steps"]["middle"] for row in most)),
        "bench_trim": milliseconds(max(found.row("trim", shape)["first"] for shape in SHAPES)),
        "bench_grows": f"{max(grows(found, name) for name in ours):.0f}",
    }


def grows(found: Comparison, name: str) -> float:
    """How many times as long ten times the messages take from nothing, at the two largest sizes."""
    *_, fewer, more = found.sizes
    return max(
        found.row(name, shape, more)["first"] / found.row(name, shape, fewer)["first"]
        for shape in SHAPES
    )
