"""The recorded part of PolicyLab's catalogue: runs that are made again, drawn and kept.

`patch-agent batch lab data` writes `data/triage/lab.json`. The figures of all runs stay in
`figures.json`; the exact texts are not kept, but made while the book is built.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from statistics import median
from typing import Any

from patch_agent.data import DataError, data_path, read_json, read_of_schema
from patch_agent.request import Request
from patch_agent.tokens import exact
from patch_agent.triage.lab import SCHEMA, curve
from patch_agent.triage.lab_catalogue import catalogue
from patch_agent.triage.lab_text import compact, sha_of, texts
from patch_agent.triage.run import Run, run_batch
from patch_agent.triage.settings import ALL, EARLY, Settings

SEEDS = range(1, 6)
"""The seeds whose runs are drawn: the first ones, not chosen by what they show."""
NAMES = (*ALL, EARLY)
"""The policies whose runs are drawn."""
FILE = ("triage", "lab.json")


def record(progress: Callable[[int, int], None] | None = None) -> dict[str, Any]:
    """The runs as they are kept: made again, which takes half a minute."""
    counter, curves = exact(), []
    for name in NAMES:
        for seed in SEEDS:
            curves.append(curve(*made(name, seed), counter=counter))
            if progress is not None:
                progress(len(curves), len(NAMES) * len(SEEDS))
    typical = typical_seed()
    return {
        "schema": SCHEMA,
        "command": "patch-agent batch lab data",
        "typical": typical,
        "texts": text_names(),
        "curves": curves,
    }


def made(name: str, seed: int) -> tuple[Run, tuple[Request, ...]]:
    """A run, really made, and its requests."""
    run = run_batch(Settings(name, seed))
    return run, tuple(run.requests())


def record_text(found: dict[str, Any]) -> str:
    """The record as it is kept: one run on a line."""
    head = {key: value for key, value in found.items() if key != "curves"}
    runs = ",\n".join(map(compact, found["curves"]))
    return compact(head)[:-1] + ',"curves":[\n' + runs + "\n]}\n"


def typical_seed() -> int:
    """The seed, of those that are drawn, whose runs are nearest to the medians of requests."""
    rows = _figures()
    middles = {
        name: median(row["steps"] for row in rows if row["policy"] == name) for name in NAMES
    }

    def distance(seed: int) -> float:
        own = [row for row in rows if row["seed"] == seed and row["policy"] in middles]
        return float(sum(abs(row["steps"] / middles[row["policy"]] - 1) for row in own))

    return min(SEEDS, key=distance)


@lru_cache(maxsize=len(NAMES))
def typical_requests(name: str) -> tuple[Request, ...]:
    """The requests of a typical seed's run by the run's name, such as `clear:3`, made again."""
    policy, _, seed = name.partition(":")
    return made(policy, int(seed))[1]


@lru_cache(maxsize=1)
def lab_texts() -> dict[str, Any]:
    """The exact texts of the typical seed's runs."""
    seed = typical_seed()
    names = [f"{name}:{seed}" for name in NAMES]
    return texts({name: typical_requests(name) for name in names})


def text_names() -> dict[str, Any]:
    """The script with the exact texts, and the runs that it has."""
    found = lab_texts()
    sha = sha_of(found)
    return {"sha": sha, "file": f"text-{sha}.js", "runs": list(found["requests"])}


def lab_text_script() -> tuple[str, str]:
    """File name and contents of the classic script that brings the exact texts to a page.

    Raises DataError where the recorded runs are not those that are made now.
    """
    found, kept = lab_texts(), _kept()
    sha = sha_of(found)
    if sha != kept["texts"]["sha"]:
        again = f"make the file again with `{kept['command']}`"
        raise DataError(f"{data_path(*FILE)}: texts: not those of today's runs; {again}")
    body = compact(found).replace("</", "<\\/").replace("<!--", "<\\!--")
    return kept["texts"]["file"], f"globalThis.patchContextText({compact(sha)},{body});\n"


def load_lab() -> dict[str, Any]:
    """The catalogue of the recorded runs. Raises DataError where a file is damaged."""
    kept = _kept()
    return catalogue(kept["curves"], _figures(), kept["texts"], kept["typical"])


def _kept() -> dict[str, Any]:
    return read_of_schema(data_path(*FILE), "runs", SCHEMA)


def _figures() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = read_json(data_path("triage", "figures.json"))["runs"]
    return rows
