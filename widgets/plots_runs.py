"""A picture for the notebook on policies: the requests of runs, and where a beginning broke.

A dot marks a request that does not begin like the one before: from there on nothing can come
from a cache. matplotlib is imported where it is used.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from patch_agent.triage.results import TIER
from patch_agent.triage.run import Run
from widgets.plots import INK, colour, dress, new_figure, say
from widgets.tables import number

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS = ("history", "user", "memory", "tools", "task", "report")
"""Parts whose colours the lines have, in this order."""


def plot_requests(runs: Mapping[str, Run]) -> Figure:
    """Tokens of each request of some runs, by name, under the line above which they are dear."""
    colours = _colours(len(runs))
    figure, axes = new_figure()
    last = max(len(run.sent) for run in runs.values())
    for (name, run), part in zip(runs.items(), colours, strict=True):
        sizes = [one.tokens for one in run.sent]
        axes.plot(range(1, len(sizes) + 1), sizes, color=colour(part), linewidth=2)
        broken = [i for i, one in enumerate(run.sent) if one.bill.reuse.invalidated]
        axes.plot([i + 1 for i in broken], [sizes[i] for i in broken], "o", color=colour(part))
        say(axes, f" {name}", len(sizes), sizes[-1], color=colour(part), weight="bold")
    axes.axhline(TIER, color=INK, linewidth=1, linestyle=(0, (4, 3)))
    say(axes, f"{number(TIER)}: dear above", 1.2, TIER, ha="left", va="bottom")
    dress(axes, "Tokens of each request; a dot where the beginning breaks", "request", last)
    return figure


def _colours(count: int) -> tuple[str, ...]:
    """One for each line. Raises ValueError where there are too many lines to tell apart."""
    if not 0 < count <= len(COLOURS):
        raise ValueError(f"runs: expected 1 to {len(COLOURS)}, got {count}")
    return COLOURS[:count]
