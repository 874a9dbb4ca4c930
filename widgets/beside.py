"""The book's figures beside those of our recorded runs, for the page on policies.

The book's are stated here once, with what is known of how they came about.
"""

from __future__ import annotations

from statistics import median

from patch_agent.triage.results import LOOK
from widgets.batch import FIGURES, Spread, World, whole
from widgets.tables import Row, Table

CHECKS_AGREE = "Agrees in that policies differ by less than runs do."


def beside(world: World) -> Table:
    """The book's figures beside ours, and under each row why they agree or do not."""

    def row(name: str, book: str, who: str, figure: str, note: str) -> Row:
        found = world.spread(who, figure).shown(FIGURES[figure].show)
        return Row(name, (book, found), note)

    fitted = "An input here: ours was set so that it comes near."
    return Table(
        "The book's runs beside ours",
        ("figure", "book", "ours: minimum / median / maximum"),
        (
            row("`none`: steps", "35", "none", "steps", fitted),
            row("`none`: input, millions of tokens", "3.1", "none", "input", fitted),
            row("`none`: cost", "$1.33", "none", "cost", fitted),
            row("`none`: requests in the dear tier", "nearly half", "none", "dear", fitted),
            row(f"`none`: results, step {LOOK}", "71%", "none", "results", fitted),
            row("`cache`: cost", "$0.23", "cache", "cost", "Agrees: several times cheaper."),
            row("`cache`: from the cache", "95%", "cache", "cached", "Agrees."),
            row("`trim`: cost", "$0.09", "trim", "cost", "The same order; the limits differ."),
            row(
                "Early clearing: steps",
                "132",
                "early",
                "steps",
                "Does not agree: more steps than without, but far fewer than the book saw.",
            ),
            row(
                "Early clearing: repeated reads",
                "47",
                "early",
                "rereads",
                "The same cause. The book counts one run.",
            ),
            row(
                "Default: names kept by a summary",
                "48 of 54",
                "compact",
                "kept",
                "The loss is an input. Runs without a summary count as none.",
            ),
            row("One policy twice: steps", "62 and 30", "compact", "steps", "Ours: the default."),
            row("One policy twice: cost", "$0.42, $0.06", "compact", "cost", "Ours: the default."),
            row("Default: names put back", "6", "compact", "restored", "Follows from the loss."),
            row(
                "Notes: written",
                "up to 11",
                "none",
                "written",
                "None is read, there or here; our stand-in never asks for one.",
            ),
            Row("Checks passed, all policies", ("81 to 87", _checks(world)), CHECKS_AGREE),
        ),
    )


def _checks(world: World) -> str:
    every = [FIGURES["passed"].of(run) for runs in world.runs.values() for run in runs]
    return Spread(min(every), median(every), max(every)).shown(whole)
