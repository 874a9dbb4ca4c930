"""The comparison with policies that one could install: its oracle, its rows, its recorded table."""

from __future__ import annotations

import re
import subprocess
import sys
from copy import deepcopy
from pathlib import Path

import pytest

from patch_agent.tokens import estimate
from patch_agent.wire import from_wire
from tests.benchmarks.compare.__main__ import measured
from tests.benchmarks.compare.oracle import CHECKS, judge, size
from tests.benchmarks.compare.rows import ROWS
from tests.benchmarks.compare.talk import RULE, SHAPES, SIZES, SYSTEM, make_talk
from widgets import compare

ROOT = Path(__file__).resolve().parents[1]
LOCK = ROOT / "tests" / "benchmarks" / "compare" / "requirements.lock"
PAGE = (ROOT / "book" / "policies.md").read_text(encoding="utf-8")
FOUND = compare.comparison()
OURS = [row for row in ROWS if row.ours]
SMALL = [(shape, count) for shape in SHAPES for count in (100, 1_000)]

small = pytest.mark.parametrize(("shape", "count"), SMALL)
ours = pytest.mark.parametrize("row", OURS, ids=lambda row: row.name)


def held(messages, limit):
    """The names of what held."""
    return {name for name, found in judge(messages, SYSTEM, RULE, limit).items() if found}


@small
def test_three_counts_of_the_same_conversation_agree(shape, count):
    """The one that the rows are given, the oracle's, and that of our policies."""
    talk = make_talk(shape, count)
    assert len(talk.messages) == count
    assert talk.tokens == size(list(talk.messages))
    assert talk.tokens == estimate().messages(map(from_wire, talk.messages))


@small
def test_the_oracle_finds_nothing_in_the_whole_conversation_but_its_size(shape, count):
    talk = make_talk(shape, count)
    assert held(list(talk.messages), talk.tokens) == set(CHECKS)
    assert held(list(talk.messages), talk.tokens - 1) == set(CHECKS) - {"budget"}


def without(place):
    def change(messages):
        del messages[place]

    return change


def copied(place):
    def change(messages):
        messages.insert(place, deepcopy(messages[place]))

    return change


def put(place, message):
    def change(messages):
        messages.insert(place, message)

    return change


def swapped(messages):
    messages[3], messages[5] = messages[5], messages[3]


def renamed(messages):
    messages[3]["tool_call_id"] = "call_x"


def rule_told_by_a_tool(messages):
    messages[3]["content"] += RULE
    messages[1]["content"] = "Make the build pass."


def one_letter_less(place):
    def change(messages):
        messages[place]["content"] = messages[place]["content"][:-1]

    return change


ORPHAN = {"role": "tool", "tool_call_id": "call_0", "content": "0"}
MUTANTS = {
    "a result is missing": (without(3), "pairs"),
    "a call is missing": (without(2), "pairs"),
    "the last result is missing": (without(-1), "pairs"),
    "a result comes twice": (copied(3), "pairs"),
    "somebody speaks between call and result": (put(3, {"role": "user", "content": "?"}), "pairs"),
    "two results are swapped": (swapped, "pairs"),
    "a result has another id": (renamed, "pairs"),
    "a result stands first": (
        put(0, {"role": "tool", "tool_call_id": "a", "content": ""}),
        "pairs",
    ),
    "the system prompt is missing": (without(0), "system"),
    "the system prompt lacks a letter": (one_letter_less(0), "system"),
    "the rule is missing": (without(1), "rule"),
    "the rule lacks a letter": (one_letter_less(1), "rule"),
    "only a tool tells the rule": (rule_told_by_a_tool, "rule"),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_the_oracle_finds_a_mutant(name):
    talk = make_talk("one turn", 100)
    messages = deepcopy(list(talk.messages[:12]))
    assert held(messages, talk.limit) == set(CHECKS)
    change, broken = MUTANTS[name]
    change(messages)
    assert held(messages, talk.limit) == set(CHECKS) - {broken}


def test_calls_made_at_once_and_answered_in_any_order_are_pairs():
    def call(name):
        return {"id": name, "type": "function", "function": {"name": "f", "arguments": "{}"}}

    def done(name):
        return {"role": "tool", "tool_call_id": name, "content": "ok"}

    asked = {"role": "assistant", "content": None, "tool_calls": [call("a"), call("b")]}
    assert "pairs" in held([asked, done("b"), done("a")], 100)
    assert "pairs" not in held([asked, done("b")], 100)


@small
@ours
def test_ours_keep_all_four_and_the_time_once_counted_is_for_the_same_request(row, shape, count):
    talk = make_talk(shape, count)
    prepared = row.prepare(talk)
    kept = prepared.plain(prepared.run(prepared.fresh()))
    assert held(kept, talk.limit) == set(CHECKS)
    assert kept[-1]["content"] == talk.messages[-1]["content"]
    assert prepared.again is not None
    assert prepared.plain(prepared.again()(None)) == kept


def test_a_row_is_measured_in_a_process_of_its_own():
    found = measured(OURS[0], "chat", 100)
    assert all(found[check] for check in CHECKS)
    assert 0 < found["least"] <= found["middle"] <= found["most"] and found["network"] == []


@pytest.mark.parametrize("address", ['("127.0.0.1", 9)', '("localhost", 9)'])
def test_a_row_that_reaches_for_the_network_is_refused_and_noted(address):
    code = (
        "import socket, sys\n"
        "from tests.benchmarks.compare.worker import REACHED, refuse_network\n"
        "sys.addaudithook(refuse_network)\n"
        f"try: socket.create_connection({address})\n"
        "except OSError as error: print(error)\n"
        "print(len(REACHED))"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    told, count = run.stdout.splitlines()
    assert "opens no connection" in told and int(count) >= 1, run.stderr


def test_the_lock_is_hashed_and_names_no_registry():
    text = LOCK.read_text()
    assert not re.search(r"https?://|--index|file://", text)
    for block in re.split(r"\n(?=\S)", text.strip()):
        assert block.startswith("#") or "--hash=sha256:" in block, block.splitlines()[0]


class TestRecorded:
    """The table that is committed, and what the page says of it."""

    def test_it_has_all_rows_with_the_settings_of_today(self):
        expected = [(row.name, shape, size) for shape in SHAPES for size in SIZES for row in ROWS]
        assert [(row["name"], row["shape"], row["size"]) for row in FOUND.rows] == expected
        assert FOUND.head["how"] == {row.name: row.how for row in ROWS}
        assert "--record" in FOUND.head["command"] and FOUND.head["cores"] >= 1

    def test_its_versions_are_those_of_the_lock(self):
        pins = dict(re.findall(r"^([\w.-]+)==(\S+)", LOCK.read_text(), flags=re.M))
        libraries = {row.library for row in ROWS if not row.ours}
        assert len(libraries) == 7
        assert {name: pins[name] for name in libraries} == {
            name: FOUND.head["versions"][name] for name in libraries
        }

    def test_its_conversations_are_those_of_today(self):
        for shape, count in SMALL:
            assert FOUND.row("trim", shape, count)["tokens"] == make_talk(shape, count).tokens

    def test_no_row_failed_or_reached_for_the_network(self):
        for row in FOUND.rows:
            assert "error" not in row
            assert row.get("cut") is True or row["network"] == []

    def test_ours_keep_all_four_everywhere(self):
        for row in OURS:
            assert FOUND.holds(row.name) and len(FOUND.finished(row.name)) == 8

    def test_ours_take_10_ms_once_counted_and_a_third_of_one_for_a_step(self):
        for row in OURS:
            for shape in SHAPES:
                found = FOUND.row(row.name, shape)
                assert found["middle"] <= 10
                assert found["steps"]["middle"] <= 0.3

    def test_ours_are_linear(self):
        """Ten times the messages: at most half as long again as ten times the time."""
        for row in OURS:
            assert compare.grows(FOUND, row.name) < 15

    def test_of_the_others_few_keep_all_four(self):
        others = [row.name for row in ROWS if not row.ours]
        holding = [name for name in others if FOUND.holds(name)]
        assert holding == ["TruncationStrategy"]
        assert FOUND.row("TruncationStrategy", "chat", 100_000).get("cut")

    def test_most_of_the_others_lose_the_rule_where_it_stands_at_the_start(self):
        lost = {row["name"] for row in FOUND.rows if not row.get("rule", True)}
        assert len(lost) * 2 > len(ROWS) - len(OURS)
        assert {row["shape"] for row in FOUND.rows if not row.get("rule", True)} == set(SHAPES)

    def test_where_ours_lose(self):
        """From nothing most others are faster, and they keep more of the conversation."""
        for shape in SHAPES:
            trim = FOUND.row("trim", shape)
            others = [FOUND.row(row.name, shape) for row in ROWS if not row.ours]
            done = [row for row in others if "first" in row]
            faster = [row for row in done if row["middle"] < trim["first"]]
            assert len(faster) * 2 > len(others)
            fitting = [row for row in done if row["budget"] and row["pairs"]]
            assert all(row["kept"] > trim["kept"] for row in fitting)

    def test_the_page_uses_each_word(self):
        used = set(re.findall(r"\{glue:text\}`(bench_\w+)`", PAGE))
        assert used == set(compare.words(FOUND))

    def test_the_tables_say_what_the_rows_say(self):
        table = compare.side_by_side(FOUND)
        broken = {row.name: row.cells[-1] for row in table.rows}
        assert broken["Ours: `trim`, from nothing"] == "all held"
        assert "pairs (one turn)" in broken["llama-index-core: `ChatMemoryBuffer`"]
        assert len(table.rows) == len(ROWS) + len(OURS)
        assert len(compare.growth(FOUND).rows) == len(ROWS) + len(OURS)
        assert len(compare.apart(FOUND).rows) == len(compare.APART)
