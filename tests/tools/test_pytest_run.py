"""Tests that are really run: the same output everywhere, and an end in any case."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from patch_agent.tools import Workspace, fresh_copy
from patch_agent.tools.pytest_run import MOST_PRINTED, run_tests, without_duration
from tests.tools.calls import ok, refused, tree

ROOT = Path(__file__).parents[2]


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
        cwd=ROOT,
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
    outcome = Workspace(root).call("run_tests", '{"target": "tests/test_endless.py"}')
    assert "File too large" in outcome.text


@pytest.mark.parametrize(
    "target", ["README.md::\0", "README.md::\ud800", "README.md::" + "x" * 200_000]
)
def test_a_target_that_no_process_can_be_given_is_refused(root, target):
    outcome = Workspace(root).call("run_tests", json.dumps({"target": target}))
    assert outcome.error
    assert outcome.text.startswith("target ")
    assert len(outcome.text) < 400


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


@pytest.mark.parametrize("target", ["../x.py", "/etc", "-p", "--pyargs", "tests/none.py", "a\0b"])
def test_a_target_outside_the_workspace_is_refused(root, target):
    assert repr(target)[1:-1] in refused(root, "run_tests", target=target)
