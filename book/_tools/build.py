"""Builds the site into _build/html, if anything it is made of has changed since the last time.

python -m book._tools.build           build
python -m book._tools.build --serve   build, then serve it on 127.0.0.1 (port: $PORT or 8000)
"""

import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from book._tools.serve import open_server

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "_build" / "html"
FILES = ("_config.yml", "requirements.lock")
FOLDERS = ("book", "notebooks", "patch_agent", "widgets", "data")
JUPYTER_BOOK = Path(sys.executable).parent / "jupyter-book"
COMMAND = ("build", ".", "--config", "_config.yml", "--toc", "book/_toc.yml")
STRICT = ("-W", "-n", "--keep-going", "--all")


def fingerprint() -> str:
    """A digest of every file that the site is made of."""
    digest = hashlib.sha256()
    for path in sorted([ROOT / name for name in FILES] + _files()):
        digest.update(str(path.relative_to(ROOT)).encode() + b"\0")
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _files() -> list[Path]:
    found = [path for name in FOLDERS for path in (ROOT / name).rglob("*") if path.is_file()]
    return [path for path in found if not {"__pycache__", ".ipynb_checkpoints"} & {*path.parts}]


@contextmanager
def alone() -> Iterator[None]:
    """One build at a time: a second one waits for the first, where the system has such locks."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    SITE.parent.mkdir(exist_ok=True)
    with (SITE.parent / "building.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def build() -> Path:
    """The folder of the built site. Raises SystemExit with the builder's own words if it fails."""
    with alone():
        return _build()


def _build() -> Path:
    stamp, wanted = SITE.parent / "site.sha256", fingerprint()
    if SITE.is_dir() and stamp.is_file() and stamp.read_text() == wanted:
        print("The book is up to date.")
        return SITE
    stamp.unlink(missing_ok=True)
    shutil.rmtree(SITE, ignore_errors=True)
    start = time.monotonic()
    run = subprocess.run(
        [JUPYTER_BOOK, *COMMAND, *STRICT],
        cwd=ROOT,
        env=os.environ | {"NO_COLOR": "1", "PYTHONDONTWRITEBYTECODE": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if run.returncode:
        raise SystemExit(f"{run.stdout}\nThe book was not built: see above.")
    stamp.parent.mkdir(exist_ok=True)
    stamp.write_text(wanted)
    print(f"Built the book in {time.monotonic() - start:.0f} s: {SITE.relative_to(ROOT)}/")
    return SITE


def main() -> None:
    site = build()
    if "--serve" in sys.argv[1:]:
        server = open_server(site, int(os.environ.get("PORT", "8000")))
        print(f"Serving it on {server.address}/ (stop with Ctrl+C)", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()


if __name__ == "__main__":
    main()
