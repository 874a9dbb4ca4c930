"""The first frame of the widget PolicyLab as plain HTML.

A reader without JavaScript can read it: the runs that are drawn, and one figure of all runs. It
has the structure of what the module draws, so that little moves when the module takes over.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from statistics import median
from typing import Any

from widgets.html import fill, tag

Json = Mapping[str, Any]
GAP, STEP = 0.1, 20_000
"""As in the module: columns leave a gap, and the axis ends at a multiple of so many tokens."""


def lab_frame(catalogue: Json, fragment: str = "") -> str:
    """HTML of a state; of the catalogue's first one where none is given. Raises ValueError."""
    words = catalogue["words"]
    choices, figure = _parsed(catalogue, fragment or catalogue["first"])
    buttons = "".join(
        tag("button", escape(one["label"]), "cb-button", type="button", disabled="")
        for one in catalogue["experiments"]
    )
    hint = tag("p", fill(words["hint"], times=f"{catalogue['times']:g}"), "cb-hint")
    return tag(
        "div",
        tag("h3", escape(words["title"]), "cb-title")
        + tag("p", escape(words["subtitle"]), "cb-sub")
        + tag("div", tag("div", buttons, "cb-experiments") + hint, "cb-start")
        + tag("p", tag("noscript", escape(words["no_script"])), "cb-status")
        + tag("div", _panels(catalogue, choices), "pl-panels")
        + _spread(catalogue, figure, {policy for policy, _ in choices})
        + tag("div", _folded(words), "cb-folded"),
        "cb-root",
    )


def _parsed(catalogue: Json, fragment: str) -> tuple[list[tuple[str, int]], str]:
    """The policies of a state, each with the seed that is drawn, and the figure."""
    fields = fragment.removeprefix("pl=").split(".")
    if len(fields) != 5 or fields[0] != str(catalogue["version"]):
        raise ValueError(
            f"state: expected {catalogue['first']!r} or the like, got {fragment!r:.80}"
        )
    figures = [column["id"] for column in catalogue["columns"]]
    if fields[4] not in figures:
        raise ValueError(f"figure: expected one of {', '.join(figures)}, got {fields[4]!r:.80}")
    return [_choice(catalogue, one) for one in fields[1:3] if one != "-"], fields[4]


def _choice(catalogue: Json, text: str) -> tuple[str, int]:
    policy, _, run = text.partition(":")
    names = [one["id"] for one in catalogue["policies"]]
    if policy not in names:
        raise ValueError(f"policy: expected one of {', '.join(names)}, got {policy!r:.80}")
    seeds = [curve["seed"] for curve in catalogue["curves"] if curve["policy"] == policy]
    typical = catalogue["typical"]
    wanted = str(typical if typical in seeds else seeds[0]) if run == "all" else run
    if wanted not in map(str, seeds):
        raise ValueError(f"run: expected all or one of {seeds}, got {run!r:.80}")
    return policy, int(wanted)


def _panels(catalogue: Json, choices: Iterable[tuple[str, int]]) -> str:
    chosen = [
        next(one for one in catalogue["curves"] if (one["policy"], one["seed"]) == choice)
        for choice in choices
    ]
    totals = [_totals(curve) for curve in chosen]
    columns = max(map(len, totals))
    top = STEP * (max(catalogue["tier"], *map(max, totals)) // STEP + 1)
    panels = ""
    for curve in chosen:
        label = next(one for one in catalogue["policies"] if one["id"] == curve["policy"])
        name = tag("span", escape(f"{label['label']}: {label['what']}"), "cb-label")
        line = tag("i", "", "pl-tier", style=f"bottom:{catalogue['tier'] / top:.2%}")
        plot = tag("div", _drawing(catalogue, curve, columns, top) + line, "pl-plot")
        panels += tag("figure", tag("div", name, "pl-picker") + plot, "pl-panel")
    return panels


def _totals(curve: Json) -> list[int]:
    return [sum(sizes) for sizes in zip(*curve["regions"].values(), strict=True)]


def _drawing(catalogue: Json, curve: Json, columns: int, top: float) -> str:
    """The columns of a run, one outline for each region."""
    below, paths = [0] * len(curve["read"]), ""
    for region in catalogue["regions"]:
        sizes: Sequence[int] = curve["regions"][region["id"]]
        outline = "".join(
            f"M{i} {top - low:.6g}V{top - low - size:.6g}H{i + 1 - GAP:g}V{top - low:.6g}Z"
            for i, (low, size) in enumerate(zip(below, sizes, strict=True))
            if size
        )
        style = f"--cb-part:var(--pl-region-{region['id']})"
        paths += tag("path", "", "pl-layer", d=outline, style=style)
        below = [low + size for low, size in zip(below, sizes, strict=True)]
    box = f"0 0 {columns} {top:.6g}"
    return tag("svg", paths, viewBox=box, preserveAspectRatio="none", aria_hidden="true")


def _spread(catalogue: Json, figure: str, shown: set[str]) -> str:
    words = catalogue["words"]
    kind = next(column["kind"] for column in catalogue["columns"] if column["id"] == figure)
    heads = "".join(
        tag("th", escape(words[f"spread_{key}"]), f"pl-{key}", scope="col")
        for key in ("policy", "runs", "least", "median", "most")
    )
    rows = ""
    for policy in catalogue["policies"]:
        values = catalogue["figures"][policy["id"]][figure]
        cells = tag("th", escape(policy["label"]), "pl-policy", scope="row")
        cells += tag("td", str(len(values)), "pl-runs")
        for key, value in zip(
            ("least", "median", "most"), (min(values), median(values), max(values)), strict=True
        ):
            cells += tag("td", escape(_written(kind, value)), f"cb-number pl-{key}")
        rows += tag("tr", cells, data_shown="yes" if policy["id"] in shown else "no")
    name = fill(words[f"column_{figure}"], total=catalogue["total"])
    caption = tag("caption", fill(words["spread"], figure=name), "cb-hidden")
    table = tag("table", caption + tag("thead", tag("tr", heads)) + tag("tbody", rows), "pl-spread")
    label = tag("span", escape(words["figure"]), "cb-label") + tag("span", name)
    return tag("div", tag("p", label, "pl-figure") + table, "pl-all")


def _written(kind: str, value: float) -> str:
    match kind:
        case "millions":
            return f"{value / 1e6:.2f} M"
        case "dollars":
            return f"${value:.2f}" if value >= 0.01 or value == 0 else f"${value:.4f}"
        case "percent":
            return f"{value:.0%}"
    return f"{value:,g}"


def _folded(words: Json) -> str:
    titles = (words[key] for key in ("parts", "text", "breaks", "table", "all"))
    lines = (tag("span", escape(title), "cb-summary-title") for title in titles)
    return "".join(tag("div", tag("div", line, "cb-summary"), "cb-details") for line in lines)
