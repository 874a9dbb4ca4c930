"""What each summary keeps of what was said and found, for every number of older steps."""

from __future__ import annotations

from typing import Any

from patch_agent.builder import default_counter
from patch_agent.catalogue.segments import SUMMARIES
from patch_agent.messages import steps
from patch_agent.scenario import Scenario
from patch_agent.summaries import LIMIT, WRITERS, ledger

KEPT = ("verbatim", "paraphrased")


def ledger_data(scenario: Scenario) -> list[dict[str, Any]]:
    """One row for each thing said or found; for each form the ranges of older steps, as pairs of
    first and last, whose summary keeps it word for word or paraphrased."""
    rows: dict[str, dict[str, Any]] = {}
    ends = [step.indices[-1] + 1 for step in steps(scenario.conversation)[: scenario.steps]]
    for form in SUMMARIES:
        for older, end in enumerate(ends, 1):
            messages = scenario.conversation[:end]
            written = WRITERS[form](messages, default_counter(), LIMIT)
            for row in ledger(messages, written):
                known = rows.setdefault(
                    row.id,
                    {
                        "id": row.id,
                        "kind": row.kind,
                        "text": row.text,
                        "step": row.step,
                        **{name: {} for name in SUMMARIES},
                    },
                )
                if row.status in KEPT:
                    _extend(known[form].setdefault(row.status, []), older)
    return sorted(rows.values(), key=lambda row: row["step"])


def _extend(ranges: list[list[int]], number: int) -> None:
    """Adds a number to ascending ranges."""
    if ranges and ranges[-1][1] == number - 1:
        ranges[-1][1] = number
    else:
        ranges.append([number, number])
