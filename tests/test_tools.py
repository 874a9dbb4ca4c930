"""The six tools: what they print, what they refuse, and that nothing gets out of the folder."""

import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patch_agent.output_paths import output_path
from patch_agent.tokens import exact
from patch_agent.tools import TOOLS, SavedOutputs, Workspace, cut, definitions, effect, fresh_copy
from patch_agent.tools.pytest_run import MOST_PRINTED, run_tests, without_duration

FIXTURES = "tests/fixtures/"


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "workspace"
    files = {
        "auth/session.py": "import time\n\n\ndef age(start):\n    return time.time() - start\n",
        "auth/tokens.py": "SKEW = 0\nOTHER = 0\n",
        "tests/fixtures/users.json": "{}\n",
        "tests/test_auth.py": "def test_status():\n    status = 200\n    assert status == 401\n",
        "README.md": "# Shop\n",
        ".git/config": "SKEW\n",
        "auth/__pycache__/tokens.pyc": "SKEW\n",
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    (tmp_path / "outside.txt").write_text("SKEW, and a secret\n")
    return folder


def call(root: Path, name: str, protected: tuple[str, ...] = (), **arguments: object):
    return Workspace(root, protected).call(name, json.dumps(arguments))


def ok(root: Path, name: str, **arguments: object) -> str:
    outcome = call(root, name, **arguments)
    assert not outcome.error, outcome.text
    return outcome.text


def refused(root: Path, name: str, **arguments: object) -> str:
    outcome = call(root, name, **arguments)
    assert outcome.error and outcome.changed is None
    return outcome.text


def tree(root: Path) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file()}


# Listing, reading, searching


def test_files_are_listed_in_order_without_what_is_hidden(root):
    listed = ["README.md", "auth/session.py", "auth/tokens.py", "tests/fixtures/users.json"]
    assert ok(root, "list_files").split("\n") == [*listed, "tests/test_auth.py"]
    assert ok(root, "list_files", path="auth") == "auth/session.py\nauth/tokens.py"
    assert ok(root, "list_files", path="./auth/") == "auth/session.py\nauth/tokens.py"
    assert ok(root, "list_files", path="README.md") == "README.md"
    (root / "empty").mkdir()
    assert ok(root, "list_files", path="empty") == "No files in empty."
    assert "nowhere" in refused(root, "list_files", path="nowhere")


def test_saved_outputs_are_listed_only_when_asked_for(root):
    SavedOutputs(root).save("call_1", "text")
    assert ".patch" not in ok(root, "list_files")
    assert ok(root, "list_files", path=".patch") == ".patch/outputs/call_1.log"
    assert ok(root, "read_file", path=".patch/outputs/call_1.log").endswith("1\ttext")


def test_lines_are_read_with_their_numbers(root):
    text = ok(root, "read_file", path="auth/session.py", start=4)
    assert (
        text
        == "auth/session.py, lines 4-5 of 5\n4\tdef age(start):\n5\t    return time.time() - start"
    )
    assert ok(root, "read_file", path="auth/tokens.py", start=2, end=99).endswith("\n2\tOTHER = 0")
    assert ok(root, "read_file", path="auth/tokens.py", start=1, end=1).endswith(
        "of 2\n1\tSKEW = 0"
    )


@pytest.mark.parametrize(("start", "end"), [(0, 1), (-1, 5), (3, 9), (2, 1), (1, 0)])
def test_a_range_outside_the_file_is_refused(root, start, end):
    text = refused(root, "read_file", path="auth/tokens.py", start=start, end=end)
    assert text.startswith(("start:", "end:")) and text.endswith(
        ("got " + str(start), f"got {end}")
    )


def test_what_is_no_text_is_refused_by_name(root):
    (root / "logo.png").write_bytes(b"\x89PNG\xff")
    (root / "empty.py").touch()
    assert "logo.png" in refused(root, "read_file", path="logo.png")
    assert "folder" in refused(root, "read_file", path="auth")
    assert "auth/none.py" in refused(root, "read_file", path="auth/none.py")
    assert ok(root, "read_file", path="empty.py") == "empty.py is empty"
    assert ok(root, "search_text", pattern="PNG") == "No line holds 'PNG' in .."


def test_lines_end_at_a_line_feed_only(root):
    (root / "odd.txt").write_bytes("a\u2028b\x0cc\r\nd".encode())
    assert ok(root, "read_file", path="odd.txt") == (
        "odd.txt, lines 1-2 of 2\n1\ta\u2028b\x0cc\n2\td"
    )


def test_a_pipe_is_not_waited_for(root):
    os.mkfifo(root / "pipe")
    assert "pipe" in refused(root, "read_file", path="pipe")
    assert "pipe" not in ok(root, "list_files")
    assert ok(root, "search_text", pattern="SKEW").count("\n") == 0


def test_a_search_is_literal_and_keeps_its_case(root):
    assert ok(root, "search_text", pattern="time()") == (
        "auth/session.py:5: return time.time() - start"
    )
    assert ok(root, "search_text", pattern="SKEW") == "auth/tokens.py:1: SKEW = 0"
    assert ok(root, "search_text", pattern="skew").startswith("No line holds 'skew'")
    assert ok(root, "search_text", pattern=".*").startswith("No line")
    for pattern in ("", "a\nb"):
        assert "pattern" in refused(root, "search_text", pattern=pattern)


def test_a_pattern_that_would_explode_is_plain_text(root):
    (root / "long.txt").write_text("a" * 200_000 + "\n")
    assert ok(root, "search_text", pattern="(a+)+$").startswith("No line")


def test_a_search_says_how_many_lines_it_leaves_out(root):
    (root / "many.txt").write_text("needle\n" * 250 + "needle " + "x" * 9_000)
    lines = ok(root, "search_text", pattern="needle").split("\n")
    assert len(lines) == 101 and lines[-1] == "... and 151 more lines"
    assert len(ok(root, "search_text", pattern="needle x")) < 300


# Writing


def test_an_edit_changes_one_place_and_prints_it(root):
    outcome = call(root, "edit_file", path="auth/tokens.py", old="SKEW = 0", new="SKEW = 90")
    assert outcome.text == (
        "auth/tokens.py changed:\n@@ -1,2 +1,2 @@\n-SKEW = 0\n+SKEW = 90\n OTHER = 0"
    )
    assert outcome.changed == "auth/tokens.py"
    assert (root / "auth/tokens.py").read_text() == "SKEW = 90\nOTHER = 0\n"


def test_an_edit_and_its_reverse_restore_every_byte(root):
    (root / "odd.py").write_bytes("a = 1\r\nb = 2\u2028\n\tc".encode())
    (root / "odd.py").chmod(0o750)
    before = tree(root)
    ok(root, "edit_file", path="odd.py", old="b = 2", new="b = 3")
    assert tree(root) != before
    ok(root, "edit_file", path="odd.py", old="b = 3", new="b = 2")
    assert tree(root) == before and (root / "odd.py").stat().st_mode & 0o777 == 0o750


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("= 0", "= 1", "occurs 2 times"),
        ("= 7", "= 1", "occurs 0 times"),
        ("", "x", "empty"),
        ("SKEW", "SKEW", "equals old"),
        ("SKEW", "\ud800", "Unicode"),
    ],
)
def test_an_edit_that_is_not_clear_changes_nothing(root, old, new, named):
    before = tree(root)
    assert named in refused(root, "edit_file", path="auth/tokens.py", old=old, new=new)
    assert tree(root) == before


def test_overlapping_places_count(root):
    (root / "a.txt").write_text("aaa")
    assert "occurs 2 times" in refused(root, "edit_file", path="a.txt", old="aa", new="b")


def test_a_file_is_written_whole_and_its_folders_made(root):
    outcome = call(root, "write_file", path="notes/new.md", text="a\nb\n")
    assert outcome.text == "notes/new.md written: 2 lines, a new file"
    assert outcome.changed == "notes/new.md"
    again = ok(root, "write_file", path="notes/new.md", text="c")
    assert again == "notes/new.md written: 1 lines, 2 before"
    assert (root / "notes/new.md").read_text() == "c"
    assert "folder" in refused(root, "write_file", path="notes", text="x")
    assert "'README.md/x'" in refused(root, "write_file", path="README.md/x", text="x")
    assert not list(root.rglob("*.new"))


# Paths


OUTSIDE = [
    "",
    "/etc/passwd",
    "../outside.txt",
    "auth/../../outside.txt",
    "auth/..",
    "auth\\..\\..\\outside.txt",
    "C:\\Windows\\win.ini",
    "C:outside.txt",
    "c:/outside.txt",
    "\\\\server\\share\\x",
    "~/outside.txt",
    "a\0b",
    "\ud800",
    "x" * 5_000,
    "語" * 90,
    "link.txt",
    "folder_link/outside.txt",
    "chain",
    "loop",
]


@pytest.mark.parametrize("path", OUTSIDE, ids=lambda path: repr(path)[:24])
@pytest.mark.parametrize(
    "tool", ["list_files", "read_file", "search_text", "edit_file", "write_file"]
)
def test_no_path_leads_out_of_the_workspace(root, tool, path):
    (root / "link.txt").symlink_to("../outside.txt")
    (root / "folder_link").symlink_to(root.parent)
    (root / "chain").symlink_to("link.txt")
    (root / "loop").symlink_to("loop")
    rest = {
        "search_text": {"pattern": "secret"},
        "edit_file": {"old": "secret", "new": "x"},
        "write_file": {"text": "x"},
    }.get(tool, {})
    before = tree(root.parent)
    outcome = Workspace(root).call(tool, json.dumps({"path": path, **rest}))
    assert outcome.error and outcome.text.startswith("path ") and "secret" not in outcome.text
    assert repr(path)[:40].rstrip("'") in outcome.text
    assert tree(root.parent) == before


def test_links_out_of_the_workspace_are_not_listed_or_searched(root):
    (root / "link.txt").symlink_to("../outside.txt")
    (root / "folder_link").symlink_to(root.parent)
    (root / "inner").symlink_to("auth/tokens.py")
    assert "link" not in ok(root, "list_files")
    assert "secret" not in ok(root, "search_text", pattern="SKEW")
    assert "SKEW" in ok(root, "read_file", path="inner")


@pytest.mark.parametrize("target", ["../x.py", "/etc", "-p", "--pyargs", "tests/none.py", "a\0b"])
def test_a_target_outside_the_workspace_is_refused(root, target):
    assert repr(target)[1:-1] in refused(root, "run_tests", target=target)


@given(st.text(max_size=30), st.sampled_from(sorted(TOOLS)))
def test_no_arguments_raise_into_the_loop(tmp_path_factory, text, name):
    root = tmp_path_factory.getbasetemp() / "empty"
    root.mkdir(exist_ok=True)
    if name != "run_tests":
        assert isinstance(Workspace(root).call(name, text).text, str)
        assert isinstance(Workspace(root).call(text, "{}").text, str)


# Arguments


@pytest.mark.parametrize(
    ("name", "arguments", "named"),
    [
        ("delete_file", "{}", "'delete_file'"),
        ("read_file", "{path: 1}", "{path: 1}"),
        ("read_file", "[]", "[]"),
        ("read_file", "null", "null"),
        ("read_file", "[" * 100_000, "JSON"),
        ("read_file", '{"path": ' + "9" * 5_000 + "}", "path"),
        ("read_file", "{}", "path: expected a string, got nothing"),
        ("read_file", "", "path: expected a string, got nothing"),
        ("read_file", '{"path": 5}', "path: expected a string, got 5"),
        ("read_file", '{"path": null}', "path: expected a string, got None"),
        ("read_file", '{"path": "README.md", "start": "1"}', "start: expected a whole number"),
        ("read_file", '{"path": "README.md", "start": true}', "start: expected a whole number"),
        ("read_file", '{"path": "README.md", "start": 1.5}', "start: expected a whole number"),
        ("read_file", '{"path": "README.md", "lines": 5}', "'lines'"),
        ("run_tests", '{"verbose": "yes"}', "verbose: expected true or false"),
        ("edit_file", '{"path": "README.md", "old": "a"}', "new"),
    ],
)
def test_bad_arguments_are_named(root, name, arguments, named):
    outcome = Workspace(root).call(name, arguments)
    assert outcome.error and (named in outcome.text or "JSON" in outcome.text)
    assert len(outcome.text) < 500


def test_an_optional_argument_may_be_null(root):
    assert ok(root, "read_file", path="README.md", end=None) == (
        "README.md, lines 1-1 of 1\n1\t# Shop"
    )


def test_the_definitions_that_are_sent_fit_the_tools():
    kinds = {str: "string", int: "integer", bool: "boolean"}
    sent = {tool["name"]: tool["parameters"] for tool in definitions()}
    assert list(sent) == list(TOOLS)
    for name, tool in TOOLS.items():
        accepted = {**tool.required, **tool.optional}
        declared = {key: field["type"] for key, field in sent[name]["properties"].items()}
        assert declared == {key: kinds[kind] for key, kind in accepted.items()}
        assert sent[name]["required"] == list(tool.required)


def test_the_effects_of_the_tools():
    writes = {name for name in TOOLS if effect(name) == "reversible write"}
    assert writes == {"edit_file", "write_file"}
    assert effect("send_mail") == "external"


@pytest.mark.parametrize("name", sorted(set(TOOLS) - {"edit_file", "write_file"}))
def test_a_read_only_tool_changes_nothing(root, name):
    before = tree(root)
    arguments = {"read_file": {"path": "README.md"}, "search_text": {"pattern": "SKEW"}}
    ok(root, name, **arguments.get(name, {}))
    assert tree(root) == before


# Permissions


@pytest.mark.parametrize(
    "path",
    [
        "tests/fixtures/users.json",
        "./tests/fixtures//users.json",
        "tests/fixtures/new/deep.json",
        "TESTS/Fixtures/users.json",
        "alias/users.json",
        "one.json",
        "tests/fixtures",
        ".patch/outputs/call_1.log",
    ],
)
def test_a_protected_folder_is_not_written(root, path):
    (root / "alias").symlink_to("tests/fixtures")
    (root / "one.json").symlink_to("tests/fixtures/users.json")
    before = tree(root)
    for name, rest in (("edit_file", {"old": "{}", "new": "[]"}), ("write_file", {"text": "[]"})):
        outcome = call(root, name, protected=(FIXTURES,), path=path, **rest)
        assert outcome.error and path in outcome.text and "not permitted" in outcome.text
    assert tree(root) == before


def test_what_is_beside_a_protected_folder_is_written(root):
    for path in ("tests/fixtures_new.json", "tests/test_new.py"):
        assert not call(root, "write_file", protected=(FIXTURES,), path=path, text="x").error
    assert not call(root, "read_file", protected=(FIXTURES,), path=FIXTURES + "users.json").error


def test_a_protected_folder_that_is_a_link_is_protected_where_it_is(root):
    (root / "shared").symlink_to("tests/fixtures")
    outcome = call(root, "write_file", protected=("shared/",), path=FIXTURES + "a.json", text="x")
    assert outcome.error


def test_without_the_permission_the_same_write_goes_through(root):
    assert not call(root, "edit_file", path=FIXTURES + "users.json", old="{}", new="[]").error


# Running tests


def test_a_real_failure_is_printed_and_is_no_error(root):
    text = ok(root, "run_tests", target="tests/test_auth.py::test_status")
    assert "E   assert 200 == 401" in text and text.endswith("\n1 failed")
    assert str(root) not in text
    verbose = ok(root, "run_tests", target="tests", verbose=True)
    assert "tests/test_auth.py::test_status FAILED" in verbose


def test_an_unknown_test_and_no_tests_are_said(root):
    assert "test_none" in refused(root, "run_tests", target="tests/test_auth.py::test_none")
    assert ok(root, "run_tests", target="auth") == "no tests ran"


def test_a_python_without_pytest_is_told(root, monkeypatch):
    monkeypatch.setitem(sys.modules, "pytest", None)
    assert "no pytest" in refused(root, "run_tests")


def test_output_is_the_same_in_another_folder_environment_and_place(root, tmp_path):
    (root / "tests/test_more.py").write_text(
        "import os, sys, time, random, json\n"
        "import pytest\n"
        "@pytest.mark.parametrize('name', sorted({'b', 'a', 'ü'}))\n"
        "def test_name(name, tmp_path):\n"
        "    print('noise')\n"
        "    assert str(tmp_path) == name, (str(tmp_path), os.getcwd(), list({'x', 'y', 'z'}))\n"
        "def test_library():\n"
        "    json.loads('{')\n"
        "def test_environment():\n"
        "    assert sorted(os.environ) == [], sorted(set(os.environ) - {'PATH', 'HOME'})\n"
    )
    other = fresh_copy(root, tmp_path / "deeper" / "and deeper" / "copy")
    odd = {"COLUMNS": "40", "CI": "1", "PYTEST_ADDOPTS": "--tb=long", "PYTHONHASHSEED": "7"}
    odd |= {"TZ": "Asia/Tokyo", "PYTHONPATH": str(tmp_path), "FORCE_COLOR": "1", "LC_ALL": "C"}
    code = "import sys; from pathlib import Path; from patch_agent.tools.pytest_run import *\n"
    code += "sys.stdout.buffer.write(run_tests(Path(sys.argv[1]), verbose=True).encode())"
    done = subprocess.run(
        [sys.executable, "-c", code, str(other)],
        cwd=Path(__file__).parent.parent,
        env={**os.environ, **odd},
        capture_output=True,
    )
    here = run_tests(root, verbose=True)
    assert done.stdout.decode() == here, done.stderr
    assert str(tmp_path) not in here and "<tmp>" in here and sys.prefix not in here
    assert "<python>/json/" in here


def test_a_run_leaves_the_workspace_as_it_was(root):
    before = tree(root)
    run_tests(root)
    assert tree(root) == before


def test_settings_and_conftests_further_up_are_not_taken(root, tmp_path):
    (tmp_path / "pyproject.toml").write_text("[tool.pytest.ini_options]\naddopts = '--nope'\n")
    (tmp_path / "conftest.py").write_text("raise SystemExit('taken')\n")
    assert ok(root, "run_tests").endswith("1 failed")


def test_the_settings_of_the_workspace_are_taken(root):
    (root / "pytest.ini").write_text("[pytest]\npython_functions = check_*\n")
    assert ok(root, "run_tests") == "no tests ran"


def test_a_run_that_hangs_is_stopped_with_what_it_started(root):
    pid_file = root / "pid"
    (root / "tests/test_hang.py").write_text(
        "import subprocess, sys, time\n"
        "def test_hang():\n"
        "    child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        f"    open({str(pid_file)!r}, 'w').write(str(child.pid))\n"
        "    time.sleep(600)\n"
    )
    with pytest.raises(ValueError, match="stopped after 8 seconds"):
        run_tests(root, "tests/test_hang.py", time_limit=8)
    while is_alive(int(pid_file.read_text())):  # a test that hangs here has found a survivor
        time.sleep(0.01)


def is_alive(pid: int) -> bool:
    """True while there is such a process that is more than an entry waiting to be collected."""
    done = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True)
    return done.stdout.strip()[:1] not in ("", "Z")


def test_a_process_left_behind_does_not_hold_the_run(root):
    (root / "tests/test_left.py").write_text(
        "import subprocess, sys\n"
        "def test_left():\n"
        "    subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
    )
    assert run_tests(root, "tests/test_left.py").endswith("1 passed")


def test_a_process_that_left_its_group_is_ended_too(root):
    (root / "tests/test_left.py").write_text(
        "import os, time\n\n\n"
        "def test_left():\n"
        "    if os.fork() == 0:\n"
        "        os.setsid()\n"
        "        with open('left', 'w') as file:\n"
        "            file.write(str(os.getpid()))\n"
        "        time.sleep(60)\n"
        "        os._exit(0)\n"
        "    while not os.path.exists('left') or not os.path.getsize('left'):\n"
        "        time.sleep(0.01)\n"
    )
    assert run_tests(root, "tests/test_left.py").endswith("1 passed")
    if not Path("/proc/self/environ").exists():
        pytest.skip("processes are not listed in /proc")
    process, end = Path("/proc") / (root / "left").read_text(), time.monotonic() + 5
    while _is_running(process) and time.monotonic() < end:
        time.sleep(0.01)
    assert not _is_running(process)


def _is_running(process):
    try:
        return (process / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize(
    "instead", ["pass", "os.mkfifo(place)", "os.symlink('/etc/hostname', place)", "os.mkdir(place)"]
)
def test_the_output_is_read_whatever_lies_in_its_place(root, instead):
    (root / "tests/test_place.py").write_text(
        "import os\n\n\n"
        "def test_place():\n"
        "    place = os.path.join(os.environ['TMPDIR'], 'printed')\n"
        "    os.unlink(place)\n"
        f"    {instead}\n"
    )
    assert run_tests(root, "tests/test_place.py").endswith("1 passed")


def test_of_a_giant_output_its_two_ends_are_read(root):
    (root / "pytest.ini").write_text("[pytest]\naddopts = -s\n")
    (root / "tests/test_giant.py").write_text(
        "def test_giant():\n    for _ in range(3000):\n        print('y' * 999)\n"
    )
    text = run_tests(root, "tests/test_giant.py")
    assert len(text) < 2 * MOST_PRINTED
    assert "bytes left out" in text
    assert text.startswith("yyy")
    assert text.endswith("1 passed")


def test_a_test_that_prints_without_end_does_not_fill_the_disk(root, monkeypatch):
    pytest.importorskip("resource")
    monkeypatch.setattr("patch_agent.tools.pytest_run.LARGEST_FILE", 1_000_000)
    (root / "tests/test_endless.py").write_text(
        "def test_endless():\n    while True:\n        print('y' * 1000)\n"
    )
    start = time.monotonic()
    outcome = Workspace(root).call("run_tests", '{"target": "tests/test_endless.py"}')
    assert time.monotonic() - start < 30
    assert "File too large" in outcome.text


@pytest.mark.parametrize(
    "target", ["README.md::\0", "README.md::\ud800", "README.md::" + "x" * 200_000]
)
def test_a_target_that_no_process_can_be_given_is_refused(root, target):
    outcome = Workspace(root).call("run_tests", json.dumps({"target": target}))
    assert outcome.error
    assert outcome.text.startswith("target ")
    assert len(outcome.text) < 400


@pytest.mark.parametrize("path", ["x/" * 400 + "y", "x" * 100 + "/" + "y/" * 3_000, "x" * 10**6])
@pytest.mark.parametrize("name", ["write_file", "read_file", "list_files", "search_text"])
def test_a_path_of_any_depth_is_answered_in_short(root, name, path):
    more = {"write_file": {"text": "x"}, "search_text": {"pattern": "x"}}.get(name, {})
    outcome = Workspace(root).call(name, json.dumps({"path": path, **more}))
    assert outcome.error
    assert len(outcome.text) < 400


def test_a_text_that_occurs_everywhere_is_counted_up_to_a_limit(root):
    (root / "long.txt").write_text("a" * 1_000_000)
    arguments = json.dumps({"path": "long.txt", "old": "a" * 1000, "new": "b"})
    assert "occurs 1000 times or more" in Workspace(root).call("edit_file", arguments).text


def test_a_file_is_never_written_through_a_link_beside_it(root, tmp_path):
    (root / f".README.md.{os.getpid()}.new").symlink_to(tmp_path / "outside.txt")
    outcome = Workspace(root).call("write_file", json.dumps({"path": "README.md", "text": "new"}))
    assert not outcome.error
    assert (root / "README.md").read_text() == "new"
    assert (tmp_path / "outside.txt").read_text() == "SKEW, and a secret\n"


def test_a_test_that_kills_its_process_is_an_error(root):
    (root / "tests/test_exit.py").write_text(
        "import os\ndef test_exit():\n    os.kill(os.getpid(), 9)\n"
    )
    assert "status -9" in refused(root, "run_tests", target="tests/test_exit.py")


@pytest.mark.parametrize(
    ("line", "short"),
    [
        ("==== 1 failed, 3 passed in 0.12s ====", "1 failed, 3 passed"),
        ("1 passed in 61.20s (0:01:01)", "1 passed"),
        ("== 2 errors in 1.00s ==", "2 errors"),
        ("no tests ran in 0.00s", "no tests ran"),
        ("it ended in 5 steps", "it ended in 5 steps"),
    ],
)
def test_the_duration_is_cut_off_the_last_line_only(line, short):
    log = "x passed in 0.50s"
    assert without_duration(f"{log}\n{line}\n") == f"{log}\n{short}"
    assert without_duration("") == ""


# Saved outputs, and cutting at the boundary


def test_an_output_is_saved_whole_and_each_use_of_an_id_has_its_own_file(root):
    outputs = SavedOutputs(root)
    assert outputs.save("call_9", "first\n") == ".patch/outputs/call_9.log"
    assert outputs.save("call_9", "second\n", 2) == ".patch/outputs/call_9.2.log"
    assert outputs.save("call_9", "second\n", 3) == ".patch/outputs/call_9.3.log"
    assert outputs.save("call_9-2", "other\n") == ".patch/outputs/call_9-2.log"
    assert outputs.save("call_9.2", "dotted\n") != ".patch/outputs/call_9.2.log"
    assert (root / ".patch/outputs/call_9.log").read_bytes() == b"first\n"
    outputs.save("call_10", "odd \ud800 \u2028 \r\n")
    assert (root / ".patch/outputs/call_10.log").read_bytes() == "odd \\ud800 \u2028 \r\n".encode()


@pytest.mark.parametrize("ident", ["../../evil", "", "a/b", "x" * 500, ".", "\0", "\ud800", "ü"])
def test_an_id_that_is_no_name_is_saved_by_its_hash(root, ident):
    path = SavedOutputs(root).save(ident, "text")
    assert path.startswith(".patch/outputs/call_") and path == output_path(ident)
    assert (root / path).read_text() == "text" and len(path) < 60


def noise(size: int, seed: int) -> str:
    draw = random.Random(seed)
    return "".join(draw.choice("abc 語é🙂\n<|>012") for _ in range(size))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("cap", [40, 100, 1_000])
def test_a_long_output_is_cut_within_the_cap_with_the_notice_at_its_head(seed, cap):
    # openai/codex#35226: the notice stood in the middle of the payload
    text, counter = noise(20_000, seed), exact()
    short = cut(text, counter, cap, ".patch/outputs/call_1.log")
    head, _, rest = short.partition("\n")
    assert counter.text(short) <= max(cap, counter.text(head))
    assert head.startswith("[Output") and f"{counter.text(text):,}" in head and "call_1.log" in head
    if rest:
        first, last = rest.split("\n[...]\n")
        assert text.startswith(first) and text.endswith(last)
        left_out = len(text) - len(first) - len(last)
        assert f"{left_out:,} characters" in head and f"{cap:,}" in head


def test_an_output_within_the_cap_is_untouched():
    counter, text = exact(), noise(300, 1)
    size = counter.text(text)
    assert cut(text, counter, size, "p") == text
    assert cut(text, counter, size - 1, "p") != text


def test_whole_lines_are_kept_where_lines_are_short():
    text = "\n".join(f"line {number} of a long log" for number in range(5_000))
    short = cut(text, exact(), 500, "p")
    kept = [line for line in short.split("\n")[1:] if line != "[...]"]
    assert set(kept) <= set(text.split("\n")) and kept[-1] == "line 4999 of a long log"
    assert exact().text(short) > 400


def test_a_huge_unbroken_output_is_cut():
    short = cut("x" * 3_000_000, exact(), 200, "p")
    assert exact().text(short) <= 200


def test_a_fresh_copy_leaves_caches_and_outputs_behind(root, tmp_path):
    SavedOutputs(root).save("call_1", "text")
    copy = fresh_copy(root, tmp_path / "copy")
    names = {name for name in tree(root) if not name.startswith((".git", ".patch"))}
    assert set(tree(copy)) == {name for name in names if "__pycache__" not in name}
