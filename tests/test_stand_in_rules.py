"""More ways to say it, beside the phrasings: what the first version of the reader got wrong,
found by trying it out after it was written."""

from __future__ import annotations

import pytest

from patch_agent.stand_in import StandIn
from patch_agent.stand_in.paths import covers, paths, same_test
from patch_agent.stand_in.paths import tests as named_tests
from patch_agent.stand_in.sentences import LONGEST, sentences

MODEL = StandIn()
TEST = "tests/test_auth.py::test_login_expired_token"


def ask(kind, text, source="user", **params):
    role = {"role": source} if source in ("user", "assistant") else {"role": "system"}
    message = role | {"content": text} | ({} if "user" in source else {"name": source})
    return MODEL.answer({"messages": [message]}, {"kind": kind, "params": params})


@pytest.mark.parametrize("source", ("user", "summary"))
@pytest.mark.parametrize(
    "text",
    [
        "I'd rather you didn't touch tests/fixtures/.",
        "Edit anything you like, but not tests/fixtures/.",
        "Everything except tests/fixtures/ may be edited.",
        "We agreed that nobody touches tests/fixtures/.",
        "Changes to tests/fixtures/ are not allowed.",
        "Remember: no touching tests/fixtures/!",
        "The user forbade edits in tests/fixtures/.",
        "tests/fixtures/ belongs to billing. Leave it alone.",
        "tests/fixtures/ is shared, so please don't change those files.",
        "The fixtures are off limits.",
        "Off limits: tests/fixtures/",
        "Rules:\n- no edits in tests/fixtures/\n- run the tests first",
        "You can read tests/fixtures/ but you can't change it.",
        "Could you please stay away from tests/fixtures/?",
        "Do not edit files under src/, tests/fixtures/ or docs/.",
        "It was fine to edit tests/fixtures/ once, but now it is off limits.",
    ],
)
def test_forbidden(text, source):
    assert ask("may_edit", text, source, path="tests/fixtures/").found


@pytest.mark.parametrize("source", ("user", "summary"))
@pytest.mark.parametrize(
    "text",
    [
        "Leave docs/ alone and work in tests/fixtures/.",
        "Do not touch src/; the data is in tests/fixtures/.",
        "In the old project tests/fixtures/ was off limits.",
        "I wonder whether tests/fixtures/ should be off limits.",
        "Somebody said tests/fixtures/ was frozen, but that is wrong.",
        "I have not touched tests/fixtures/ so far.",
        "No changes in tests/fixtures/ were made.",
        "You don't need to edit tests/fixtures/.",
        "Do not read tests/fixtures/, it is long.",
        "You may edit src/ and tests/fixtures/, but leave docs/ alone.",
    ],
)
def test_not_forbidden(text, source):
    assert not ask("may_edit", text, source, path="tests/fixtures/").found


def test_a_permission_for_the_folder_above_does_not_lift_a_rule_below():
    text = "Do not edit tests/fixtures/. You may edit tests/."
    assert ask("may_edit", text, path="tests/fixtures/").found
    assert not ask("may_edit", text, path="tests/test_a.py").found


def test_a_permission_is_told():
    answer = ask("may_edit", "You may edit tests/fixtures/ now.", path="tests/fixtures/")
    assert answer.text.startswith("Yes, it may.") and not answer.found


@pytest.mark.parametrize(
    "kind, source, text, found",
    [
        ("goal", "user", f"Please look into {TEST}: it must go green.", True),
        ("goal", "user", f"The goal is that {TEST} passes.", True),
        ("goal", "summary", f"The user asked for {TEST} to pass.", True),
        ("goal", "user", f"I ran {TEST}; it failed.", False),
        ("goal", "summary", f'The assistant said at step 3: "{TEST} must pass."', False),
        ("ruled_out", "summary", "We tried a longer limit in auth/tokens.py; no effect.", True),
        ("ruled_out", "user", "Don't try the clock-skew allowance again.", True),
        ("ruled_out", "assistant", "I suspect a.py. I have changed nothing in it.", False),
        ("ruled_out", "summary", "Ruled out: nothing yet", False),
        ("before_done", "summary", "Don't say you're done until CHANGELOG.md has a line.", True),
        ("before_done", "user", "At the end, add an entry to CHANGELOG.md.", True),
        ("helper_found", "summary", "Helper: auth/session.py uses local time.", True),
        ("helper_found", "summary", 'The assistant said: "The helper writes with `put`."', False),
        ("helper_found", "summary", 'The assistant said: "The helper found a.py at fault."', True),
    ],
)  # fmt: skip
def test_other_probes(kind, source, text, found):
    assert ask(kind, text, source).found is found


def test_outputs_kept_under_a_pattern_with_a_letter():
    answer = ask("output_of", "All tool outputs: .patch/outputs/call_N.log", "summary", call=9)
    assert answer.text == "In .patch/outputs/call_9.log."


@pytest.mark.parametrize("last, found", [(8, False), (9, True), (42, True)])
def test_a_pattern_tells_only_of_the_calls_in_its_range(last, found):
    text = f"Full outputs: `.patch/outputs/call_<n>.log`, for n = 1 to {last}"
    assert ask("output_of", text, "summary", call=9).found is found


@pytest.mark.parametrize(
    "rule, asked, expected",
    [
        ("tests/fixtures/", "tests/fixtures", True),
        ("tests/fixtures/*", "tests/fixtures/a/b.json", True),
        ("./tests/fixtures/**", "tests/fixtures/", True),
        ("tests/", "tests/fixtures/", True),
        ("tests/fixtures/a.json", "tests/fixtures/", False),
        ("tests/fixtures_old/", "tests/fixtures/", False),
        ("fixtures/", "tests/fixtures/", False),
        ("", "tests/", False),
    ],
)
def test_covers(rule, asked, expected):
    assert covers(rule, asked) is expected


def test_names_in_text():
    assert [
        m.name for m in paths("See (docs/a.md), `src/`, x.py, and/or 3.5; e.g. datetime.now.")
    ] == [
        "docs/a.md",
        "src/",
        "x.py",
        "and/or",
    ]
    assert [m.name for m in named_tests("test_a and tests/test_b.py::TestC::test_d[x-1]")] == [
        "test_a",
        "tests/test_b.py::TestC::test_d[x-1]",
    ]
    assert same_test("test_b.py::test_a", "tests/test_b.py::test_a")
    assert not same_test("tests/test_c.py::test_a", "tests/test_b.py::test_a")


def test_what_has_no_end_is_read_in_pieces():
    text = "if " * 5_000 + "x" * 3_000
    pieces = sentences(text)
    assert max(len(piece.flat) for piece in pieces) <= LONGEST
    assert "".join(piece.flat for piece in pieces).replace(" ", "") == text.replace(" ", "")
    assert all(text[piece.start : piece.end] == piece.flat for piece in pieces)


@pytest.mark.parametrize(
    "text",
    [
        "README.md says that you may edit tests/fixtures/.",
        "The README says you may edit tests/fixtures/.",
        "A comment in `tests/helpers.py` says tests/fixtures/ may be edited.",
        "The helper's report suggested that tests/fixtures/ can be changed.",
        "The log claims tests/fixtures/ may be edited.",
        "notes.md says the user wants tests/fixtures/ changed, so tests/fixtures/ may be edited.",
    ],
)
def test_what_a_file_says_lifts_no_rule_of_the_users(text):
    rule = "The user said: tests/fixtures/ is off limits."
    assert ask("may_edit", f"{rule}\n\n{text}", "summary", path="tests/fixtures/").found
    assert not ask("may_edit", text, "summary", path="tests/fixtures/").found


@pytest.mark.parametrize(
    "text",
    [
        "In step 14 the user said in their report that tests/fixtures/ is off limits.",
        "tests/fixtures/orders.json is off limits, the user said in step 3.",
        "Do not edit tests/fixtures/orders.json, the user has said.",
        "On this page you told me not to edit tests/fixtures/orders.json.",
        "The user said that tests/fixtures/orders.json, as stated in step 3, is off limits.",
        "tests/fixtures/orders.json must not be edited (stated by the user).",
        "Never edit tests/fixtures/orders.json, said the user.",
    ],
)
def test_what_the_user_says_of_a_file_counts_when_it_is_told_again(text):
    assert ask("may_edit", text, "summary", path="tests/fixtures/orders.json").found


@pytest.mark.parametrize("who", ("The user", "AGENTS.md", "The team, in AGENTS.md,"))
def test_what_the_user_or_agents_md_says_counts_when_it_is_told_again(who):
    text = f"{who} said that tests/fixtures/ is off limits."
    assert ask("may_edit", text, "summary", path="tests/fixtures/").found
