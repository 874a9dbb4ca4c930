"""The triage agent: how it reads single texts, what it says, and what it does next."""

from __future__ import annotations

import json

import pytest

from patch_agent.messages import ToolCall, assistant, result, system, user
from patch_agent.triage import reader_words as words
from patch_agent.triage.agent import LEAST, THINKING, TriageAgent
from patch_agent.triage.agent_taste import BATCH, FILES, GROUPS, Taste
from patch_agent.triage.prompt import definitions
from patch_agent.triage.reader import read
from patch_agent.triage.reader_texts import (
    Finding,
    Key,
    line_of,
    read_file,
    read_listing,
    read_report,
    read_search,
)
from patch_agent.triage.service import Service
from patch_agent.triage.tools import call
from patch_agent.triage.truth import truth_of
from patch_agent.triage.world_make import make_world
from patch_agent.wire import to_wire
from tests.triage import reading

KEY = Key("app/sync/labels.py", "first_label", "IndexError")
STACK = """R-1204: No labels
Received: 2026-09-07 08:21, telephone
Impact: blocked

It stopped.

Crash
IndexError: list index out of range
  at first_label (app/sync/labels.py:41): return rows[0].text
  at labels_page (app/sync/labels.py:73): shown = first_label(rows)

Values there
  rows = []

Attached: nothing"""
FILE = """app/sync/labels.py, version 2.0.1, 4 lines
1\tdef other(rows):
2\t    return rows[0].text
3\tdef first_label(rows):
4\t    return rows[0].text"""


def request(*messages):
    """A request in wire form, with a system prompt and a task before the messages."""
    first = (system("You triage.", name="system"), user("Please triage."))
    return {"messages": [to_wire(message) for message in (*first, *messages)], "tools": []}


def asked(name, text, /, **arguments):
    """A call with its result."""
    made = ToolCall("call_1", name, json.dumps(arguments))
    return assistant("", made), result("call_1", text)


def calls(wire, seed=1):
    """What an agent calls on a request."""
    reply = TriageAgent(seed).reply(wire)
    return [(made.name, json.loads(made.arguments)) for made in reply.calls]


def test_the_example_of_the_system_prompt_is_read():
    found = read_report(STACK)
    assert found == Finding("R-1204", KEY, "high", "return rows[0].text", 41)
    assert line_of(read_file(FILE)[1], "first_label", found.code) == (4,)


@pytest.mark.parametrize("world", [1, 2, 44])
def test_all_reports_of_a_world_are_read_as_another_reader_reads_them(world):
    for report in make_world(world).reports:
        if not report.archived:
            text = f"{report.id}: {report.title}\n{report.text}"
            found, other = read_report(text), reading.read(report.text)
            assert (found.key.file, found.key.function, found.key.error) == other.key
            assert (found.line, found.code, found.severity) == (
                other.line,
                other.text,
                other.severity,
            )
            assert found.attached == bool(report.reproduction)


@pytest.mark.parametrize("world", [1, 2, 44])
def test_the_line_of_each_cause_is_found_in_its_file(world):
    made = make_world(world)
    with Service(made) as service:
        for cause in truth_of(world).causes:
            shown = read_file(call(service, "read_file", json.dumps({"path": cause.file})).text)
            report = next(one for one in made.reports if one.id == cause.reports[0])
            code = reading.read(report.text).text
            assert cause.line in line_of(shown[1], cause.function, code)


def test_listings_and_searches_are_read():
    assert read_listing("No report is open.") == ()
    assert read_listing("R-7 | 2026-09-07 08:21 | Gone\n1 report is open.") == ("R-7",)
    row = "ISS-70 | fixed | high | app/a.py:9 | KeyError in f | evidence: R-1 | 1 linked"
    (match,) = read_search(row)
    assert (match.issue, match.open, match.key) == (
        "ISS-70",
        False,
        Key("app/a.py", "f", "KeyError"),
    )
    assert read_search("No issue holds 'app/a.py'.") == ()


@pytest.mark.parametrize(
    "text", ["", "[cleared: 9 tokens; full text in x]", "(removed)", "R-12: x"]
)
def test_what_stands_for_a_result_is_no_result(text):
    kinds = (read_report, read_file, read_listing, read_search)
    assert [kind(text) for kind in kinds] == [None] * 4


def test_what_it_says_it_can_read_again():
    found = [Finding("R-1", KEY, "low", "x = a[`0`]", 7), Finding("R-2", KEY, "high", "x", 7)]
    said = "\n".join(
        [
            words.say_findings(found),
            words.say_line(KEY, 12),
            words.say_issue(KEY, "ISS-9"),
            words.say_none(KEY),
        ]
    )
    heard = words.heard(said)
    assert [(one.report, one.severity, one.key) for one in heard.findings] == [
        ("R-1", "low", KEY),
        ("R-2", "high", KEY),
    ]
    assert heard.lines == ((KEY, 12),)
    assert heard.issues == ((KEY, "ISS-9"),)
    assert heard.none == (KEY,)


@pytest.mark.parametrize("value", [None, 3, 2.5, True, "R-1", [["R-1"]], [{}], {"reports": 1}])
def test_arguments_of_any_shape_are_read(value):
    for tool in definitions():
        given = dict.fromkeys(tool["parameters"]["properties"], value)
        for text in ("Filed I-9", STACK, FILE, ""):
            read(request(*asked(tool["name"], text, **given)))


def test_it_begins_with_the_list():
    assert calls(request()) == [("list_reports", {})]


def test_it_reads_what_is_open_and_ends_when_nothing_is():
    some = request(*asked("list_reports", "R-7 | 2026-09-07 08:21 | Gone\n1 report is open."))
    assert calls(some) == [("read_report", {"report": "R-7"})]
    none = request(*asked("list_reports", "No report is open."))
    assert calls(none) == []


def test_a_known_issue_is_linked_without_a_search():
    told = assistant(words.say_issue(KEY, "ISS-9"))
    wire = request(told, *asked("read_report", STACK, report="R-1204"))
    assert calls(wire) == [("link_report", {"report": "R-1204", "issue": "ISS-9"})]


def test_a_cause_is_filed_with_the_line_of_today_once_it_was_searched():
    looked = asked("read_file", FILE, path=KEY.file)
    searched = asked("search_issues", f"No issue holds '{KEY.file}'.", words=KEY.file)
    wire = request(*asked("read_report", STACK, report="R-1204"), *looked, *searched)
    (made,) = [one for one in calls(wire) if one[0] == "file_issue"]
    assert made[1] == {
        "title": "IndexError in first_label",
        "file": KEY.file,
        "line": 4,
        "severity": "high",
        "reports": ["R-1204"],
    }


def test_a_number_without_a_place_is_looked_up_before_anything_is_filed():
    summary = system("Named in these steps: `ISS-70`", name="summary")
    wire = request(summary, *asked("read_report", STACK, report="R-1204"))
    for seed in range(1, 40):
        made = calls(wire, seed)
        hurries = Taste(seed).hurries(str(KEY))
        assert ("search_issues", {"words": "ISS-70" if hurries else KEY.file}) in made
        assert "file_issue" not in [name for name, _ in made]


def test_an_open_issue_that_a_search_shows_is_used_and_a_fixed_one_is_not():
    row = f"ISS-70 | {{}} | high | {KEY.file}:4 | IndexError in first_label | evidence: none | 0"
    for state, known in (("open", True), ("fixed", False)):
        found = asked("search_issues", row.format(state), words=KEY.file)
        wire = request(*asked("read_report", STACK, report="R-1204"), *found)
        assert (KEY in read(wire).issues) is known
        assert (("link_report", {"report": "R-1204", "issue": "ISS-70"}) in calls(wire)) is known


def test_a_refused_line_is_looked_up():
    error = result("call_1", "line: expected 1 to 4 of app/sync/labels.py, got 41", error=True)
    made = ToolCall(
        "call_1",
        "file_issue",
        json.dumps({"title": "IndexError in first_label", "file": KEY.file, "reports": ["R-1204"]}),
    )
    searched = asked("search_issues", f"No issue holds '{KEY.file}'.", words=KEY.file)
    read_ = asked("read_report", STACK, report="R-1204")
    for seed in range(1, 20):
        wire = request(*read_, *searched, assistant("", made), error)
        assert ("read_file", {"path": KEY.file}) in calls(wire, seed)


def test_reasoning_grows_with_the_request_by_the_stated_rule():
    for text in ("", "x" * 85_000):
        wire = request(assistant(text))
        (block, *_) = TriageAgent(1).reply(wire).blocks
        characters = sum(len(message["content"]) for message in wire["messages"])
        size = LEAST + characters // THINKING
        assert block.opaque
        assert len(block.text) == pytest.approx(size, abs=4)


def test_tastes_differ_by_seed_within_their_ranges_and_not_by_anything_else():
    tastes = [Taste(seed) for seed in range(200)]
    for name, (least, most) in {"batch": BATCH, "groups": GROUPS, "files": FILES}.items():
        drawn = {getattr(taste, name) for taste in tastes}
        assert min(drawn) >= least and max(drawn) <= most and len(drawn) > (most - least) // 4
    assert Taste(3).batch == Taste(3).batch
    assert {Taste(seed).hurries("x") for seed in range(50)} == {True, False}
