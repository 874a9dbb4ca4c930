"""The ten tools: what they print, and that every mistake is a result which names it."""

import json
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from patch_agent.triage.prompt import definitions
from patch_agent.triage.service import Service
from patch_agent.triage.tools import EFFECTS, TOOLS, call
from patch_agent.triage.truth import truth_of
from patch_agent.triage.world_make import make_world
from tests.triage.reading import do, file_cause

WORLD = make_world(1)
TRUTH = truth_of(1)
PATH = next(iter(WORLD.files))
OPEN = next(issue for issue in WORLD.issues if issue.state == "open")
FIXED = next(issue for issue in WORLD.issues if issue.state == "fixed")
FIRST = next(report for report in WORLD.reports if not report.archived)


def test_tools_definitions_and_effects_have_the_same_ten_names() -> None:
    names = [tool["name"] for tool in definitions()]
    assert len(names) == 10 and names == list(TOOLS) == list(EFFECTS)


def test_the_listing_shows_open_reports_only_and_ends_with_their_number() -> None:
    with Service(WORLD) as service:
        lines = do(service, "list_reports").split("\n")
        assert lines[0] == f"{FIRST.id} | {FIRST.received} | {FIRST.title}"
        assert len(lines) == 100 and lines[-1] == "99 reports are open."
        for line in lines[:-2]:
            do(service, "link_report", report=line.split(" | ")[0], issue=OPEN.id)
        assert do(service, "list_reports") == f"{lines[-2]}\n1 report is open."
        do(service, "link_report", report=lines[-2].split(" | ")[0], issue=OPEN.id)
        assert do(service, "list_reports") == "No report is open."


def test_a_file_is_shown_with_the_numbers_of_its_lines() -> None:
    with Service(WORLD) as service:
        lines = do(service, "read_file", path=PATH).split("\n")
        source = WORLD.files[PATH].split("\n")[:-1]
        assert lines[0] == f"{PATH}, version {WORLD.version}, {len(source)} lines"
        assert lines[1:] == [f"{number}\t{line}" for number, line in enumerate(source, 1)]
        assert do(service, "list_files").split("\n")[0] == f"{PATH} ({len(source)} lines)"


def test_a_report_is_shown_whole_even_when_it_is_closed() -> None:
    with Service(WORLD) as service:
        shown = do(service, "read_report", report=FIRST.id)
        assert shown == f"{FIRST.id}: {FIRST.title}\n{FIRST.text}"
        do(service, "link_report", report=FIRST.id, issue=OPEN.id)
        assert do(service, "read_report", report=FIRST.id) == shown


def test_an_issue_is_found_by_its_file_its_evidence_and_its_number_at_once() -> None:
    cause = next(cause for cause in TRUTH.causes if cause.known is None)
    with Service(WORLD) as service:
        number = file_cause(service, TRUTH, cause.id)
        for words in (f"{cause.file} OPEN", cause.reports[0], number, f"{cause.error} {number}"):
            found = do(service, "search_issues", words=words).split("\n")
            assert found[0].startswith(f"{number} | open | {cause.severity} | ")
            assert found[0].endswith(" | 0 linked")
        do(service, "link_report", report=cause.reports[0], issue=number)
        assert do(service, "search_issues", words=number).endswith(" | 1 linked")


def test_a_search_shows_the_newest_twenty_and_says_how_many_more_there_are() -> None:
    with Service(WORLD) as service:
        for number in range(25):
            values = {"title": f"many {number}", "file": PATH, "line": 1, "severity": "low"}
            do(service, "file_issue", **values, reports=[])
        lines = do(service, "search_issues", words="many").split("\n")
        assert len(lines) == 21 and "many 24" in lines[0] and lines[-1] == "... and 5 more"
        assert do(service, "search_issues", words="zebra") == "No issue holds 'zebra'."


def test_filing_links_nothing() -> None:
    cause = next(cause for cause in TRUTH.causes if cause.known is None)
    with Service(WORLD) as service:
        file_cause(service, TRUTH, cause.id)
        assert len(service.open_reports()) == 99


ISSUE = {"title": "t", "file": PATH, "line": 3, "severity": "low", "reports": [FIRST.id]}


@pytest.mark.parametrize(
    "name, arguments, said",
    [
        ("close_report", "{}", "tool 'close_report': there is none; there are list_reports, "),
        ("list_reports", "[]", "arguments: expected a JSON object, got '[]'"),
        ("list_reports", "{", "arguments: expected a JSON object, got '{' ("),
        ("list_reports", '{"all": true}', "'all': no such argument; there are: none"),
        ("read_report", "{}", "report: expected a string, got nothing"),
        ("read_report", '{"report": 7}', "report: expected a string, got 7"),
        ("read_report", '{"report": "R-9"}', "report 'R-9': there is none with this number"),
        ("read_report", '{"report": "\\ud800"}', "report: holds a character that is not valid"),
        ("read_file", '{"path": "x.py"}', "file 'x.py': there is none; list_files has all paths"),
        ("search_issues", '{"words": "  "}', "words: expected at least one word, got nothing"),
        ("read_note", '{"name": "n"}', "note 'n': there is none; there are: none yet"),
        ("file_issue", ISSUE | {"title": " "}, "title: expected some words, got nothing"),
        ("file_issue", ISSUE | {"file": "x"}, "file 'x': there is none"),
        ("file_issue", ISSUE | {"line": 0}, "line: expected 1 to "),
        ("file_issue", ISSUE | {"line": 9_999}, f"of {PATH}, got 9999"),
        ("file_issue", ISSUE | {"line": True}, "line: expected a whole number, got True"),
        ("file_issue", ISSUE | {"severity": "bad"}, "severity: expected one of low, medium, high"),
        ("file_issue", ISSUE | {"reports": ["R-9"]}, "report 'R-9': there is none"),
        ("file_issue", ISSUE | {"reports": [9]}, "reports: expected a list of strings, got [9]"),
        ("link_report", {"report": "R-9", "issue": OPEN.id}, "report 'R-9': there is none"),
        ("link_report", {"report": FIRST.id, "issue": "ISS-1"}, "issue 'ISS-1': there is none"),
        ("link_report", {"report": FIRST.id, "issue": "77"}, "issue '77': there is none"),
        ("link_report", {"report": FIRST.id, "issue": FIXED.id}, f"issue {FIXED.id}: is fixed"),
        (
            "run_reproduction",
            {"report": WORLD.reports[0].id},
            f"report {WORLD.reports[0].id}: no reproduction is attached to it",
        ),
    ],
)
def test_a_mistake_is_a_result_that_names_it_and_changes_nothing(
    name: str, arguments: str | dict[str, object], said: str
) -> None:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    with Service(WORLD) as service:
        outcome = call(service, name, text)
        assert outcome.error and said in outcome.text
        assert tuple(filed.issue for filed in service.issues()) == WORLD.issues
        assert service.links() == WORLD.links


VALUES = st.one_of(
    st.text(max_size=12),
    st.integers(-(10**30), 10**30),
    st.booleans(),
    st.none(),
    st.lists(st.text(max_size=4), max_size=3),
    st.sampled_from([PATH, FIRST.id, OPEN.id, FIXED.id, "low"]),
)
KEYS = st.sampled_from(
    ["report", "path", "words", "title", "file", "line", "severity", "reports", "issue", "name"]
)


@settings(max_examples=150)
@given(
    name=st.sampled_from([*(tool for tool in TOOLS if tool != "run_reproduction"), "other"]),
    arguments=st.one_of(
        st.text(max_size=20), st.dictionaries(KEYS | st.just("text"), VALUES).map(json.dumps)
    ),
)
def test_no_call_ever_raises(name: str, arguments: str) -> None:
    with Service(WORLD) as service:
        outcome = call(service, name, arguments)
        assert outcome.text
        outcome.text.encode("utf-8")


def test_the_service_and_its_tools_know_nothing_of_the_truth() -> None:
    code = (
        "import sys, patch_agent.triage.tools, patch_agent.triage.prompt\n"
        "names = ('patch_agent.triage.truth', 'patch_agent.triage.world_make', 'sqlite3',"
        " 'subprocess', 'tiktoken')\n"
        "print([name for name in names if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr
