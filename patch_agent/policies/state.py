"""PolicyState: what policies remember between calls, as data, and its form on disk.

The whole state is one value. It is saved and loaded as one line of JSON, all of it or nothing,
so that no boundary is ever kept without the summary that it belongs to.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from patch_agent.messages import Usage
from patch_agent.summaries import Record, Summary
from patch_agent.summaries.record import Edit, Failure, Output, Quote, Search, Visit

VERSION = 1
_PLACES = ("cleared", "covered", "trimmed", "attempted", "failed")
_ROWS: dict[str, Any] = {
    "said": Quote,
    "failures": Failure,
    "edits": Edit,
    "dead_ends": Quote,
    "decisions": Quote,
    "visits": Visit,
    "outputs": Output,
    "searches": Search,
}


@dataclass(frozen=True, slots=True)
class PolicyState:
    """What policies remember: places in the conversation, each meaning "messages before this".

    `cleared`: their results are cleared; `covered`: `summary` stands for their steps;
    `trimmed`: their steps are left out. `attempted` is the number of steps at the last
    compaction that was tried, `failed` how many in a row came to nothing. Raises ValueError
    where one of them is no whole number of 0 or more.
    """

    cleared: int = 0
    summary: Summary | None = None
    covered: int = 0
    trimmed: int = 0
    attempted: int = 0
    failed: int = 0

    def __post_init__(self) -> None:
        for name in _PLACES:
            value = getattr(self, name)
            if type(value) is not int or value < 0:
                raise ValueError(f"{name}: expected a whole number, got {value!r:.80}")


class StateError(ValueError):
    """A saved state that cannot be used, and why."""


def save_state(state: PolicyState) -> str:
    """The state as one line of JSON."""
    return json.dumps({"version": VERSION} | asdict(state), ensure_ascii=False)


def load_state(text: str) -> PolicyState:
    """The state that `save_state` wrote. Raises StateError."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise StateError(f"policy state: not JSON ({error})") from None
    version = data.get("version") if isinstance(data, dict) else type(data).__name__
    if type(version) is not int or version != VERSION:
        raise StateError(f"policy state: expected version {VERSION}, got {version!r:.80}")
    try:
        state = PolicyState(**{name: data.get(name) for name in _PLACES})
    except ValueError as error:
        raise StateError(f"policy state: {error}") from None
    summary = data.get("summary")
    if (state.covered > 0) != (summary is not None):
        raise StateError("policy state: covered and summary belong together, one is missing")
    try:
        return replace(state, summary=None if summary is None else _summary(summary))
    except (KeyError, TypeError, ValueError) as error:
        raise StateError(f"policy state: damaged summary ({error})") from None


def _summary(data: Mapping[str, Any]) -> Summary:
    record, usage = data["record"], Usage(**data["usage"])
    counts = {**asdict(usage), "covers": data["covers"], "through": data["through"]}
    for name, value in counts.items():
        if type(value) is not int or value < 0:
            raise ValueError(f"{name}: expected a whole number, got {value!r:.80}")
    for name in ("text", "kind", "ending"):
        if not isinstance(data[name], str):
            raise ValueError(f"{name}: expected a text, got {data[name]!r:.80}")
    rest = {**data, "usage": usage}
    return Summary(**{**rest, "record": None if record is None else _record(record)})


def _record(data: Mapping[str, Any]) -> Record:
    rows = {name: tuple(kind(**row) for row in data[name]) for name, kind in _ROWS.items()}
    spoken = tuple((word, count) for word, count in data["spoken"])
    return Record(**rows, steps=data["steps"], spoken=spoken)
