"""Measures every row on every conversation: `python -m tests.benchmarks.compare`.

The libraries run in `.venv-bench`, which `make bench` sets up from the lock beside this file;
ours run in the Python that runs this. Each row has a process of its own, and a minute. JSON and
text go into _build/bench/; with --record the JSON becomes data/bench.json, of which the page on
policies is made.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

from tests.benchmarks.compare.oracle import CHECKS
from tests.benchmarks.compare.rows import ROWS, Row
from tests.benchmarks.compare.talk import SHAPES, SIZES, make_talk
from tests.benchmarks.compare.worker import CUT

ROOT = Path(__file__).resolve().parents[3]
BENCH = ROOT / "_build" / "bench"
RECORDED = ROOT / "data" / "bench.json"
THEIR_PYTHON = ROOT / ".venv-bench" / "bin" / "python"
COMMAND = "python -m tests.benchmarks.compare --record"
QUIET = {
    "HAYSTACK_TELEMETRY_ENABLED": "False",
    "LANGSMITH_TRACING": "false",
    "LANGCHAIN_TRACING_V2": "false",
    "OTEL_SDK_DISABLED": "true",
    "DO_NOT_TRACK": "1",
    "PYTHONWARNINGS": "ignore",
    "PYTHONHASHSEED": "0",
    "HOME": str(BENCH / "home"),
}
"""What keeps the libraries from telling anybody, and their files out of the reader's home."""


def measured(row: Row, shape: str, count: int) -> dict[str, Any]:
    """The figures of one row; `cut` where it took more than a minute, `error` where it failed."""
    python = sys.executable if row.ours else str(THEIR_PYTHON)
    command = [python, "-m", "tests.benchmarks.compare.worker", row.name, shape, str(count)]
    run = subprocess.run(command, cwd=ROOT, env=os.environ | QUIET, capture_output=True, text=True)
    if run.returncode == CUT:
        return {"cut": True}
    if run.returncode:
        return {"error": (run.stderr.strip().splitlines() or [f"exit {run.returncode}"])[-1]}
    found: dict[str, Any] = json.loads(run.stdout)
    return found


def all_measured(rows: list[Row], sizes: list[int]) -> Iterator[dict[str, Any]]:
    """The figures of all rows, one by one, each printed as it comes."""
    for shape in SHAPES:
        for count in sizes:
            talk = make_talk(shape, count)
            about = {"shape": shape, "size": count, "tokens": talk.tokens, "limit": talk.limit}
            print(f"\n{shape}, {count:,} messages, {talk.tokens:,} tokens, limit {talk.limit:,}")
            for row in rows:
                found = {"name": row.name, "library": row.library, **about}
                found |= measured(row, shape, count)
                print(f"  {line(found)}", flush=True)
                yield found


def line(found: dict[str, Any]) -> str:
    """A row as one line of text: times in milliseconds."""
    name = f"{found['library']} {found['name']}"
    if "error" in found or "cut" in found:
        return f"{name:<50} {found.get('error') or 'cut after a minute'}"
    held = ", ".join(check for check in CHECKS if found[check])
    times = "/".join(f"{found[key]:.2f}" for key in ("least", "middle", "most") if key in found)
    share = found["kept"] / found["tokens"]
    text = f"{name:<50} first {found['first']:>9.1f}  {times:<24} keeps {share:6.1%}  {held}"
    apart = [f"{key} {value:.1f}" for key, value in found.get("apart", {}).items()]
    for key in ("steps", "checked_steps"):
        if key in found:
            spread = "/".join(f"{value:.2f}" for value in found[key].values())
            apart.append(f"{key.replace('_', ' ')} {spread}")
    network = [f"reached for the network: {what}" for what in found["network"]]
    return "; ".join([text, *apart, *network])


def versions(rows: list[Row]) -> dict[str, str]:
    """The version of each library that has a row, and of Python."""
    code = "import sys, importlib.metadata as m; print(*map(m.version, sys.argv[1:]))"
    found = {"Python": platform.python_version()}
    for ours, python in ((True, sys.executable), (False, str(THEIR_PYTHON))):
        names = list(dict.fromkeys(row.library for row in rows if row.ours == ours))
        if names:
            command = [python, "-c", code, *names]
            run = subprocess.run(command, capture_output=True, text=True, check=True)
            found |= dict(zip(names, run.stdout.split(), strict=True))
    return found


def rounded(value: Any) -> Any:
    """Milliseconds to a thousandth, all else as it is."""
    if isinstance(value, float):
        return round(value, 3)
    return {k: rounded(v) for k, v in value.items()} if isinstance(value, dict) else value


def write(path: Path, head: dict[str, Any], found: list[dict[str, Any]]) -> None:
    """Writes the figures as JSON, a row on each line."""
    rows = ",\n".join(f"  {json.dumps(rounded(row))}" for row in found)
    start = json.dumps(head, indent=1)[:-2]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'{start},\n "rows": [\n{rows}\n ]\n}}\n', encoding="utf-8")


def main() -> int:
    """Measures, prints and writes."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.compare", description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES), metavar="MESSAGES")
    parser.add_argument("--rows", nargs="+", choices=[row.name for row in ROWS], metavar="NAME")
    parser.add_argument("--record", action="store_true", help="write data/bench.json")
    options = parser.parse_args()
    rows = [row for row in ROWS if not options.rows or row.name in options.rows]
    if options.record and (options.rows or options.sizes != list(SIZES)):
        parser.error("--record goes with all rows and all sizes")
    if not THEIR_PYTHON.exists() and not all(row.ours for row in rows):
        parser.error(f"{THEIR_PYTHON.parent.parent.name} is missing: `make bench` sets it up")
    (BENCH / "home").mkdir(parents=True, exist_ok=True)
    load = os.getloadavg()[1]
    found = list(all_measured(rows, options.sizes))
    head = {
        "schema": 1,
        "command": COMMAND,
        "date": date.today().isoformat(),
        "cores": os.cpu_count(),
        "load": round(load, 2),
        "versions": versions(rows),
        "how": {row.name: row.how for row in rows},
    }
    write(RECORDED if options.record else BENCH / "compare.json", head, found)
    text = "\n".join(f"{row['shape']}, {row['size']:,}: {line(row)}" for row in found)
    (BENCH / "compare.txt").write_text(text + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
