"""The catalogue of the widget PolicyLab: curves of some runs, figures of all, and the texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from patch_agent.data import data_path, read_table
from patch_agent.pricing import price_tables
from patch_agent.triage.lab import REGIONS
from patch_agent.triage.results import TIER
from patch_agent.triage.settings import LIMIT
from patch_agent.triage.table import FEW

Json = Mapping[str, Any]
SCHEMA = 1
"""Version of the catalogue's shape."""
VERSION = 1
"""Version of the widget's links."""
COLUMNS = {
    "steps": "count",
    "input": "millions",
    "cost": "dollars",
    "cached_share": "percent",
    "rereads": "count",
    "duplicates": "count",
    "compactions": "count",
    "kept": "count",
    "restored": "count",
    "passed": "count",
}
"""The figures of a run that are shown as distributions, and how each is written."""
LOGARITHMIC = ("steps", "input", "cost")
LIMITED = ("clear", "trim", "compact")
"""Policies that act above the limit."""


def catalogue(
    curves: Sequence[Json], figures: Sequence[Json], texts: Json, typical: int
) -> dict[str, Any]:
    """The catalogue of these curves and figures, each with its policy's name and its seed.

    `figures` are rows as `RunResult.as_json` gives them. `texts` names the script with the
    exact texts and the runs that it has; `typical` is the seed to draw for many runs.
    """
    words = read_table(data_path("words", "policy_lab.toml"))
    names = list(dict.fromkeys(curve["policy"] for curve in curves))
    table = price_tables()["batch"]
    total = figures[0]["checks"]["total"] if figures else 0
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "words": words["words"],
        "regions": [{"id": region, "label": words["regions"][region]} for region in REGIONS],
        "columns": [
            {"id": name, "kind": kind, "log": name in LOGARITHMIC} for name, kind in COLUMNS.items()
        ],
        "policies": [_policy(name, words["policies"]) for name in names],
        "figures": {name: _columns([f for f in figures if f["policy"] == name]) for name in names},
        "curves": list(curves),
        "typical": typical,
        "tier": TIER,
        "times": table.times(TIER + 1),
        "limit": LIMIT,
        "few": FEW,
        "world": 1,
        "total": total,
        "texts": dict(texts),
        "notice": "",
        "first": f"pl={VERSION}.{_state(words['first']['state'], curves, typical)}",
        "experiments": [
            {**one, "state": f"pl={VERSION}.{_state(one['state'], curves, typical)}"}
            for one in words["experiments"]
        ],
    }


def with_run(catalogue: Json, curve: Json, figures: Json) -> dict[str, Any]:
    """The catalogue with one more run; of the same policy and seed it takes the other's place."""
    name, seed = curve["policy"], curve["seed"]
    others = [one for one in catalogue["curves"] if (one["policy"], one["seed"]) != (name, seed)]
    known = any(one["id"] == name for one in catalogue["policies"])
    added = [] if known else [_policy(name, {})]
    return {
        **catalogue,
        "curves": [*others, curve],
        "policies": [*catalogue["policies"], *added],
        "figures": {
            **catalogue["figures"],
            name: _with_row(catalogue["figures"].get(name, _columns([])), seed, figures),
        },
    }


def without_policy(catalogue: Json, name: str) -> dict[str, Any]:
    """The catalogue without the runs and the figures of one policy."""
    return {
        **catalogue,
        "curves": [one for one in catalogue["curves"] if one["policy"] != name],
        "policies": [one for one in catalogue["policies"] if one["id"] != name],
        "figures": {key: rows for key, rows in catalogue["figures"].items() if key != name},
    }


def _with_row(columns: Json, seed: int, figures: Json) -> dict[str, Any]:
    """The columns of a policy's figures with those of one more run."""
    rows = {
        each: {name: columns[name][place] for name in (*COLUMNS, "finished")}
        for place, each in enumerate(columns["seeds"])
    }
    rows[seed] = row_of(figures) | {"finished": figures["finished"]}
    return _of_rows(rows)


def _policy(name: str, known: Json) -> dict[str, Any]:
    own = known.get(name, {"label": name, "what": ""})
    return {"id": name, **own, "limit": LIMIT if name in LIMITED else None}


def _columns(figures: Iterable[Json]) -> dict[str, Any]:
    """The figures of one policy's runs, column by column, in the order of the seeds."""
    return _of_rows({one["seed"]: row_of(one) | {"finished": one["finished"]} for one in figures})


def _of_rows(rows: Mapping[int, Json]) -> dict[str, Any]:
    seeds = sorted(rows)
    names = (*COLUMNS, "finished")
    return {"seeds": seeds, **{name: [rows[seed][name] for seed in seeds] for name in names}}


def row_of(figures: Json) -> dict[str, float]:
    """The figures of one run, by column."""
    nested = {
        "input": figures["tokens"]["input"],
        "kept": figures["identifiers"]["kept"],
        "restored": figures["identifiers"]["restored"],
        "passed": figures["checks"]["passed"],
    }
    return {name: nested[name] if name in nested else figures[name] for name in COLUMNS}


def _state(template: str, curves: Sequence[Json], typical: int) -> str:
    """A state with its request filled in from the runs that it draws."""
    first, second = (_drawn(run, curves, typical) for run in template.split(".")[:2])
    sizes = [sum(column) for column in zip(*first["regions"].values(), strict=True)]
    dear = next((place for place, size in enumerate(sizes, 1) if size > TIER), 1)
    broken = next((one["request"] for one in second["breaks"]), 1)
    return template.replace("{dear}", str(dear)).replace("{break}", str(broken))


def _drawn(run: str, curves: Sequence[Json], typical: int) -> Json:
    policy, _, seed = run.partition(":")
    wanted = typical if seed == "all" else int(seed)
    return next(one for one in curves if (one["policy"], one["seed"]) == (policy, wanted))
