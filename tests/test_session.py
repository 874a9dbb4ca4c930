"""The session log: nothing lost, a torn line reported, every odd record survived."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patch_agent.messages import Message, Text, Usage, assistant, user
from patch_agent.session import SessionLog, format_record, load_session, read_session
from tests.any_messages import anything
from tests.conversations import conversations


def log_of(messages) -> bytes:
    return b"".join(format_record(message).encode() + b"\n" for message in messages)


def test_a_record_is_one_line_of_json_in_the_wire_form():
    message = Message("assistant", (Text("Hé."),), id="msg_1", usage=Usage(10, 2, 80, 0))
    assert json.loads(format_record(message)) == {
        "message": {"role": "assistant", "content": "Hé."},
        "id": "msg_1",
        "usage": {"input": 10, "output": 2, "cache_read": 80, "cache_write": 0},
    }
    assert format_record(user("a\nb")) == '{"message": {"role": "user", "content": "a\\nb"}}'


@given(conversations())
def test_a_conversation_comes_back(messages):
    session = read_session(log_of(messages))
    assert session.messages == messages and session.problems == ()
    assert session.lines == tuple(range(1, len(messages) + 1))


@given(anything(), st.builds(Usage, st.integers(0, 9), st.integers(0, 9)), st.text())
def test_usage_and_ids_come_back(messages, usage, ident):
    kept = [Message(m.role, m.blocks, m.name, ident or None, usage) for m in messages]
    back = read_session(log_of(kept)).messages
    assert back == tuple(kept) and all(message.usage == usage for message in back)


@given(conversations(), st.data())
def test_a_log_cut_anywhere_keeps_every_whole_record(messages, data):
    # NousResearch/hermes-agent#1193
    whole = log_of(messages)
    end = data.draw(st.integers(0, len(whole)))
    session = read_session(whole[:end])
    complete = whole[:end].count(b"\n")
    assert session.messages[:complete] == messages[:complete]
    tail = whole[:end].rpartition(b"\n")[2]
    if len(session.messages) > complete:  # cut exactly before the line feed
        assert session.messages[complete] == messages[complete] and not session.problems
    elif tail:
        assert [(p.line, p.message) for p in session.problems] == [(complete + 1, "cut off")]
    else:
        assert not session.problems


def test_a_log_goes_on_after_a_torn_line_and_the_torn_line_stays(tmp_path):
    log = SessionLog(tmp_path / "session.jsonl")
    for word in ("one", "two"):
        log.append(user(word))
    torn = log.path.read_bytes()[:-9]
    log.path.write_bytes(torn)
    assert [str(p) for p in log.load().problems] == ["line 2: cut off"]
    log.append(user("three"))
    session = log.load()
    assert [message.text for message in session.messages] == ["one", "three"]
    assert session.lines == (1, 3) and [p.line for p in session.problems] == [2]
    assert log.path.read_bytes().startswith(torn)


def test_a_whole_record_without_its_line_feed_is_kept(tmp_path):
    log = SessionLog(tmp_path / "session.jsonl")
    log.append(user("one"))
    log.path.write_bytes(log.path.read_bytes()[:-1])
    log.append(user("two"))
    assert [message.text for message in log.load().messages] == ["one", "two"]
    assert log.load().problems == ()


def test_there_is_no_log_before_the_first_record(tmp_path):
    log = SessionLog(tmp_path / "session.jsonl")
    assert log.load().messages == () and not log.path.exists()
    with pytest.raises(FileNotFoundError):
        load_session(log.path)


def test_lines_end_at_a_line_feed_only():
    # siteboon/claudecodeui#1002
    odd = "a\u2028b\u2029c\x85d\x0be\x0cf\x1cg\rh\r\ni"
    data = log_of([user(odd), user("next")])
    assert data.count(b"\n") == 2 and "\u2028".encode() in data
    assert read_session(data).messages == (user(odd), user("next"))
    assert read_session(data.replace(b"\n", b"\r\n")).messages == (user(odd), user("next"))


def test_a_lone_surrogate_survives():
    data = log_of([user("a\ud800b")])
    assert read_session(data).messages == (user("a\ud800b"),)


def test_two_records_on_one_line_are_both_read_and_reported():
    glued = format_record(user("a")) + format_record(user("b")) + " " + format_record(user("c"))
    session = read_session(f"{glued}\n".encode() + log_of([user("d")]))
    assert [message.text for message in session.messages] == ["a", "b", "c", "d"]
    assert session.lines == (1, 1, 1, 2)
    assert [str(p) for p in session.problems] == ["line 1: 3 records on one line"]


def test_a_record_glued_to_a_torn_one_is_read():
    session = read_session((format_record(user("a")) + '{"message": {"ro').encode())
    assert session.messages == (user("a"),) and [p.line for p in session.problems] == [1]


@pytest.mark.parametrize(
    ("row", "named"),
    [
        (b"[1, 2]", "[1, 2]"),
        (b"null", "None"),
        (b"5", "5"),
        (b'"text"', "text"),
        (b"{}", "a message"),
        (b'{"message": []}', "a message"),
        (b'{"message": {"role": "robot"}}', "'robot'"),
        (b'{"message": {"role": "user", "content": 5}}', "content"),
        (b'{"message": {"role": "user"}, "id": 5}', "id"),
        (b'{"message": {"role": "user"}, "usage": 5}', "usage"),
        (b'{"message": {"role": "user"}, "usage": {"input": -1}}', "usage"),
        (b'{"message": {"role": "user"}, "usage": {"input": true}}', "usage"),
        (b"not json", "'not json'"),
        (b"\xff\xfe", "UTF-8"),
        (b"[" * 200_000, "JSON"),
        (b'{"n": ' + b"9" * 6_000 + b"}", ""),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_bad_record_is_reported_and_the_rest_read(row, named):
    # dwarvesf/dwarves-kit#571
    session = read_session(log_of([user("a")]) + row + b"\n" + log_of([user("b")]))
    assert [message.text for message in session.messages] == ["a", "b"]
    (problem,) = session.problems
    assert problem.line == 2 and named in problem.message and len(problem.message) < 200


@given(st.binary(max_size=200))
def test_any_bytes_are_read(data):
    session = read_session(data)
    assert len(session.messages) == len(session.lines)


def test_a_byte_order_mark_costs_no_message():
    data = (format_record(user("Hi")) + "\n").encode("utf-8-sig")
    session = read_session(data)
    assert session.messages[0].text == "Hi" and not session.problems


def test_empty_lines_are_nothing():
    session = read_session(b"\n\n" + log_of([user("a")]) + b"  \n")
    assert session.messages == (user("a"),) and session.lines == (3,) and not session.problems


def test_the_raw_record_is_kept_beside_the_message():
    data = b'{"message": {"role": "user", "content": "a"}, "note": "x"}\n'
    assert read_session(data).messages[0].raw["note"] == "x"


WRITER = """
import sys
from pathlib import Path
from patch_agent.messages import user
from patch_agent.session import SessionLog
log = SessionLog(Path(sys.argv[1]))
number = 0
while True:
    log.append(user(f"{number} " + "x" * 20_000))
    print(number, flush=True)
    number += 1
"""


def test_what_was_appended_survives_a_kill(tmp_path):
    path = tmp_path / "session.jsonl"
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path)],
        cwd=Path(__file__).parent.parent,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    said = [process.stdout.readline() for _ in range(20)]
    os.kill(process.pid, signal.SIGKILL)
    said += process.stdout.readlines()
    process.wait()
    session = SessionLog(path).load()
    assert len(session.messages) >= len(said) >= 20
    starts = [message.text.partition(" ")[0] for message in session.messages]
    assert starts == [str(number) for number in range(len(starts))]


def test_a_message_is_on_the_disk_before_append_returns(tmp_path, monkeypatch):
    seen = []
    real = os.fsync

    def watched(handle):
        real(handle)
        seen.append((tmp_path / "s.jsonl").read_bytes().count(b"\n"))

    monkeypatch.setattr(os, "fsync", watched)
    log = SessionLog(tmp_path / "s.jsonl")
    log.append(user("a"))
    log.append(assistant("b"))
    assert seen == [1, 2]


def test_a_line_of_very_many_records_is_read_in_linear_time():
    count = 300_000  # many minutes where each record copies the rest of the line
    session = read_session(b'{"message": {"role": "user"}} ' * count + b"{")
    assert len(session.messages) == count
    assert [problem.message for problem in session.problems] == [
        f"{count} records on one line",
        "cut off",
    ]


def test_a_usage_that_no_provider_can_have_billed_is_reported():
    row = b'{"message": {"role": "user"}, "usage": {"input": %s}}\n' % (b"9" * 4000)
    (problem,) = read_session(row).problems
    assert problem.message.startswith("usage:")
    assert len(problem.message) < 200
