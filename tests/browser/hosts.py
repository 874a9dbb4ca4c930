"""Starts the programs that show a notebook to a learner, JupyterLab and Voila, and stops them.

Each runs on a free port of 127.0.0.1 and on a copy of the notebooks, and keeps its settings and
logs in a folder of its own, so that nothing of the tester's is read or changed.
"""

import os
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from playwright.sync_api import Page, expect

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
WAIT = 120_000
"""Milliseconds to wait for a host or its kernel on a busy machine: it asserts nothing of speed."""
KEYS = ("ArrowRight", "ArrowLeft", "a", "b", "m", "y", "d", "d", "x", "z", "Shift+M")
"""What JupyterLab would take for commands to a cell: insert, convert, delete, cut, merge."""

LAB = (
    "--no-browser",
    "--ServerApp.port_retries=0",
    "--IdentityProvider.token=",
    "--LabApp.news_url=",
    "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
)


@contextmanager
def lab(notebooks: Path, home: Path) -> Iterator[str]:
    """The address of a JupyterLab over a folder of notebooks."""
    port = free_port()
    command = [BIN / "jupyter", "lab", f"--ServerApp.port={port}", "--allow-root", *LAB]
    with _running(command, notebooks, home, f"http://127.0.0.1:{port}", "/api/status") as address:
        yield address


@contextmanager
def voila(notebooks: Path, home: Path) -> Iterator[str]:
    """The address of a Voila over a folder of notebooks: one is at /voila/render/NAME.ipynb."""
    port = free_port()
    command = [BIN / "voila", ".", f"--port={port}", "--no-browser"]
    with _running(command, notebooks, home, f"http://127.0.0.1:{port}", "/voila/tree") as address:
        yield address


def in_lab(lab: str, notebook: str) -> str:
    """The address of a notebook in JupyterLab, in a workspace of its own: no other is restored."""
    return f"{lab}/lab/workspaces/{uuid4().hex}/tree/{notebook}"


def write_notebook(path: Path, *sources: str) -> str:
    """Writes a notebook with these cells of code; its name."""
    import nbformat  # here alone: it compiles grammars for seconds

    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    cells = list(map(nbformat.v4.new_code_cell, sources))
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=kernel), path)
    return path.name


def run_all(page: Page) -> None:
    """Runs all cells of the notebook that JupyterLab shows, once its kernel is idle."""
    expect(page.get_by_text("Python 3 (ipykernel) | Idle")).to_be_visible(timeout=WAIT)
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    prompt = page.locator(".jp-Notebook .jp-CodeCell .jp-InputPrompt").first
    expect(prompt).to_have_text(re.compile(r"\[[*0-9]+\]"), timeout=WAIT)


def free_port() -> int:
    """The number of a port of this computer that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def _running(
    command: list[object], folder: Path, home: Path, address: str, ready: str
) -> Iterator[str]:
    log = home / "log.txt"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [str(word) for word in command],
            cwd=folder,
            env=_environment(home),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        _wait_until_ready(process, address + ready, log)
        yield address
    finally:
        process.terminate()
        try:
            process.wait(timeout=15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _environment(home: Path) -> dict[str, str]:
    return os.environ | {
        "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
        "JUPYTER_PATH": str(ROOT / "widgets" / "jupyter" / "share"),
        "JUPYTER_CONFIG_PATH": str(ROOT / "widgets" / "jupyter" / "etc"),
        "JUPYTER_CONFIG_DIR": str(home / "config"),
        "JUPYTER_DATA_DIR": str(home / "data"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
        "IPYTHONDIR": str(home / "ipython"),
    }


def _wait_until_ready(process: "subprocess.Popen[bytes]", address: str, log: Path) -> None:
    deadline = time.monotonic() + WAIT / 1000
    while process.poll() is None and time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    lines = log.read_text(errors="replace").splitlines()[-20:]
    raise RuntimeError("\n".join([f"{address} did not answer; its log ends with", *lines]))
