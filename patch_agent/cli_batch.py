"""The sub-command `patch-agent batch`: the recorded run replayed, or runs made live, and graded.

With --json one object: a run's {policy, seed, steps, checks, tokens, cost, ...}; of several runs,
or on a cluster, {"command", "runs": [...], "table": {policy: {column: {min, median, max}}}}.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from patch_agent.pricing import PriceTable
    from patch_agent.triage.run import Run
    from patch_agent.triage.settings import Settings

SCHEMA = 1
"""Version of what --json prints."""
SEEDS = 10_000
"""Runs of each policy that one command makes at most; a comparison needs far fewer."""
RUNS = ("policy", "seeds", "seed", "world", "limit", "out", "scheduler")
"""The options that ask for runs of their own, not for the recorded one."""
WIDTH = 30


def add_batch(commands: Any, fail: Callable[[str], Exception]) -> None:
    """Adds the sub-command; `fail` makes the exception of a mistake of the user's."""
    batch = commands.add_parser("batch", help="crash reports triaged under a policy, and graded")
    batch.add_argument(
        "--policy",
        action="append",
        metavar="NAME",
        help="run this policy live; may be repeated, `all` is every one",
    )
    batch.add_argument("--seeds", type=int, metavar="N", help="runs of each policy (1)")
    batch.add_argument("--seed", type=int, metavar="N", help="the first one's seed (1)")
    batch.add_argument("--world", type=int, metavar="N", help="the seed of the reports (1)")
    batch.add_argument("--limit", type=int, metavar="TOKENS", help="size at which policies act")
    batch.add_argument("--early-clear", action="store_true", help="clear from the first step on")
    batch.add_argument("--cores", type=int, default=1, metavar="N", help="more than 1 needs joblib")
    batch.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="run on the Dask cluster with this scheduler, tcp://HOST:PORT",
    )
    batch.add_argument(
        "--out",
        type=folder_from,
        metavar="FOLDER",
        help="save the runs' session logs there (a cluster's workers do)",
    )
    batch.add_argument(
        "--prices", metavar="FILE", help="a price table of your own, in the form of prices.toml"
    )
    batch.add_argument("--json", action="store_true", help="print one JSON object")
    batch.set_defaults(run=lambda options: _guarded(_batch, options, fail))
    inner = batch.add_subparsers(metavar="why RUN CHECK | lab FOLDER")
    why = inner.add_parser("why", help="trace a missed check to what a request lacked")
    why.add_argument("folder", metavar="RUN", help="a saved run's folder, or `recorded`")
    why.add_argument("check", metavar="CHECK", help="such as C07.severity")
    why.add_argument("--json", action="store_true", help="print one JSON object")
    why.set_defaults(run=lambda options: _guarded(_why, options, fail))
    lab = inner.add_parser("lab", help="make the runs of the widget PolicyLab again")
    lab.add_argument(
        "folder",
        type=folder_from,
        metavar="FOLDER",
        help="gets triage/lab.json; data/ in a checkout",
    )
    lab.set_defaults(run=lambda options: _guarded(_lab, options, fail))


def folder_from(text: str) -> Path:
    """A folder that a command is given; an empty name is none. Raises ArgumentTypeError."""
    if not text:
        raise argparse.ArgumentTypeError(f"expected a folder, got {text!r}")
    return Path(text)


def _guarded(
    command: Callable[[argparse.Namespace], int],
    options: argparse.Namespace,
    fail: Callable[[str], Exception],
) -> int:
    from patch_agent.vocabulary import VocabularyError

    try:
        return command(options)
    except (ValueError, VocabularyError) as error:
        raise fail(str(error)) from None


def _batch(options: argparse.Namespace) -> int:
    if options.cores < 1:
        raise ValueError(f"--cores: expected 1 or more, got {options.cores}")
    if not options.early_clear and all(getattr(options, name) is None for name in RUNS):
        return _replay(options)
    settings = _settings(options)
    if len(settings) == 1 and options.scheduler is None:
        return _one(settings[0], options)
    return _several(settings, options)


def _settings(options: argparse.Namespace) -> tuple[Settings, ...]:
    from patch_agent.tokens import exact
    from patch_agent.triage.settings import ALL, EARLY, LIMIT, check_room, fixed_parts
    from patch_agent.triage.sweep import jobs
    from patch_agent.triage.world_make import make_world

    names = list(options.policy or ())
    if "all" in names:
        names = list(ALL)
    names += [EARLY] if options.early_clear else []
    seeds = 1 if options.seeds is None else options.seeds
    first = 1 if options.seed is None else options.seed
    if not 1 <= seeds <= SEEDS:
        raise ValueError(f"--seeds: expected 1 to {SEEDS:,}, got {seeds:,}")
    if options.scheduler is not None and options.cores > 1:
        raise ValueError("--cores: with --scheduler the cluster decides how many")
    world = 1 if options.world is None else options.world
    limit = LIMIT if options.limit is None else options.limit
    policies = dict.fromkeys(names or ["default"])
    found = jobs(policies, range(first, first + seeds), world, limit)
    check_room(found[0], fixed_parts(make_world(world)), exact())
    return found


def _replay(options: argparse.Namespace) -> int:
    from patch_agent.triage.run import run_batch
    from patch_agent.triage.saved import load_run, recorded_folder

    prices = _prices(options)
    settings, conversation = load_run(recorded_folder())
    done = run_batch(settings, conversation, progress=_Bar("replay"), table=prices)
    _show_one(done, options)
    if done.differing:
        print(f"{len(done.differing)} results differ from the recorded ones", file=sys.stderr)
    return 1 if done.differing else 0


def _one(settings: Settings, options: argparse.Namespace) -> int:
    from patch_agent.triage.sweep import live_run

    prices = _prices(options)
    done = live_run(settings, options.out, _Bar(settings.policy), prices)
    _show_one(done, options)
    return 0


def _several(settings: tuple[Settings, ...], options: argparse.Namespace) -> int:
    from patch_agent.triage.sweep import sweep
    from patch_agent.triage.table import by_policy, spread, table

    bar, prices = _Bar("runs"), _prices(options)
    results = sweep(
        settings,
        options.cores,
        lambda done, of, _: bar.draw(done, of),
        out=options.out,
        scheduler=options.scheduler,
        prices=prices,
    )
    if options.json:
        spreads = {name: spread(group) for name, group in by_policy(results).items()}
        rows = [result.as_json() for result in results]
        head = {"schema": SCHEMA, "command": _command(options)}
        _print_json({**head, "table": spreads, "runs": rows})
    else:
        print(table(results, prices.unit if prices else "dollars"))
    return 0


def _command(options: argparse.Namespace) -> str:
    """The command that makes these runs again; what it ran on changes nothing."""
    words = ["patch-agent batch"]
    words += [f"--policy {name}" for name in options.policy or ()]
    words += ["--early-clear"] if options.early_clear else []
    for name in ("seeds", "seed", "world", "limit", "prices"):
        value = getattr(options, name)
        words += [] if value is None else [f"--{name} {quote(str(value))}"]
    return " ".join([*words, "--json"])


def _prices(options: argparse.Namespace) -> PriceTable | None:
    from patch_agent.pricing import own_prices

    return None if options.prices is None else own_prices(Path(options.prices))


def _show_one(done: Run, options: argparse.Namespace) -> None:
    from patch_agent.triage.results import measure
    from patch_agent.triage.table import table

    result = measure(done)
    if options.json:
        _print_json({"schema": SCHEMA, **result.as_json()})
        return
    print(table([result], done.prices.unit))
    print(f"The run ended with {done.ending!r} after {result.steps} steps.")
    for check in done.grade.missed:
        print(f"  missed {check.id}: {check.why}")


def _without_runs(options: argparse.Namespace, command: str) -> None:
    given = [name for name in (*RUNS, "prices") if getattr(options, name) is not None]
    given += ["early_clear"] if options.early_clear else []
    given += ["cores"] if options.cores != 1 else []
    if given:
        raise ValueError(f"--{given[0].replace('_', '-')}: is for runs, and `{command}` takes none")


def _why(options: argparse.Namespace) -> int:
    _without_runs(options, "why")
    from patch_agent.triage.run import run_batch
    from patch_agent.triage.saved import load_run, recorded_folder
    from patch_agent.triage.why import trace

    folder = recorded_folder() if options.folder == "recorded" else Path(options.folder)
    settings, conversation = load_run(folder)
    steps = sum(message.role == "assistant" for message in conversation)
    done = run_batch(settings, conversation, limit=steps)
    if done.differing:
        raise ValueError(f"{folder}: {done.differing[0]}: the log has another result than this run")
    found = trace(done, options.check)
    if options.json:
        needs = [{"what": n.what, "last": n.last, "told": str(n)} for n in found.needs]
        head = {"schema": SCHEMA, "check": found.check, "why": found.why, "step": found.step}
        _print_json({**head, "decided": found.decided, "needs": needs})
        return 0
    print(f"{found.check}: {found.why}")
    print(f"Decided in step {found.step}: {found.decided}.")
    for need in found.needs:
        print(f"  {need}")
    return 0


def _lab(options: argparse.Namespace) -> int:
    _without_runs(options, "lab")
    from patch_agent.triage.lab_data import FILE, record, record_text

    target = options.folder.joinpath(*FILE)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(record_text(record(_Bar("runs").draw)), encoding="utf-8")
    print(target)
    return 0


def _print_json(fields: dict[str, Any]) -> None:
    print(json.dumps(fields, indent=1))


class _Bar:
    """A line on standard error: of a run, how many reports are dealt with; of several, how many.

    Where standard error is no terminal, only the last state is written.
    """

    def __init__(self, label: str) -> None:
        self.label, self.most, self.done = label, 0, False

    def __call__(self, step: int, open_: int) -> None:
        self.most = max(self.most, open_)
        self._write(self.most - open_, self.most, f", step {step}")

    def draw(self, done: int, total: int) -> None:
        """The state after so many of so many."""
        self._write(done, total, "")

    def _write(self, done: int, total: int, more: str) -> None:
        full = WIDTH * done // total if total else 0
        bar = "#" * full + "." * (WIDTH - full)
        ended = done == total and not self.done
        if sys.stderr.isatty():
            print(f"\r{self.label} [{bar}] {done}/{total}{more}  ", end="", file=sys.stderr)
        if ended:
            self.done = True
            start = "" if sys.stderr.isatty() else f"{self.label} [{bar}] {done}/{total}{more}"
            print(start, file=sys.stderr, flush=True)
