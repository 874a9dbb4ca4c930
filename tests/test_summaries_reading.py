"""What summaries are written from: failures, dead ends, calls and identifiers that are read."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from patch_agent.identifiers import identifiers, paths
from patch_agent.messages import ToolCall, assistant, result, system, user
from patch_agent.summaries import careful, careless, scan
from patch_agent.summaries.calls import action_of
from patch_agent.summaries.findings import failures_in, outcome_of, sentences, tells_dead_end
from patch_agent.tokens import exact
from tests.conversations import (
    FAILED_RUN,
    GOAL,
)

COUNTER = exact()


def test_failures_are_read_from_the_usual_reports() -> None:
    assert failures_in(FAILED_RUN) == ((GOAL, "assert 200 == 401"),)
    assert failures_in("FAILED a.py::T::test_x - KeyError: 'k'") == (
        ("a.py::T::test_x", "KeyError: 'k'"),
    )
    assert failures_in("--- FAIL: TestDrain (0.01s)") == (("TestDrain", ""),)
    assert failures_in("Traceback:\n  x\nValueError: no") == (("", "ValueError: no"),)
    assert failures_in("3 passed") == failures_in("") == ()
    assert outcome_of("...\n=== 1 failed, 24 passed in 0.2s ===") == "1 failed, 24 passed"
    assert outcome_of("nothing to see") == ""


def test_a_dead_end_is_told_as_a_fact_and_not_as_a_plan() -> None:
    for told in ("It did not help.", "Ruled out: the cache.", "I reverted the change."):
        assert tells_dead_end(told)
    for open_still in (
        "I will revert it if it does not help.",
        "It might not help.",
        "Clock skew is not ruled out.",
        "Nothing has to be undone by hand.",
        "Has it been ruled out?",
        "It is cheap to try and quickly undone.",
    ):
        assert not tells_dead_end(open_still)


def test_sentences_are_split_at_stops_and_lines_but_not_in_paths() -> None:
    text = "Read auth/session.py. It fails, e.g. Here.\n- one\n- two? Yes!"
    assert sentences(text) == (
        "Read auth/session.py.",
        "It fails, e.g. Here.",
        "one",
        "two?",
        "Yes!",
    )


@pytest.mark.parametrize(
    ("name", "arguments", "verb", "targets"),
    [
        ("read_file", {"path": "a/b.py"}, "read", ("a/b.py",)),
        ("Edit", {"file_path": "a.py", "old_string": "x", "new_string": "y"}, "edited", ("a.py",)),
        ("write_file", {"path": "a.py", "text": "x"}, "edited", ("a.py",)),
        ("grep", {"pattern": "x", "path": "src"}, "searched", ("src",)),
        ("bash", {"command": "pytest tests/t.py::test_a -q"}, "run", ("tests/t.py::test_a",)),
        ("think", {"thought": "hm"}, "used", ()),
    ],
)
def test_calls_are_understood_by_their_arguments(
    name: str, arguments: dict[str, str], verb: str, targets: tuple[str, ...]
) -> None:
    action = action_of(ToolCall("c", name, json.dumps(arguments)))
    assert (action.verb, action.targets) == (verb, targets)


@pytest.mark.parametrize("arguments", ["", "not json", "[1]", "null"])
def test_arguments_that_are_no_object_name_nothing(arguments: str) -> None:
    assert action_of(ToolCall("c", "edit_file", arguments)).targets == ()


def test_identifiers_of_all_kinds() -> None:
    text = (
        "See tests/fixtures/ and tests/a_test.py::test_x[1-2] (call_9, #12, OPS-7):"
        " assert 1 == 2\nKeyError: 'x' in auth/tokens.py."
    )
    found = [(one.kind, one.text) for one in identifiers(text)]
    assert found == [
        ("path", "tests/fixtures/"),
        ("test", "tests/a_test.py::test_x[1-2]"),
        ("call", "call_9"),
        ("issue", "#12"),
        ("issue", "OPS-7"),
        ("error", "assert 1 == 2"),
        ("error", "KeyError: 'x' in auth/tokens.py."),
        ("path", "auth/tokens.py"),
    ]
    assert all(text.startswith(one.text, one.start) for one in identifiers(text))


def test_what_only_looks_like_an_identifier() -> None:
    assert identifiers("and/or, e.g. self.name, version 1.2, UTF-8, https://x.org/a/b.html") == ()
    assert paths("README.md and ./tests/test_a.py::test_b") == ("README.md", "./tests/test_a.py")


@pytest.mark.parametrize("piece", ["a", "a/", "a.", "/", ".py::a", "assert ", "#", "A-"])
def test_reading_identifiers_takes_time_in_proportion(piece: str) -> None:
    # A pattern that backtracks would take minutes here; the suite's time limit is the judge.
    identifiers(piece * 100_000)


def test_a_system_message_is_nobodys_request() -> None:
    record = scan([system("Never sleep."), user("hi"), assistant("hello")])
    assert [quote.text for quote in record.said] == ["hi"]


def test_arguments_nested_too_deep_to_be_read_are_no_arguments() -> None:
    deep = ToolCall("c1", "run_tests", "[" * 100_000)
    messages = (user("Run the tests."), assistant("", deep), result("c1", FAILED_RUN))
    plain = (messages[0], assistant("", replace(deep, arguments="[")), messages[2])
    for write in (careful, careless):
        assert write(messages, exact()).text == write(plain, exact()).text
