"""Runs the workspace's tests: a real pytest in a process of its own.

What pytest prints is the same on every machine: plugins, cache, header and colour are off,
the width is fixed, folders of this machine are taken out, and the duration in the closing
line too. A run that takes too long is stopped, with everything that it started.
"""

from __future__ import annotations

import os
import re
import signal
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import BinaryIO

from patch_agent.tools.errors import ToolError
from patch_agent.tools.paths import inside

FLAGS = (
    "--rootdir=.",
    "--confcutdir=.",
    "-p",
    "no:cacheprovider",
    "--no-header",
    "--color=no",
    "--tb=short",
    "--show-capture=no",
)
WIDTH = 100
"""Columns of pytest's output."""
TIME_LIMIT = 120.0
"""Seconds after which a run is stopped."""
MOST_PRINTED = 1_000_000
"""Bytes of a run's output that are read; of more, its beginning and its end."""
LARGEST_FILE = 64_000_000
"""Bytes of a file that a run may write, where the system can limit that: a test may print on
and on, and what pytest catches of it goes into a file."""
LONGEST_TARGET = 4_000
"""Characters of a file's name or a test id."""
_KEPT = ("PATH", "HOME", "SYSTEMROOT", "USERPROFILE")
_SETTINGS = ("pytest.toml", "pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg")
_DURATION = re.compile(r"^(=+ )?(.*\S) in [\d.]+s(?: \([\d:]+\))?( =+)?$", re.MULTILINE)


def run_tests(
    root: Path, target: str = "", verbose: bool = False, time_limit: float = TIME_LIMIT
) -> str:
    """What pytest prints for a file, folder or test id; for all tests when there is no target.

    Raises ToolError when pytest cannot run the target or takes longer than `time_limit` seconds.
    """
    _check_target(root, target)
    if find_spec("pytest") is None:
        raise ToolError("run_tests: this Python has no pytest; install it to run tests")
    # What a test left running may still write there, so that not all of it can be removed.
    with tempfile.TemporaryDirectory(prefix="patch-tests-", ignore_cleanup_errors=True) as name:
        scratch = Path(name).resolve()
        status, text = _run(_command(root, target, verbose, scratch), root, scratch, time_limit)
        text = _without_machine(text, root.resolve(), scratch)
    if status is None:
        raise ToolError(f"run_tests stopped after {time_limit:g} seconds.\n{text}".rstrip())
    text = without_duration(text).strip("\n")
    if status < 0 or status in (3, 4):
        raise ToolError(f"run_tests: pytest ended with status {status}.\n{text}".rstrip())
    return text


def _check_target(root: Path, target: str) -> None:
    file = target.partition("::")[0]
    if not target:
        return
    if target.startswith("-"):
        raise ToolError(
            f"target: expected a file, folder or test id, got the option {target!r:.80}"
        )
    if len(target) > LONGEST_TARGET or "\0" in target or not _is_unicode(target):
        raise ToolError(f"target {target!r:.200}: is no name of a test")
    if not inside(root, file).exists():
        raise ToolError(f"target {target!r:.200}: no such file or folder")


def _is_unicode(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)


def _command(root: Path, target: str, verbose: bool, scratch: Path) -> list[str]:
    command = [sys.executable, "-m", "pytest", *FLAGS, f"--basetemp={scratch / 'tmp'}"]
    if not any((root / name).is_file() for name in _SETTINGS):
        command += ["-c", os.devnull]  # else pytest takes those of a folder further up
    return [*command, "-v" if verbose else "-q", *([target] if target else [])]


def _environment(scratch: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return kept | {
        "COLUMNS": str(WIDTH),
        "LC_ALL": "C.UTF-8",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONIOENCODING": "utf-8",
        "TMPDIR": str(scratch),
        "TZ": "UTC",
    }


def _run(
    command: list[str], root: Path, scratch: Path, time_limit: float
) -> tuple[int | None, str]:
    """Exit status (None when the time ran out) and output, which goes through a file: a pipe
    would stay open as long as any process that the tests left behind."""
    import subprocess

    # The file is read through its own handle: a test may put something else in its place.
    with (scratch / "printed").open("w+b") as out:
        process = subprocess.Popen(
            command,
            cwd=root,
            env=_environment(scratch),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        status: int | None
        _limit_files(process.pid)
        try:
            status = process.wait(time_limit)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            _stop(process.pid)
            process.wait()
            _stop_strays(scratch)
        return status, _ends_of(out).decode("utf-8", "replace")


def _ends_of(file: BinaryIO) -> bytes:
    size, half = file.seek(0, os.SEEK_END), MOST_PRINTED // 2
    file.seek(0)
    if size <= MOST_PRINTED:
        return file.read(size)
    head = file.read(half)
    file.seek(size - half)
    gap = f"\n[... {size - 2 * half:,} bytes left out ...]\n".encode()
    return head + gap + file.read(half)


def _limit_files(process: int) -> None:
    """Limits how large a file the process may write; what it starts has the same limit."""
    try:
        import resource

        resource.prlimit(process, resource.RLIMIT_FSIZE, (LARGEST_FILE, LARGEST_FILE))
    except (ImportError, AttributeError, OSError, ValueError):  # not on this system, or over
        return


def _stop_strays(scratch: Path) -> None:
    """Ends what left the process group but still has this run's folder in its environment."""
    mark = f"TMPDIR={scratch}".encode()
    for place in Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark in place.read_bytes().split(b"\0"):
                os.kill(int(place.parent.name), signal.SIGKILL)
        except OSError:  # over, or another user's
            continue


def _stop(group: int) -> None:
    """Ends what is left of the process group that this run started."""
    if not hasattr(os, "killpg"):
        return
    try:
        os.killpg(group, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return


def _without_machine(text: str, root: Path, scratch: Path) -> str:
    import sysconfig

    python = [sysconfig.get_path("purelib"), sysconfig.get_path("stdlib")]
    names = [(str(scratch), "<tmp>"), *((folder, "<python>") for folder in python)]
    for folder, name in names:
        for spelling in (folder, os.path.relpath(folder, root)):
            text = re.sub(re.escape(spelling) + r"(?![\w.-])", name, text)
    return re.sub(re.escape(str(root)) + r"(/|(?![\w.-]))", _below_root, text)


def _below_root(match: re.Match[str]) -> str:
    return "" if match[1] else "."


def without_duration(text: str) -> str:
    """pytest's output without the time in its closing line, and without that line's rule.

    >>> without_duration("==== 1 failed, 3 passed in 0.12s ====")
    '1 failed, 3 passed'
    """
    head, newline, last = text.rstrip("\n").rpartition("\n")
    return head + newline + _DURATION.sub(r"\2", last)
