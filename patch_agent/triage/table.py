"""Runs as distributions: minimum, median and maximum of each figure, policy by policy.

A single run says little: the same policy on the same reports differs by more than two policies
do. So a table of fewer than FEW runs a policy says that it is none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from statistics import median
from typing import Any

from patch_agent.triage.results import RunResult

FEW = 10
"""Runs of one policy below which a difference may be chance."""

COLUMNS: dict[str, Callable[[RunResult], float]] = {
    "steps": lambda run: run.steps,
    "input": lambda run: run.input,
    "cost": lambda run: run.cost,
    "cached_share": lambda run: run.cached_share,
    "rereads": lambda run: run.rereads,
    "duplicates": lambda run: run.duplicates,
    "compactions": lambda run: run.compactions,
    "kept": lambda run: run.kept,
    "restored": lambda run: run.restored,
    "passed": lambda run: run.passed,
}
_HEADS = {
    "input": "input (M)",
    "cached_share": "cached (%)",
    "rereads": "re-reads",
    "kept": "ids kept",
    "restored": "ids restored",
    "passed": "checks passed",
}


def spread(runs: Sequence[RunResult]) -> dict[str, Any]:
    """Minimum, median and maximum of each column, and how many runs did not finish."""
    columns: dict[str, Any] = {}
    for name, figure in COLUMNS.items():
        values = [figure(run) for run in runs]
        columns[name] = {
            "min": round(min(values), 6),
            "median": round(median(values), 6),
            "max": round(max(values), 6),
        }
    unfinished = sum(not run.finished for run in runs)
    return {"runs": len(runs), **columns, "unfinished": unfinished}


def by_policy(runs: Iterable[RunResult]) -> dict[str, list[RunResult]]:
    """The runs of each policy, in the order in which policies come up."""
    groups: dict[str, list[RunResult]] = {}
    for run in runs:
        groups.setdefault(run.policy, []).append(run)
    return groups


def table(runs: Sequence[RunResult], unit: str = "dollars") -> str:
    """The table as text, each cell as min / median / max; costs are in `unit`.

    Where a policy has a single run, its cells are that run's figures.
    """
    heads = _HEADS | {"cost": f"cost ({unit})"}
    rows = [["policy", "runs", *(heads.get(name, name) for name in COLUMNS), "unfinished"]]
    groups = by_policy(runs)
    for name, group in groups.items():
        found = spread(group)
        cells = [_cell(column, found[column], len(group)) for column in COLUMNS]
        rows.append([name, str(len(group)), *cells, str(found["unfinished"])])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [_line(row, widths) for row in rows]
    lines.insert(1, "  ".join("-" * width for width in widths))
    total = runs[0].total
    kinds = "min / median / max; " if max(map(len, groups.values())) > 1 else ""
    lines.append(f"{kinds}{total} checks; settings: {_settings(runs)}")
    if len(groups) > 1 and min(map(len, groups.values())) < FEW:
        lines.append(f"Fewer than {FEW} runs of a policy: differences may be chance.")
    return "\n".join(lines)


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _cell(column: str, found: dict[str, float], runs: int) -> str:
    kinds = ("min", "median", "max") if runs > 1 else ("median",)
    return " / ".join(_shown(column, found[kind]) for kind in kinds)


def _shown(column: str, value: float) -> str:
    match column:
        case "input":
            return f"{value / 1e6:.2f}"
        case "cost":
            return f"{value:.2f}"
        case "cached_share":
            return f"{100 * value:.0f}"
    return f"{value:g}"


def _settings(runs: Sequence[RunResult]) -> str:
    worlds = ", ".join(str(world) for world in sorted({run.world for run in runs}))
    limits = ", ".join(f"{limit:,}" for limit in sorted({run.limit for run in runs}))
    seeds = sorted({run.seed for run in runs})
    told = str(seeds[0]) if len(seeds) == 1 else f"{seeds[0]} to {seeds[-1]}"
    return f"world {worlds}, seeds {told}, policies act above {limits} tokens"
