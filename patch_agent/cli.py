"""The command `patch-agent`. What a sub-command needs is imported when it runs.

Exit status: 0 all well, 1 the thing looked at has problems, 2 a mistake in the command or a
file, said in one line. With --json, output is one object whose "schema" is its version.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from patch_agent.budget import RESERVE
from patch_agent.cli_batch import add_batch, folder_from
from patch_agent.data import DataError

if TYPE_CHECKING:
    from patch_agent.request import Request
    from patch_agent.tokens import TokenCounter

SCHEMA = 1
"""Version of what --json prints: check {file, tokens, sizes, problems}, tokens {files, total}."""


class UsageError(Exception):
    """A mistake of the user's, in one line that names the file, line or value."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and gives its exit status."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by whoever started the command
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        options = _parser().parse_args(arguments)
        status: int = options.run(options)
        sys.stdout.flush()
        return status
    except (UsageError, DataError) as error:
        return _fail(str(error))
    except OSError as error:
        if isinstance(error, BrokenPipeError):  # whoever read our output has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 141
        named = f"{error.filename}: {error.strerror}" if error.filename else str(error)
        return _fail(named)
    except KeyboardInterrupt:
        print("patch-agent: interrupted", file=sys.stderr)
        return 130


def _fail(text: str) -> int:
    line = "".join(c if c.isprintable() else repr(c)[1:-1] for c in " ".join(text.split()))
    print(f"patch-agent: {line}", file=sys.stderr)
    return 2


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message} (see {self.prog} --help)")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser("patch-agent", description="Builds, measures and checks a model's context.")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    check = commands.add_parser("check", help="what is wrong with a request in a JSON file")
    check.add_argument("file", help="an object with messages and tools, as it would be sent")
    check.add_argument("--window", type=_number, help="tokens that the model can hold")
    check.add_argument("--reserve", type=_number, default=RESERVE, help="kept free for the reply")
    check.set_defaults(run=_check)
    tokens = commands.add_parser("tokens", help="tokens of text files, exact beside estimate")
    tokens.add_argument("files", nargs="+", metavar="FILE", help="UTF-8 text; - for input")
    tokens.set_defaults(run=_tokens)
    record = commands.add_parser("record", help="make the recorded session again")
    record.add_argument(
        "folder", type=folder_from, help="gets session.jsonl and the workspace; must have no log"
    )
    record.set_defaults(run=_record)
    catalogue = commands.add_parser("catalogue", help="make the widget's catalogue again")
    catalogue.add_argument(
        "folder", type=folder_from, help="gets catalogue.json; data/ in a checkout"
    )
    catalogue.set_defaults(run=_catalogue)
    add_batch(commands, UsageError)
    for command in (check, tokens):
        command.add_argument("--json", action="store_true", help="print one JSON object")
    return parser


def _number(text: str) -> int:
    if len(text) > 18 or not re.fullmatch(r"\d+(?:_\d+)*", text, re.ASCII):
        raise argparse.ArgumentTypeError(f"expected a whole number of tokens, got {text!r:.80}")
    return int(text)


def _read(name: str) -> str:
    if not name:
        raise UsageError(f"expected a file, got {name!r}")
    data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise UsageError(f"{name}: line {line} is not UTF-8 text (byte {error.start:,})") from None


def _exact() -> TokenCounter:
    from patch_agent.tokens import exact
    from patch_agent.vocabulary import VocabularyError

    try:
        return exact()
    except VocabularyError as error:
        raise UsageError(str(error)) from None


def _print_json(fields: dict[str, Any]) -> None:
    print(json.dumps({"schema": SCHEMA, **fields}, indent=1))


def _check(options: argparse.Namespace) -> int:
    from patch_agent.budget import Budget
    from patch_agent.check import problems

    try:
        budget = None if options.window is None else Budget(options.window, options.reserve)
    except ValueError as error:
        raise UsageError(str(error)) from None
    request, counter = _read_request(options.file), _exact()
    found = problems(request, counter, budget)
    sizes: dict[str, int] = {}
    for part in request.parts:  # a foreign request may have a part in two places
        sizes[part.id] = sizes.get(part.id, 0) + part.tokens(counter)
    if options.json:
        rows = [{"kind": p.kind, "message": p.message, "where": p.where} for p in found]
        size = request.tokens(counter)
        _print_json({"file": options.file, "tokens": size, "sizes": sizes, "problems": rows})
    else:
        for problem in found:
            print(f"{options.file}: {problem.where}: {problem.kind}: {problem.message}")
        print(f"{request.tokens(counter):,} tokens, {len(found)} problems")
    return 1 if found else 0


def _read_request(name: str) -> Request:
    from patch_agent.request import request_from_wire
    from patch_agent.wire import WireError

    try:
        return request_from_wire(json.loads(_read(name)))
    except json.JSONDecodeError as error:
        raise UsageError(f"{name}: line {error.lineno}: not JSON ({error.msg})") from None
    except (WireError, ValueError, RecursionError) as error:
        raise UsageError(f"{name}: {error}") from None


def _tokens(options: argparse.Namespace) -> int:
    from patch_agent.tokens import estimate

    counter, rough = _exact(), estimate()
    rows = []
    for name in options.files:
        text = _read(name)
        rows.append(_row(name, counter.text(text), rough.text(text), counter.approximate(text)))
    marked = any(row["approximate"] for row in rows)
    total = _row("total", sum(r["exact"] for r in rows), sum(r["estimate"] for r in rows), marked)
    if options.json:
        _print_json({"encoding": counter.name, "files": rows, "total": total})
        return 0
    print(f"{'exact':>10} {'estimate':>10} {'ratio':>6}")
    for row in rows if len(rows) == 1 else [*rows, total]:
        ratio = "-" if row["ratio"] is None else f"{row['ratio']:.2f}"
        note = "  (approximate)" if row["approximate"] else ""
        print(f"{row['exact']:>10,} {row['estimate']:>10,} {ratio:>6}  {row['file']}{note}")
    return 0


def _record(options: argparse.Namespace) -> int:
    from patch_agent.data import data_path
    from patch_agent.record import record, recorded_script

    folder: Path = options.folder
    folder.mkdir(parents=True, exist_ok=True)
    try:
        print(record(recorded_script(), data_path("repo"), folder))
    except (FileExistsError, RuntimeError) as error:
        raise UsageError(str(error)) from None
    return 0


def _catalogue(options: argparse.Namespace) -> int:
    from patch_agent.catalogue import build_catalogue, catalogue_text

    folder: Path = options.folder
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / "catalogue.json"
    target.write_text(catalogue_text(build_catalogue()), encoding="utf-8")
    print(target)
    return 0


def _row(name: str, exact: int, estimate: int, approximate: bool) -> dict[str, Any]:
    """One line of the table; `ratio` is estimate / exact, None for an empty text."""
    ratio = round(estimate / exact, 4) if exact else None
    return {
        "file": name,
        "exact": exact,
        "estimate": estimate,
        "ratio": ratio,
        "approximate": approximate,
    }


if __name__ == "__main__":
    sys.exit(main())
