"""Finds the Chromium that the browser tests drive, and installs one where there is none.

    python -m tests.browser.chromium     install if needed; print the path or what to do

In order: $CHROMIUM; one on the machine; Debian's package, when we are root there; the one that
Playwright brings, which goes into .venv.
"""

import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
APPS = ("Google Chrome", "Chromium")
BROWSERS = ROOT / ".venv" / "browsers"
BROUGHT = ("chromium-*/chrome-linux*/chrome", "chromium-*/chrome-mac*/*.app/Contents/MacOS/*")
HINT = (
    "no Chromium for the browser tests: install one, or set CHROMIUM to the path of one, "
    "or leave these tests out with BROWSER=0"
)


def find() -> Path | None:
    """The path of a Chromium, or None. $CHROMIUM, where it is set, is the only place looked at."""
    if named := os.environ.get("CHROMIUM"):
        place = shutil.which(named)
        return Path(place) if place else None
    on_path = [shutil.which(name) for name in NAMES]
    in_apps = [f"/Applications/{name}.app/Contents/MacOS/{name}" for name in APPS]
    brought = [path for pattern in BROUGHT for path in sorted(BROWSERS.glob(pattern))]
    for candidate in [*filter(None, on_path), *in_apps, *brought]:
        path = Path(candidate)
        if path.is_file() and os.access(path, os.X_OK):
            return path
    return None


def install() -> None:
    """Brings a Chromium from Debian when root there, else from Playwright. May fail; says so."""
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    if is_root and shutil.which("apt-get"):
        quiet = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
        _run(["apt-get", "update", "-qq"], quiet)
        _run(["apt-get", "install", "-y", "-qq", "chromium", "fonts-dejavu-core"], quiet)
    if find() is None:
        playwright = shutil.which("playwright", path=str(ROOT / ".venv" / "bin")) or "playwright"
        _run(
            [playwright, "install", "chromium"],
            os.environ | {"PLAYWRIGHT_BROWSERS_PATH": str(BROWSERS)},
        )


def _run(command: list[str], environment: dict[str, str]) -> None:
    try:
        run = subprocess.run(command, env=environment, capture_output=True, text=True)
    except OSError as problem:
        print(f"{command[0]}: {problem}")
        return
    if run.returncode:
        lines = [line.strip() for line in (run.stderr + run.stdout).splitlines() if line.strip()]
        errors = [line for line in lines if "error" in line.lower()] or lines[-1:]
        print(f"{' '.join(command)}: {(errors or [f'exit status {run.returncode}'])[0]}")


if __name__ == "__main__":
    if find() is None and not os.environ.get("CHROMIUM"):
        install()
    print(find() or HINT)
