"""A world: everything that the crash service holds when a run of the batch begins.

It is plain data, made from a seed by `world_make`. What the reports are really about is not in
here; that is in `truth`, which a triage agent has no business with.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass

SEVERITIES = ("low", "medium", "high", "critical")
"""From the mildest to the worst."""


@dataclass(frozen=True, slots=True)
class Report:
    """A crash report; `reproduction` is the code attached to it, empty where there is none.

    `archived` reports belong to earlier work: they can be read, and are never listed.
    """

    id: str
    received: str
    title: str
    text: str
    reproduction: str = ""
    archived: bool = False


@dataclass(frozen=True, slots=True)
class Issue:
    """An issue; `state` is open or fixed, `evidence` are ids of reports."""

    id: str
    title: str
    file: str
    line: int
    severity: str
    state: str
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class World:
    """Reports, sources and issues of one app; `links` are pairs of a report and an issue."""

    seed: int
    app: str
    about: str
    version: str
    reports: tuple[Report, ...]
    files: Mapping[str, str]
    issues: tuple[Issue, ...]
    links: tuple[tuple[str, str], ...]


def digest(world: World) -> str:
    """The sha256 of all that a world holds, for comparing two of them."""
    text = json.dumps(asdict(world), ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
