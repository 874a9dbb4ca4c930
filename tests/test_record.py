"""The recorded session: made again byte for byte, its sizes, and which step carries what.

`patch-agent record FOLDER` makes the log; copy its session.jsonl to data/scenario/ to
renew the one that is kept.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from patch_agent.check import problems
from patch_agent.cli import main
from patch_agent.data import data_path
from patch_agent.messages import Message, pairing
from patch_agent.record import (
    LOG,
    Script,
    load_script,
    record,
    recorded_script,
    resume_workspace,
    whole,
)
from patch_agent.session import load_session
from patch_agent.tokens import exact

KEPT = data_path("scenario", LOG)
GOAL = "tests/test_auth.py::test_login_expired_token"


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the session made again."""
    folder = tmp_path_factory.mktemp("made") / "recording"
    assert main(["record", str(folder)]) == 0
    return folder


@pytest.fixture(scope="module")
def messages() -> tuple[Message, ...]:
    session = load_session(KEPT)
    assert session.problems == ()
    return session.messages


def numbered(messages: tuple[Message, ...]) -> list[tuple[int, Message]]:
    """Each message with the step that it belongs to; a user's with the step that follows."""
    rows, number = [], 0
    for message in messages:
        number += message.role == "assistant"
        rows.append((number + (message.role == "user"), message))
    return rows


def carriers(messages: tuple[Message, ...], role: str, text: str) -> list[int]:
    """The steps in which a message of this role holds a text, calls' arguments included."""
    found = []
    for number, message in numbered(messages):
        texts = [message.text, *(r.text for r in message.results)]
        texts += [call.arguments for call in message.calls]
        if message.role == role and any(text in part for part in texts):
            found.append(number)
    return found


def test_made_again_it_is_the_same(recording: Path) -> None:
    assert (recording / LOG).read_bytes() == KEPT.read_bytes()


def test_nothing_is_recorded_over(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["record", str(recording)]) == 2
    assert "there is a recording already" in capsys.readouterr().err


def test_workspace_ends_as_it_began(recording: Path) -> None:
    root, source = recording / "workspace", data_path("repo")
    files = [f for f in source.rglob("*") if f.is_file() and "__pycache__" not in f.parts]
    for file in files:
        name = file.relative_to(source)
        assert (root / name).read_bytes() == file.read_bytes(), name
    assert len(list((root / ".patch/outputs").iterdir())) == 48


def test_workspace_can_be_had_without_a_run(
    recording: Path, messages: tuple[Message, ...], tmp_path: Path
) -> None:
    root = resume_workspace(messages, data_path("repo"), tmp_path / "workspace").root
    made = recording / "workspace"
    for file in made.rglob("*"):
        if file.is_file() and "__pycache__" not in file.parts:
            assert (root / file.relative_to(made)).read_bytes() == file.read_bytes(), file


def test_forty_eight_steps_each_with_one_call(messages: tuple[Message, ...]) -> None:
    calls = [call.id for message in messages for call in message.calls]
    assert calls == [f"call_{number}" for number in range(1, 49)]
    assert not pairing(messages).open and not pairing(messages).orphans
    assert not [r for m in messages for r in m.results if r.error]
    assert problems(whole(messages)) == ()


def test_results_are_not_cut(messages: tuple[Message, ...]) -> None:
    assert not [m for m in messages for r in m.results if r.text.startswith("[Output")]


@pytest.mark.parametrize(
    "region, tokens",
    [("calls and user", 5_090), ("outputs", 75_620), ("recent", 6_590), ("all", 87_300)],
)
def test_sizes(messages: tuple[Message, ...], region: str, tokens: int) -> None:
    counter = exact()
    sizes = dict.fromkeys(("calls and user", "outputs", "recent", "all"), 0)
    for number, message in numbered(messages):
        old = "outputs" if message.role == "tool" else "calls and user"
        sizes["recent" if number > 42 else old] += counter.message(message)
        sizes["all"] += counter.message(message)
    assert abs(sizes[region] - tokens) <= 0.02 * tokens


def test_step_nine_is_a_failed_log_of_the_size_told(messages: tuple[Message, ...]) -> None:
    (log,) = [m for n, m in numbered(messages) if n == 9 and m.role == "tool"]
    assert f"FAILED {GOAL}" in log.results[0].text
    assert abs(exact().message(log) - 1_400) <= 0.05 * 1_400


@pytest.mark.parametrize(
    "role, text, steps",
    [
        ("user", GOAL, [1]),
        ("assistant", GOAL, [1]),
        ("user", "`tests/fixtures/` is off limits", [14]),
        ("assistant", "off limits", []),
        ("tool", "off limits", []),
        ("tool", "assert 200 == 401", [1, 9, 29]),
        ("assistant", "assert 200", []),
        ("assistant", "Ruled out", [30]),
        ("assistant", "seconds=90", [28, 30]),
        ("assistant", "clock-skew", [30]),
        ("assistant", "My suspect is `auth/session.py`", [48]),
        ("user", "CHANGELOG", []),
        ("assistant", "CHANGELOG", []),
        ("tool", "Unreleased", []),
    ],
)
def test_which_steps_carry_what(
    messages: tuple[Message, ...], role: str, text: str, steps: list[int]
) -> None:
    assert carriers(messages, role, text) == steps


def test_no_step_proposes_the_fix(messages: tuple[Message, ...]) -> None:
    told = [m for m in messages if m.role in ("user", "assistant")]
    assert not [m for m in told if "UTC" in m.text and "replace" in m.text.lower()]
    assert carriers(messages, "tool", "replace(tzinfo=UTC)") == [42, 46]


@pytest.mark.parametrize(
    "text, reason",
    [
        ('[[step]]\nsays = "x"\ncall = "list_files"\n', "step 1: expected says, call and with"),
        ('[[user]]\nbefore = 3\nsays = "x"\n', "before step 3"),
    ],
)
def test_unfit_script(tmp_path: Path, text: str, reason: str) -> None:
    (tmp_path / "script.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=reason):
        load_script(tmp_path / "script.toml")


def test_edit_that_comes_out_otherwise_is_noticed(
    messages: tuple[Message, ...], tmp_path: Path
) -> None:
    other = tmp_path / "other"
    (other / "auth").mkdir(parents=True)
    (other / "auth/tokens.py").write_text("CLOCK_SKEW = timedelta(seconds=0)\n", encoding="utf-8")
    with pytest.raises(RuntimeError, match="call_28"):
        resume_workspace(messages, other, tmp_path / "workspace")


def test_a_run_that_ends_early_is_no_recording(tmp_path: Path) -> None:
    script = recorded_script()
    silent = Message("assistant", script.replies[0].blocks[:1])
    with pytest.raises(RuntimeError, match="ended early: done"):
        record(Script((silent, *script.replies[1:]), {}), data_path("repo"), tmp_path)


def test_log_is_plain_json_lines() -> None:
    rows = KEPT.read_text(encoding="utf-8").splitlines()
    assert len(rows) == 48 * 2 + 2
    assert {json.loads(row)["message"]["role"] for row in rows} == {"user", "assistant", "tool"}
