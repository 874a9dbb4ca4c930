"""The loop: pairs kept, errors as results, every ending named, and a run that was broken off."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from patch_agent.agent import INTERRUPTED, Agent
from patch_agent.budget import Budget, ContextTooLarge
from patch_agent.check import pair_problems
from patch_agent.messages import Message, Text, ToolCall, ToolResult, assistant, result, user
from patch_agent.models import ModelError, ScriptedModel
from patch_agent.policies import (
    Built,
    Chain,
    ClearResults,
    PolicyState,
    Recent,
    is_placeholder,
)
from patch_agent.request import Part, Request, fixed_part, history_part
from patch_agent.session import SessionLog
from patch_agent.summaries import careful
from patch_agent.tokens import exact
from patch_agent.tools import Workspace


def send_all(conversation):
    return Request((history_part(conversation),), conversation)


def call(ident: str, name: str, **arguments: object) -> ToolCall:
    return ToolCall(ident, name, json.dumps(arguments))


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "workspace"
    (folder / "tests").mkdir(parents=True)
    (folder / "shop.py").write_text("STATUS = 200\n")
    (folder / "tests/test_shop.py").write_text(
        "import shop\n\n\ndef test_status():\n    assert shop.STATUS == 401\n"
    )
    return folder


FIX = (
    assistant("I run it.", call("call_1", "run_tests", target="tests/test_shop.py")),
    assistant("I see.", call("call_2", "edit_file", path="shop.py", old="200", new="401")),
    assistant("And again.", call("call_3", "run_tests")),
    assistant("Done."),
)


def agent(root: Path, script, **options) -> Agent:
    model = script if hasattr(script, "reply") else ScriptedModel(script)
    return Agent(model, Workspace(root), options.pop("build", send_all), **options)


def test_a_run_ends_with_a_reply_that_makes_no_call(root, tmp_path):
    log = SessionLog(tmp_path / "session.jsonl")
    run = agent(root, FIX, log=log).run(users={1: "Make it pass."})
    assert run.ending == "done"
    assert [m.role for m in run.conversation] == ["user", *["assistant", "tool"] * 3, "assistant"]
    assert "assert 200 == 401" in run.conversation[2].results[0].text
    assert run.conversation[6].results[0].text.endswith("1 passed")
    assert (root / "shop.py").read_text() == "STATUS = 401\n"
    assert log.load().messages == run.conversation
    outputs = {p.name: p.read_text() for p in (root / ".patch/outputs").iterdir()}
    assert outputs == {
        f"call_{number}.log": run.conversation[2 * number].results[0].text for number in (1, 2, 3)
    }


def test_the_same_run_twice_is_the_same_bytes(root, tmp_path):
    logs = []
    for name in ("a", "b"):
        folder = tmp_path / name
        (folder / "tests").mkdir(parents=True)
        for file in ("shop.py", "tests/test_shop.py"):
            (folder / file).write_bytes((root / file).read_bytes())
        log = SessionLog(tmp_path / f"{name}.jsonl")
        agent(folder, FIX, log=log).run(users={1: "Make it pass."})
        logs.append(log.path.read_bytes())
    assert logs[0] == logs[1]


def test_the_model_is_given_the_wire_and_nothing_else(root):
    seen = []

    class Watching:
        def reply(self, wire):
            seen.append(json.loads(json.dumps(wire)))
            return {"role": "assistant", "content": "Done."}

    run = agent(root, Watching()).run(users={1: "Hi."})
    assert seen == [{"messages": [{"role": "user", "content": "Hi."}], "tools": []}]
    assert run.conversation[-1] == assistant("Done.")


def test_a_policy_can_build_the_request_and_keep_its_state(root):
    built = []

    def build(conversation):
        state = built[-1].state if built else PolicyState()
        built.append(Recent(2).build(send_all(conversation), state))
        return built[-1]

    script = [assistant(f"{n}", call(f"call_{n}", "list_files")) for n in range(1, 6)]
    run = agent(root, [*script, assistant("Done.")], build=build).run(users={1: "Go."})
    assert run.ending == "done" and len(built) == 6
    assert len(built[-1].request.messages) < len(run.conversation) == 12


def test_the_user_speaks_before_the_steps_asked_for(root):
    script = [assistant(f"{n}", call(f"call_{n}", "list_files")) for n in (1, 2, 3)]
    script.append(assistant("Done."))
    run = agent(root, script).run(users={1: "Go.", 3: "Hands off tests/fixtures/.", 9: "Never."})
    roles = [m.role for m in run.conversation]
    assert roles == ["user", *["assistant", "tool"] * 2, "user", "assistant", "tool", "assistant"]
    assert run.conversation[5].text == "Hands off tests/fixtures/."


def test_a_user_who_speaks_next_keeps_the_run_going(root):
    run = agent(root, [assistant("Done."), assistant("Now I am.")]).run(users={1: "a", 2: "b"})
    assert [m.text for m in run.conversation] == ["a", "Done.", "b", "Now I am."]


def test_parallel_calls_are_answered_in_their_order(root):
    two = assistant("", call("b", "list_files"), call("a", "read_file", path="shop.py"))
    run = agent(root, [two, assistant("Done.")]).run(users={1: "Go."})
    assert [m.results[0].call_id for m in run.conversation[2:4]] == ["b", "a"]
    assert not list(pair_problems(run.conversation))


@pytest.mark.parametrize(
    "bad",
    [
        ToolCall("1", "delete_everything", "{}"),
        ToolCall("1", "read_file", "{path"),
        ToolCall("1", "read_file", '{"path": "/etc/passwd"}'),
        ToolCall("", "", ""),
        ToolCall("../../x", "read_file", '{"path": "\\ud800"}'),
    ],
)
def test_a_bad_call_gets_an_error_and_the_run_lives(root, bad):
    run = agent(root, [assistant("", bad), assistant("I see.")]).run(users={1: "Go."})
    assert run.ending == "done" and run.conversation[2].results[0].error


def test_an_id_used_again_loses_no_output(root):
    script = [
        assistant("", call("0", "list_files")),
        assistant("", call("0", "read_file", path="shop.py")),
        assistant("Done."),
    ]
    run = agent(root, script).run(users={1: "Go."})
    assert not list(pair_problems(run.conversation))
    kept = sorted(p.name for p in (root / ".patch/outputs").iterdir())
    assert kept == ["0.2.log", "0.log"]


def test_a_long_output_is_cut_and_kept_whole(root):
    (root / "long.txt").write_text("".join(f"row {n}\n" for n in range(3_000)))
    script = [assistant("", call("call_1", "read_file", path="long.txt")), assistant("Done.")]
    run = agent(root, script, cap=300).run(users={1: "Go."})
    sent = run.conversation[2].results[0].text
    whole = (root / ".patch/outputs/call_1.log").read_text()
    assert exact().text(sent) <= 300 and whole.endswith("3000\trow 2999")
    assert sent.startswith("[Output cut:") and ".patch/outputs/call_1.log]" in sent


def test_code_is_told_of_each_call_before_its_result_is_sent(root):
    seen = []
    watching = agent(root, FIX, watch=lambda call, outcome: seen.append((call.id, outcome)))
    watching.run(users={1: "Go."})
    assert [ident for ident, _ in seen] == ["call_1", "call_2", "call_3"]
    assert [outcome.changed for _, outcome in seen] == [None, "shop.py", None]


# Endings


def test_a_call_that_is_too_large_is_never_sent(root):
    def too_large(conversation):
        raise ContextTooLarge(120_360, 112_000, {"tools": 26_000})

    run = agent(root, FIX, build=too_large).run(users={1: "Go."})
    assert run.ending == "too large" and "120,360" in run.reason and "112,000" in run.reason
    assert run.conversation == (user("Go."),)


def test_a_request_over_the_budget_is_never_sent(root):
    run = agent(root, FIX, budget=Budget(60, 10)).run(users={1: "word " * 30})
    assert run.ending == "too large" and "over the budget of 50" in run.reason
    run = agent(root, FIX, budget=Budget(200, 10)).run(users={1: "word " * 30})
    assert run.ending == "too large" and len(run.conversation) > 2


def test_a_broken_request_is_never_sent(root):
    def without_results(conversation):
        entries = history_part(conversation).entries
        kept = tuple(entry for entry in entries if entry.message.role != "tool")
        return Request((Part("history", kept),), conversation)

    run = agent(root, FIX, build=without_results).run(users={1: "Go."})
    assert run.ending == "refused" and "call_1" in run.reason
    pinned = Request((fixed_part("user", [user("a")]),), (), ("the rule",))
    run = agent(root, FIX, build=lambda conversation: pinned).run()
    assert run.ending == "refused" and "the rule" in run.reason


def test_a_policy_that_breaks_a_pair_ends_the_run(root):
    class DropResults:
        def build(self, request, state):
            entries = request.part("history").entries
            kept = tuple(entry for entry in entries if entry.message.role != "tool")
            return Built(request.with_part(Part("history", kept)), state)

    chain = Chain(DropResults())
    build = lambda conversation: chain.build(send_all(conversation), PolicyState())  # noqa: E731
    run = agent(root, FIX, build=build).run(users={1: "Go."})
    assert run.ending == "refused" and "call_1" in run.reason


def test_the_script_ends_and_so_does_the_run(root):
    run = agent(root, FIX[:1]).run(users={1: "Go."})
    assert run.ending == "model" and "after 1 replies" in run.reason
    assert len(run.conversation) == 3


@pytest.mark.parametrize("reply", [user("I am the user."), {"role": "robot"}, [], None])
def test_a_reply_that_is_none_ends_the_run(root, reply):
    class Odd:
        def reply(self, wire):
            return reply

    run = agent(root, Odd()).run(users={1: "Go."})
    assert run.ending == "model" and run.reason and run.conversation == (user("Go."),)


def test_a_model_that_fails_ends_the_run_with_its_words(root):
    class Failing:
        def reply(self, wire):
            raise ModelError("429: too many requests")

    assert agent(root, Failing()).run(users={1: "Go."}).reason == "429: too many requests"


def test_a_run_stops_after_so_many_steps_and_can_go_on(root):
    script = [assistant("", call(f"call_{n}", "list_files")) for n in range(1, 9)]
    first = agent(root, script).run(users={1: "Go."}, limit=3)
    assert first.ending == "limit" and len(first.conversation) == 7
    rest = agent(root, ScriptedModel(script, start=3)).run(first.conversation, limit=2)
    assert [m.calls[0].id for m in rest.conversation if m.calls] == [
        f"call_{n}" for n in range(1, 6)
    ]


# Broken off and resumed


def test_a_read_only_call_left_open_is_run_again(root):
    broken = (user("Go."), assistant("", call("call_1", "read_file", path="shop.py")))
    run = agent(root, [assistant("Done.")]).run(broken)
    assert run.conversation[2] == result("call_1", "shop.py, lines 1-1 of 1\n1\tSTATUS = 200")
    assert run.conversation[3] == assistant("Done.")


@pytest.mark.parametrize("name", ["edit_file", "write_file", "send_mail"])
def test_any_other_call_left_open_is_called_interrupted(root, name):
    broken = (user("Go."), assistant("", call("call_1", name, path="shop.py", text="x")))
    run = agent(root, [assistant("Done.")]).run(broken)
    assert run.conversation[2] == result("call_1", INTERRUPTED, error=True)
    assert (root / "shop.py").read_text() == "STATUS = 200\n"


def test_of_parallel_calls_only_the_open_ones_are_completed(root):
    calls = [
        call("a", "list_files"),
        call("b", "write_file", path="x", text=""),
        call("c", "list_files"),
    ]
    broken = (user("Go."), assistant("", *calls), result("a", "shop.py"))
    run = agent(root, [assistant("Done.")]).run(broken)
    assert [m.results[0].call_id for m in run.conversation if m.results] == ["a", "b", "c"]
    assert [m.results[0].error for m in run.conversation if m.results] == [False, True, False]


def test_a_pending_call_is_completed_too(root):
    waiting = Message("tool", (ToolResult("a", "in progress", pending=True),))
    broken = (user("Go."), assistant("", call("a", "list_files")), waiting)
    run = agent(root, [assistant("Done.")]).run(broken)
    assert "shop.py" in run.conversation[3].results[0].text


@pytest.mark.parametrize("end", range(1, 9))
def test_a_run_cut_after_any_record_goes_on_to_the_same_end(root, tmp_path, end):
    users = {1: "Make it pass.", 3: "Quickly."}
    whole = SessionLog(tmp_path / "whole.jsonl")
    agent(root, FIX, log=whole).run(users=users)
    rows = whole.path.read_bytes().splitlines(keepends=True)
    (root / "shop.py").write_text("STATUS = 200\n")
    cut = SessionLog(tmp_path / "cut.jsonl")
    torn = rows[end][:15] if end < len(rows) else b""
    cut.path.write_bytes(b"".join(rows[:end]) + torn)
    left = cut.load()
    assert left.messages == whole.load().messages[:end]
    if any(result.call_id == "call_2" for m in left.messages for result in m.results):
        (root / "shop.py").write_text("STATUS = 401\n")
    replies = sum(message.role == "assistant" for message in left.messages)
    model = ScriptedModel(FIX, start=replies)
    run = agent(root, model, log=cut).run(left.messages, users=users)
    assert cut.load().messages == run.conversation
    assert not list(pair_problems(run.conversation))
    same = [m.role for m in run.conversation] == [m.role for m in whole.load().messages]
    assert same and [m.text for m in run.conversation if m.role == "user"] == list(users.values())
    interrupted = any(m.results and m.results[0].text == INTERRUPTED for m in run.conversation)
    assert interrupted == (left.messages[-1] == FIX[1])
    if not interrupted:
        assert run.conversation == whole.load().messages


CALLS = st.builds(
    ToolCall,
    st.sampled_from(["0", "1", "2"]),
    st.sampled_from(["read_file", "edit_file", "write_file", "list_files", "search_text", "nope"]),
    st.sampled_from(
        [
            "{}",
            '{"path": "shop.py"}',
            '{"path": "new.py", "text": "x"}',
            '{"path": "shop.py", "old": "200", "new": "401"}',
            '{"pattern": "STATUS"}',
            "not json",
            '{"path": "../x"}',
        ]
    ),
)


@settings(max_examples=40)
@given(st.lists(st.lists(CALLS, min_size=1, max_size=3), max_size=4))
def test_any_calls_leave_a_sound_conversation(tmp_path_factory, plan):
    root = tmp_path_factory.mktemp("any")
    (root / "shop.py").write_text("STATUS = 200\n")
    script = [Message("assistant", (Text(f"{n}"), *calls)) for n, calls in enumerate(plan)]
    run = agent(root, [*script, assistant("Done.")]).run(users={1: "Go."})
    assert run.ending == "done" and not list(pair_problems(run.conversation))
    assert [m for m in run.conversation if m.role == "assistant"][:-1] == script


def test_every_path_that_a_placeholder_names_holds_the_output_that_it_stands_for(root):
    # Some providers begin again with call_1, or write ids that are no names of files.
    ids = (
        "call_1",
        "functions.read_file:0",
        "call_1",
        "../../x y",
        "call_1-2",
        "call_1",
        "call_1.2",
    )
    lines = [f"line {number}: " + "some words " * 30 for number in range(1, len(ids) + 1)]
    (root / "long.txt").write_text("\n".join(lines) + "\n")
    script = [
        assistant(f"{n}", call(ident, "read_file", path="long.txt", start=n, end=n))
        for n, ident in enumerate(ids, 1)
    ]
    run = agent(root, [*script, assistant("Done.")]).run(users={1: "Read."})
    assert run.ending == "done"
    whole = [m.results[0].text for m in run.conversation if m.results]
    assert len(set(whole)) == len(ids)
    request, counter = send_all(run.conversation), exact()
    for policy in (ClearResults(counter, 0, 1), ClearResults(counter, 0, 1, frozen=len(ids))):
        built = policy.build(request, PolicyState())
        cleared = [m.results[0].text for m in built.request.messages if m.results]
        assert all(is_placeholder(text) for text in cleared)
        paths = [text.rpartition(" ")[2].rstrip("]") for text in cleared]
        assert len(set(paths)) == len(ids)
        assert [(root / path).read_text() for path in paths] == whole
    told = careful(run.conversation, counter, 4_000).text
    assert all(path in told for path in paths[1:])


@pytest.mark.parametrize("broken", ["a file", "a link out", "a link to itself", "a link in it"])
def test_an_output_that_cannot_be_saved_is_sent_all_the_same(root, tmp_path, broken):
    (tmp_path / "outside").mkdir()
    if broken == "a file":
        (root / ".patch").write_text("")
    elif broken == "a link out":
        (root / ".patch").symlink_to(tmp_path / "outside")
    elif broken == "a link to itself":
        (root / ".patch").symlink_to(".patch")
    else:
        (root / ".patch/outputs").mkdir(parents=True)
        (root / ".patch/outputs/call_1.log").symlink_to(tmp_path / "outside")
    script = (assistant("I read.", call("call_1", "read_file", path="shop.py")), assistant("Done."))
    run = agent(root, script, cap=8).run()
    assert run.ending == "done"
    assert "could not be saved" in run.conversation[1].results[0].text
    assert not list((tmp_path / "outside").iterdir())
