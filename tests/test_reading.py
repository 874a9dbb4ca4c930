"""The page on the stand-in shows what the stand-in does."""

from __future__ import annotations

from patch_agent.probes import load_probes
from patch_agent.stand_in import MISSING
from patch_agent.stand_in.reader import SOURCES
from widgets import reading


def test_every_source_has_a_name():
    assert set().union(*SOURCES.values()) == set(reading.NAMES)


def test_one_row_for_each_question():
    probes = load_probes()
    rows = reading.sources(probes).rows
    assert [row.name for row in rows] == [probe.question for probe in probes]
    assert [row.cells[1] for row in rows] == [MISSING[probe.kind] for probe in probes]
    assert "a tool's output" not in rows[0].cells[0]


def test_sayings_are_really_asked():
    said = {"Hands off src/.": "user", "You may edit src/.": "user", "src/ is big.": "summary"}
    rows = reading.sayings("src/a.py", said).rows
    assert [row.cells[1] for row in rows] == ["no", "yes, it is allowed", "yes"]
    rows = reading.sayings("src/", {"Hands off src/.": "tool"}).rows
    assert rows[0].cells == ("a tool's output", "yes")
