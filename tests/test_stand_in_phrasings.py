"""Every phrasing gets a careful reader's answer. The rows are older than the program that reads."""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path

import pytest

from patch_agent.stand_in import MISSING, StandIn, evidence
from patch_agent.stand_in.reader import SOURCES

FOLDER = Path(__file__).parent / "phrasings"
ROWS = [
    row
    for file in sorted(FOLDER.glob("*.toml"))
    for row in tomllib.loads(file.read_text(encoding="utf-8"))["phrasing"]
]
MODEL = StandIn()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_phrasing(row):
    request = {"messages": row["messages"], "tools": row.get("tools", [])}
    answer = MODEL.answer(request, row["probe"])
    want = row["want"]
    assert answer.refused is None
    assert answer.found == (want["verdict_kind"] == "carries"), row["why"]
    if answer.found:
        assert answer.evidence is not None
        said = f"{answer.text}\n{answer.evidence.quote}".casefold()
        assert all(word.casefold() in said for word in want["answer_contains"]), answer
        assert not any(word.casefold() in said for word in want.get("answer_lacks", ())), answer


def test_enough_rows_of_both_kinds_for_every_probe():
    kinds = Counter((row["probe"]["kind"], row["want"]["verdict_kind"]) for row in ROWS)
    for kind in MISSING:
        assert kinds[kind, "carries"] >= 5 and kinds[kind, "not"] >= 5, kind
        assert kinds[kind, "carries"] + kinds[kind, "not"] >= 10, kind


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_evidence_is_where_it_says(row):
    request = {"messages": row["messages"], "tools": row.get("tools", [])}
    evidence = MODEL.answer(request, row["probe"]).evidence
    if evidence is not None and evidence.part != "tools":
        text = request["messages"][evidence.message]["content"]
        assert text[evidence.start : evidence.end] == evidence.quote
        assert evidence.quote.strip()


PARTS = ("system", "agents_md", "memory", "skills", "report", "summary", "files", "task")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_what_stands_in_a_source_that_does_not_count_says_nothing(row):
    kind = row["probe"]["kind"]
    for message in row["messages"]:
        text = message["content"]
        for part in PARTS:
            other = {"role": "system", "name": part, "content": text}
            if part not in SOURCES[kind]:
                assert evidence(row["probe"], other) == (), part
        for role in ("user", "assistant"):
            if role not in SOURCES[kind]:
                assert evidence(row["probe"], {"role": role, "content": text}) == (), role
        if "tool" not in SOURCES[kind]:
            result = {"role": "tool", "tool_call_id": "call_9", "content": text}
            assert evidence(row["probe"], result) == ()
