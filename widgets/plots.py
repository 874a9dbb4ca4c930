"""A picture for the notebook: how a call grows from step to step, and what the builder makes of it.

matplotlib is imported where it is used. The parts have the colours of the widget, read from its
style sheet. The ground is transparent and the ink grey, so that the picture suits a light page
and a dark one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from patch_agent.budget import Budget
from patch_agent.builder import THRESHOLD, build_context, default_counter, full_request
from patch_agent.messages import steps
from patch_agent.request import Part, Request
from patch_agent.scenario import Scenario
from patch_agent.tokens import TokenCounter
from widgets.modules import style_text
from widgets.tables import number, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK = "#7d8594"
"""Readable on white and on near black."""
LAYERS = {
    "parts beside the history": "system",
    "what was said and called": "agents_md",
    "tool outputs": "history",
}
"""The layers from the bottom up, each with the part whose colour it has."""


@dataclass(frozen=True, slots=True)
class Growth:
    """Tokens of the call before each step: everything sent, in layers, and as it is built."""

    steps: tuple[int, ...]
    layers: dict[str, tuple[int, ...]]
    built: tuple[int, ...]


def growth(session: Scenario) -> Growth:
    """The calls of a session, each made from the conversation up to there."""
    counter, state = default_counter(), session.state
    numbers, sizes, built = [], [], []
    for step in steps(session.conversation):
        end = len(session.conversation) if step.assistant is None else step.assistant
        before = session.conversation[:end]
        sizes.append(_sizes(full_request(state, before), counter))
        made = build_context(state, before, session.window)
        state = replace(state, policy=made.state)
        built.append(made.request.tokens(counter))
        numbers.append(step.number)
    layers = dict(zip(LAYERS, zip(*sizes, strict=True), strict=True))
    return Growth(tuple(numbers), layers, tuple(built))


def _sizes(request: Request, counter: TokenCounter) -> tuple[int, int, int]:
    history = request.part("history")
    printed = tuple(entry for entry in history.entries if entry.message.role == "tool")
    outputs = Part("history", printed).tokens(counter)
    whole = history.tokens(counter)
    return request.tokens(counter) - whole, whole - outputs, outputs


def new_figure() -> tuple[Figure, Axes]:
    """An empty picture; the caller shows it, once."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(9, 4.4), layout="constrained")
    plt.close(figure)
    figure.patch.set_alpha(0)
    return figure, axes


def plot_growth(session: Scenario) -> Figure:
    """Tokens of each call, step by step: everything sent, in layers; what the builder sends."""
    from matplotlib.patheffects import withStroke

    calls, budget = growth(session), Budget(session.window)
    figure, axes = new_figure()
    colours = [colour(part) for part in LAYERS.values()]
    axes.stackplot(calls.steps, *calls.layers.values(), colors=colours, alpha=0.8, linewidth=0)
    halo = [withStroke(linewidth=5, foreground="white")]
    axes.plot(calls.steps, calls.built, color=colour("user"), linewidth=2, path_effects=halo)
    for share, words in ((1.0, "budget"), (THRESHOLD, f"{percent(THRESHOLD)} of it: compact")):
        level = budget.limit * share
        axes.axhline(level, color=INK, linewidth=1, linestyle=(0, (4, 3)))
        say(axes, f"{words}, {number(round(level))}", 1.3, level, ha="left", va="bottom")
    _label_layers(axes, calls)
    dress(axes, "Tokens of each call, step by step", "step", calls.steps[-1])
    return figure


def _label_layers(axes: Axes, calls: Growth) -> None:
    """Each layer's name at its right edge, and the name of the line."""
    last, height = calls.steps[-1] + 0.6, 0
    for words, sizes in calls.layers.items():
        say(axes, f"{words}, {number(sizes[-1])}", last, height + sizes[-1] / 2, va="center")
        height += sizes[-1]
    words = f"what the builder sends, {number(calls.built[-1])}"
    say(axes, words, last, calls.built[-1], va="center", weight="bold")


def dress(axes: Axes, title: str, across: str, last: int) -> None:
    """Title, axes and ink of a picture whose height is tokens; `last` is the last place across."""
    axes.set_title(title, loc="left", color=INK, fontsize=11)
    axes.set_xlabel(across, color=INK)
    axes.set_xlim(1, last)
    axes.set_ylim(0)
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.yaxis.set_major_formatter(lambda value, _: number(int(value)))
    axes.tick_params(colors=INK)
    axes.patch.set_alpha(0)
    for side, spine in axes.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(INK)


def say(axes: Axes, words: str, x: float, y: float, **style: Any) -> None:
    """Words at a place of the picture."""
    axes.text(x, y, words, **{"color": INK, "fontsize": 9, "clip_on": False} | style)


def colour(part: str) -> str:
    """The part's colour on a light ground, from the widget's style sheet. Raises ValueError."""
    found = re.search(rf"--cb-part-{part}:[^#]*(#[0-9a-f]{{6}})", style_text("context_builder"))
    if found is None:
        raise ValueError(f"the style sheet has no colour for the part {part!r}")
    return found.group(1)
