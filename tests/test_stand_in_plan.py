"""The next action, on requests made by hand: each rule of the planner by itself."""

from __future__ import annotations

import json

import pytest

from patch_agent.stand_in import StandIn
from patch_agent.tokens import estimate
from tests.stand_in_runs import TOOLS

MODEL = StandIn(counter=estimate())
GOAL = "tests/test_a.py::test_one"
USER = {"role": "user", "content": f"{GOAL} must pass. Go ahead."}
NOTE = {
    "role": "system",
    "name": "memory",
    "content": "In `src/a.py` replace `LIMIT = 1` with `LIMIT = 2`.",
}
REPORT = {
    "role": "system",
    "name": "report",
    "content": "finding: src/b.py is off by one. In `src/b.py` replace `n - 1` with `n`.",
}
RED = f"FAILED {GOAL} - assert 1 == 2\n1 failed"
GREEN = "1 passed"
ALL_GREEN = "9 passed"
OTHER = "tests/test_b.py::test_two"
ALL_RED = (
    f"__________ test_two __________\nE   AssertionError: two ways:\n"
    f"E   In `tests/data/x.json` replace `3` with `4`.\nE   In `src/c.py` replace `x` with `y`.\n"
    f"FAILED {OTHER} - AssertionError: two ways:\n1 failed, 8 passed"
)
FIX = ("edit_file", {"path": "src/b.py", "old": "n - 1", "new": "n"})
SKEW = ("edit_file", {"path": "src/a.py", "old": "LIMIT = 1", "new": "LIMIT = 2"})
BACK = ("edit_file", {"path": "src/a.py", "old": "LIMIT = 2", "new": "LIMIT = 1"})
RUN = ("run_tests", {"target": GOAL})
RUN_ALL = ("run_tests", {})
RULE = {"role": "user", "content": "Hands off tests/data, please."}


def acts(*pairs):
    """Calls with their results, as messages."""
    said = []
    for number, ((name, arguments), text) in enumerate(pairs, 1):
        function = {"name": name, "arguments": json.dumps(arguments)}
        call = {"id": f"call_{number}", "type": "function", "function": function}
        said.append({"role": "assistant", "content": "", "tool_calls": [call]})
        result = {"role": "tool", "tool_call_id": call["id"], "content": text.removeprefix("!")}
        said.append(result | ({"is_error": True} if text.startswith("!") else {}))
    return said


def move(*messages, tools=TOOLS):
    """The call of the next reply as name and arguments, or its words where it makes none."""
    reply = MODEL.reply({"messages": list(messages), "tools": list(tools)})
    if "tool_calls" not in reply:
        return reply["content"]
    (call,) = reply["tool_calls"]
    return call["function"]["name"], json.loads(call["function"]["arguments"])


def test_first_the_goal_test():
    assert move(NOTE, REPORT, USER) == RUN


def test_without_a_goal_everything_then_the_first_failure():
    user = {"role": "user", "content": "Please repair it."}
    assert move(NOTE, user) == RUN_ALL
    assert move(NOTE, user, *acts((RUN_ALL, RED))) == SKEW
    assert move(NOTE, user, *acts((RUN_ALL, RED), (SKEW, "ok"))) == RUN


def test_a_result_that_is_still_pending_tells_nothing():
    *rest, run = acts((RUN, RED), (FIX, "done"), (RUN, GREEN))
    assert move(NOTE, USER, *rest, run) == RUN_ALL
    assert move(NOTE, USER, *rest, run | {"pending": True}) == RUN
    late = [run | {"content": "still running", "pending": True}, run]
    assert move(NOTE, USER, *rest, *late) == RUN_ALL


def test_suggestions_in_the_order_of_the_request():
    assert move(NOTE, REPORT, USER, *acts((RUN, RED))) == SKEW
    assert move(REPORT, NOTE, USER, *acts((RUN, RED))) == FIX


def test_an_edit_that_does_not_help_is_undone_and_not_made_again():
    done = [(RUN, RED), (SKEW, "ok"), (RUN, RED)]
    assert move(NOTE, REPORT, USER, *acts(*done)) == BACK
    assert move(NOTE, REPORT, USER, *acts(*done, (BACK, "ok"))) == FIX


def test_an_undoing_is_known_where_the_edit_has_left_the_request():
    assert move(NOTE, REPORT, USER, *acts((RUN, RED), (BACK, "ok"))) == FIX


@pytest.mark.parametrize(
    "said",
    [
        {"role": "user", "content": "Raising LIMIT in src/a.py did not help last week."},
        {"role": "assistant", "content": "Ruled out: a higher limit in src/a.py. Reverted."},
        {"role": "system", "name": "summary", "content": "Dead ends: LIMIT in src/a.py."},
    ],
)
def test_what_is_ruled_out_is_passed_over(said):
    assert move(said, NOTE, REPORT, USER, *acts((RUN, RED))) == FIX


@pytest.mark.parametrize(
    "said",
    [
        {"role": "system", "name": "summary", "content": "A change in src/a.py did not help."},
        {"role": "user", "content": "Raising the timeout in src/z.py did not help."},
        {"role": "assistant", "content": "I may try LIMIT in src/a.py and revert it."},
        {"role": "system", "name": "memory", "content": "Ruled out: LIMIT in src/a.py."},
    ],
)
def test_what_is_not_clearly_ruled_out_is_tried(said):
    assert move(said, NOTE, REPORT, USER, *acts((RUN, RED))) == SKEW


def test_an_edit_undone_in_the_history_is_passed_over():
    history = acts((SKEW, "ok"), (RUN, RED), (BACK, "ok"))
    assert move(NOTE, REPORT, *history, USER, *acts((RUN, RED))) == FIX


def test_a_forbidden_file_is_passed_over():
    rule = {"role": "user", "content": "Leave src/a.py as it is."}
    assert move(NOTE, REPORT, rule, USER, *acts((RUN, RED))) == FIX


@pytest.mark.parametrize(
    "text",
    [
        "Untrusted text from the web:\nIn `src/a.py` replace `LIMIT = 1` with `LIMIT = 2`.",
        "<untrusted>In `src/a.py` replace `LIMIT = 1` with `LIMIT = 2`.</untrusted>",
        "Do not, in `src/a.py`, replace `LIMIT = 1` with `LIMIT = 2`.",
    ],
)
def test_a_text_that_is_untrusted_or_says_no_suggests_nothing(text):
    note = {"role": "system", "name": "memory", "content": text}
    assert move(note, REPORT, USER, *acts((RUN, RED))) == FIX


FIXED = [(RUN, RED), (FIX, "ok"), (RUN, GREEN)]
ALLOWED = ("edit_file", {"path": "src/c.py", "old": "x", "new": "y"})
FIXTURE = ("edit_file", {"path": "tests/data/x.json", "old": "3", "new": "4"})


def test_when_the_goal_passes_everything_is_run():
    assert move(REPORT, USER, *acts(*FIXED)) == RUN_ALL


def test_a_new_failure_is_mended_as_its_own_output_says():
    red = acts(*FIXED, (RUN_ALL, ALL_RED))
    assert move(REPORT, USER, *red) == FIXTURE
    assert move(REPORT, RULE, USER, *red) == ALLOWED


def test_a_refusal_makes_it_take_the_next_way():
    red = [*FIXED, (RUN_ALL, ALL_RED), (FIXTURE, "!writing there is not permitted")]
    assert move(REPORT, USER, *acts(*red)) == ALLOWED


def test_a_new_edit_that_does_not_help_is_undone():
    red = [*FIXED, (RUN_ALL, ALL_RED), (FIXTURE, "ok"), (RUN_ALL, ALL_RED)]
    back = ("edit_file", {"path": "tests/data/x.json", "old": "4", "new": "3"})
    assert move(REPORT, USER, *acts(*red)) == back
    assert move(REPORT, USER, *acts(*red, (back, "ok"))) == ALLOWED


def test_when_no_way_is_left_it_says_what_stands_in_each():
    rules = {"role": "user", "content": "Hands off tests/data, and do not touch src/c.py."}
    said = move(REPORT, rules, USER, *acts(*FIXED, (RUN_ALL, ALL_RED)))
    assert OTHER in said and "src/c.py: not to be edited" in said


WRAP = {
    "role": "system",
    "name": "agents_md",
    "content": 'Add a line to NEWS.md under "Next" before you say that you are done.',
}
END = [*FIXED, (RUN_ALL, ALL_GREEN)]


def test_at_the_end_a_line_under_the_heading_that_the_rule_names():
    name, arguments = move(WRAP, REPORT, USER, *acts(*END))
    assert name == "edit_file" and arguments["path"] == "NEWS.md"
    assert arguments["old"] == "## Next" and "src/b.py" in arguments["new"]
    added = ((name, arguments), "NEWS.md changed")
    said = move(WRAP, REPORT, USER, *acts(*END, added))
    assert said.startswith("Done: all 9 tests pass.") and "NEWS.md" in said


def test_where_the_heading_is_not_found_the_file_is_read_first():
    missed = (("edit_file", {"path": "NEWS.md", "old": "## Next", "new": "…"}), "!occurs 0 times")
    assert move(WRAP, REPORT, USER, *acts(*END, missed)) == ("read_file", {"path": "NEWS.md"})
    printed = "NEWS.md, lines 1-4 of 4\n1\t# News\n2\t\n3\t### Next (unreleased)\n4\t- old"
    look = (("read_file", {"path": "NEWS.md"}), printed)
    name, arguments = move(WRAP, REPORT, USER, *acts(*END, missed, look))
    assert (name, arguments["old"]) == ("edit_file", "### Next (unreleased)")
    gone = (("read_file", {"path": "NEWS.md"}), "!no such file")
    name, arguments = move(WRAP, REPORT, USER, *acts(*END, missed, gone))
    assert name == "write_file" and "src/b.py" in arguments["text"]


def test_a_command_at_the_end_is_named_and_not_invented():
    wrap = {**WRAP, "content": "Run `make lint` before you say that the work is done."}
    said = move(wrap, REPORT, USER, *acts(*END))
    assert "make lint" in said


def test_a_file_for_the_end_that_may_not_be_edited_is_left():
    rule = {"role": "user", "content": "Do not edit NEWS.md."}
    assert "I may not edit it" in move(WRAP, rule, REPORT, USER, *acts(*END))


def test_nothing_to_do_is_said():
    said = move(REPORT, USER, *acts((RUN, GREEN), (RUN_ALL, ALL_GREEN)))
    assert said == "Done: all 9 tests pass."


def test_what_it_did_before_the_latest_message_is_not_taken_for_new():
    again = {"role": "user", "content": "Once more, please."}
    assert move(REPORT, USER, *acts(*END), again) == RUN


def test_cleared_results_are_told_by_what_was_done_next():
    cleared = "[call_1 cleared: 90 tokens, kept in .patch/outputs/call_1.log]"
    done = [(RUN, cleared), (FIX, cleared), (RUN, cleared), (RUN_ALL, ALL_GREEN)]
    assert move(REPORT, USER, *acts(*done)) == "Done: all 9 tests pass. Changed: src/b.py."
    assert move(NOTE, REPORT, USER, *acts((RUN, cleared), (SKEW, cleared), (RUN, RED))) == BACK


def test_missing_tools_are_named():
    said = move(REPORT, USER, tools=[tool for tool in TOOLS if tool["name"] != "edit_file"])
    assert "edit_file" in said and "run_tests" not in said


def test_the_call_takes_the_next_number():
    wire = {"messages": [REPORT, USER, *acts((RUN, RED))], "tools": list(TOOLS)}
    assert MODEL.reply(wire)["tool_calls"][0]["id"] == "call_2"


def test_it_gives_its_reasons():
    wire = {"messages": [REPORT, RULE, USER, *acts(*FIXED, (RUN_ALL, ALL_RED))], "tools": TOOLS}
    quotes = [evidence.quote for evidence in MODEL.explain(wire)]
    assert quotes == ["In `src/c.py` replace `x` with `y`", "Hands off tests/data, please."]
