"""Puts the catalogue together, and the script with the exact text of each segment."""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache
from typing import Any

from patch_agent.budget import Budget
from patch_agent.builder import THRESHOLD, default_counter
from patch_agent.catalogue.answers import probe_data
from patch_agent.catalogue.costs import cost_data
from patch_agent.catalogue.ledgers import ledger_data
from patch_agent.catalogue.runs import all_runs
from patch_agent.catalogue.segments import all_segments, as_data
from patch_agent.catalogue.state import State, format_state
from patch_agent.data import data_path, read_of_schema, read_table
from patch_agent.probes import load_probes
from patch_agent.request import VOLATILITY
from patch_agent.scenario import load_scenario
from patch_agent.task import SWITCHABLE
from patch_agent.tokens import FRAMING
from patch_agent.vocabulary import load_encoder

SCHEMA = 1
"""Version of the catalogue's shape."""
FIRST = State(34, off=frozenset({"task"}))
"""The state that is shown first: the call starts at step 15, one after the user's rule."""


def build_catalogue() -> dict[str, Any]:
    """The catalogue of the running example; its runs are really made, which takes half a minute."""
    scenario, counter, words = load_scenario(), default_counter(), _words()
    segments, budget = all_segments(scenario), Budget(scenario.window)
    probes = [probe_data(probe, segments, words) for probe in load_probes()]
    facts, runs = all_runs(scenario, segments, counter, words)
    return {
        "schema": SCHEMA,
        "session": {"steps": scenario.steps},
        "window": budget.window,
        "reserve": budget.reserve,
        "budget": budget.limit,
        "threshold": THRESHOLD,
        "framing": FRAMING,
        "words": words["words"],
        "parts": [
            {
                "id": part,
                "label": words["parts"][part],
                "volatility": volatility,
                "switchable": part in SWITCHABLE,
            }
            for part, volatility in VOLATILITY.items()
        ],
        "segments": [as_data(segment, counter) for segment in segments],
        "probes": probes,
        "facts": facts,
        "runs": runs,
        "ledger": ledger_data(scenario),
        **cost_data(segments, scenario.steps, counter, load_encoder().encode),
        "first": format_state(FIRST),
        "experiments": words["experiments"],
        "texts": {"sha": texts_sha(), "file": text_file()},
    }


def catalogue_text(catalogue: dict[str, Any]) -> str:
    """The catalogue as it is kept: one segment, probe, run or row on a line."""
    lines = []
    for key, value in catalogue.items():
        if isinstance(value, list):
            rows = ",\n".join(map(_compact, value))
            lines.append(f"{_compact(key)}:[\n{rows}\n]")
        else:
            lines.append(f"{_compact(key)}:{_compact(value)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def load_catalogue() -> dict[str, Any]:
    """The catalogue that is kept in `data/`. Raises DataError where it is damaged."""
    return read_of_schema(data_path("catalogue.json"), "a catalogue", SCHEMA)


@lru_cache(maxsize=1)
def texts() -> dict[str, str]:
    """The exact text of each segment, by its id."""
    return {segment.id: segment.text for segment in all_segments(load_scenario())}


def texts_sha() -> str:
    """A short name for exactly these texts."""
    return hashlib.sha256(_compact(texts()).encode("utf-8")).hexdigest()[:12]


def text_file() -> str:
    """The name of the script that brings them to a page."""
    return f"text-{texts_sha()}.js"


def text_script() -> tuple[str, str]:
    """File name and contents of the classic script that brings the exact texts to a page."""
    sha = texts_sha()
    body = _compact(texts()).replace("</", "<\\/").replace("<!--", "<\\!--")
    return text_file(), f"globalThis.patchContextText({_compact(sha)},{body});\n"


def _words() -> dict[str, Any]:
    return read_table(data_path("words", "context_builder.toml"))
