"""The first frame of the widget ContextBuilder as plain HTML.

A reader without JavaScript can read it: the bar, the answers, the parts with their tokens. It
has the structure of what the module draws, so that nothing moves when the module takes over.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape

from patch_agent.task import FORMS
from widgets.frame import Frame, Json
from widgets.html import fill, tag

ICONS = {"right": "✓", "wrong": "✗", "absent": "?", "refused": "–"}


def first_frame(catalogue: Json, fragment: str = "") -> str:
    """HTML of a call; of the catalogue's first state where no fragment is given."""
    frame = Frame.of(catalogue, fragment or catalogue["first"])
    return tag(
        "div",
        _head(catalogue)
        + _bar(catalogue, frame.sizes)
        + _controls(frame)
        + tag("p", tag("noscript", escape(catalogue["words"]["no_script"])), "cb-status")
        + tag("div", _answers(frame) + _parts(frame), "cb-main")
        + tag("div", _folded(catalogue["words"]), "cb-folded"),
        "cb-root",
        data_compared="no",
    )


def _head(catalogue: Json) -> str:
    words = catalogue["words"]
    buttons = "".join(
        tag("button", escape(one["label"]), "cb-button", type="button", disabled="")
        for one in catalogue["experiments"]
    )
    start = tag("div", buttons, "cb-experiments") + tag("p", escape(words["hint"]), "cb-hint")
    return (
        tag("h3", fill(words["title"], steps=catalogue["session"]["steps"]), "cb-title")
        + tag("p", escape(words["subtitle"]), "cb-sub")
        + tag("div", start, "cb-start")
    )


def _bar(catalogue: Json, sizes: Mapping[str, int]) -> str:
    words, window, budget = catalogue["words"], catalogue["window"], catalogue["budget"]
    total = sum(sizes.values())
    scale = max(window, total)
    pieces = "".join(
        tag("i", "", "cb-piece", style=f"{_colour(part)};width:{tokens / scale:.3%}")
        for part, tokens in sizes.items()
        if tokens
    )
    track = tag("i", "", "cb-reserve") + tag("div", pieces, "cb-fill")
    size = fill(words["bar_size"], total=total, budget=budget, share=f"{total / budget:.0%}")
    threshold = f"{catalogue['threshold']:.0%}"
    legend = (
        tag("span", size, "cb-bar-size")
        + tag("span", fill(words["bar_threshold"], threshold=threshold), "cb-key cb-key-mark")
        + tag(
            "span",
            fill(words["bar_reserve"], reserve=catalogue["reserve"]),
            "cb-key cb-key-reserve",
        )
    )
    limit, mark = budget / window, budget * catalogue["threshold"] / window
    return tag(
        "figure",
        tag("div", tag("div", track, "cb-track") + tag("i", "", "cb-bar-mark"), "cb-tracks")
        + tag("figcaption", legend, "cb-legend"),
        "cb-bar",
        style=f"--cb-limit:{limit:.3%};--cb-threshold:{mark:.3%}",
    )


def _controls(frame: Frame) -> str:
    words, older = frame.words, frame.older
    limits = {"min": 0, "max": frame.steps, "value": frame.state.k, "disabled": ""}
    label = {"aria_label": words["recent"]}
    start = words["recent_from" if frame.state.k else "recent_none"]
    end = tag("input", "", "cb-number-input", type="number", **limits, **label) + tag(
        "span", fill(start, start=older + 1), "cb-from"
    )
    length = (
        tag("span", escape(words["recent"]), "cb-label")
        + tag("input", "", "cb-slider", type="range", **limits, **label)
        + tag("span", end, "cb-length-end")
    )
    choices = "".join(_choice(words[f"form_{form}"], form == frame.state.older) for form in FORMS)
    key = "older" if older > 1 else "older_one" if older else "older_none"
    heading = fill(words[key], range=_range(1, older))
    legend = tag("legend", heading, "cb-label")
    forms = tag("fieldset", legend + tag("div", choices, "cb-choices"), "cb-older")
    nothing = tag("option", escape(words["beside_none"]))
    beside = tag("span", escape(words["beside"])) + tag(
        "select", nothing, "cb-select", disabled="", aria_label=words["beside"]
    )
    forms += tag("label", beside, "cb-beside")
    return tag(
        "div", tag("div", length, "cb-length") + tag("div", forms, "cb-forms"), "cb-controls"
    )


def _choice(label: str, checked: bool) -> str:
    state = {"checked": ""} if checked else {}
    return tag(
        "label",
        tag("input", "", "", type="radio", disabled="", **state) + escape(label),
        "cb-choice",
    )


def _answers(frame: Frame) -> str:
    words, catalogue = frame.words, frame.catalogue
    ids, fits = {segment.id for segment in frame.sent}, frame.fits
    rows, right = "", 0
    for probe in catalogue["probes"]:
        carrier = next((one for one in probe["carriers"] if one["segment"] in ids), None)
        found = (carrier or probe["missing"]) if fits else {"verdict": "refused", "answer": ""}
        right += found["verdict"] == "right"
        lost = fill(_lost(catalogue, probe), gone=_gone(frame))
        evidence = (_evidence(frame, carrier) if carrier else lost) if fits else ""
        rows += _answer(words, probe["question"], found, evidence)
    counted = words["answers_count" if fits else "answers_none"]
    tally = fill(counted, right=right, all=len(catalogue["probes"]))
    heading = tag("span", escape(words["answers"])) + tag("span", tally, "cb-tally")
    return tag("div", tag("h4", heading, "cb-heading") + tag("ul", rows, "cb-list"), "cb-answers")


def _lost(catalogue: Json, probe: Json) -> str:
    """What is said of evidence that is not sent: where it was last given in the history."""
    step = {segment["id"]: segment["step"] or 0 for segment in catalogue["segments"]}
    known = [one for one in probe["carriers"] if one.get("lost")]
    text: str = max(known, key=lambda one: step[one["segment"]])["lost"] if known else ""
    return text


def _gone(frame: Frame) -> str:
    """What became of the steps that are not sent word for word."""
    form, older = frame.state.older, frame.older
    key = "gone_all" if form == "drop" and frame.state.k == 0 else f"gone_{form}"
    return fill(frame.words[key], start=older + 1, last=older)


def brief(answer: str) -> str:
    """An answer's first sentence; its quotation stands below it anyway."""
    found = re.match(r".+?[.!?](?=\s)", answer, re.DOTALL)
    first = found[0] if found else answer
    return f"{first}”" if "“" in first and "”" not in first else first


def _evidence(frame: Frame, carrier: Json) -> str:
    words = frame.words
    segment = next(one for one in frame.sent if one.id == carrier["segment"])
    part = next(one["label"] for one in frame.catalogue["parts"] if one["id"] == segment.part)
    kind = "source_part" if segment.step is None else "source_step"
    source = fill(words[kind], part=part, step=segment.step)
    return f"{source}: " + tag("mark", fill(words["quote"], text=carrier["quote"]), "cb-quote")


def _answer(words: Json, question: str, found: Json, evidence: str) -> str:
    verdict = found["verdict"]
    text = brief(found["answer"])
    if verdict == "wrong" and "“" not in text:
        text = words["quote"].replace("{text}", text)
    if verdict == "absent" and words["verdict_absent"] in text:
        text = ""
    line = (
        tag("span", ICONS[verdict], "cb-icon", aria_hidden="true")
        + tag("span", escape(words[f"verdict_{verdict}"]) + " ", "cb-word")
        + tag("span", escape(text), "cb-said")
    )
    cell = tag("p", line, "cb-verdict") + tag("p", evidence, "cb-evidence")
    return tag(
        "li",
        tag("p", escape(question), "cb-question")
        + tag("div", cell, "cb-cell", data_verdict=verdict),
        "cb-answer",
        data_verdict=verdict,
    )


def _parts(frame: Frame) -> str:
    words, catalogue, sizes = frame.words, frame.catalogue, frame.sizes
    rows = ""
    for part in catalogue["parts"]:
        ident, tokens, name = part["id"], sizes[part["id"]], escape(part["label"])
        if ident == "history" and tokens:
            first = 1 if frame.state.older == "clear" else frame.older + 1
            name = fill(words["part_history"], part=part["label"], range=_range(first, frame.steps))
        if ident == "summary" and tokens:
            name = fill(words["part_summary"], part=part["label"], range=_range(1, frame.older))
        label = (
            tag("span", "", "cb-no-box")
            + tag("i", "", "cb-swatch", style=_colour(ident))
            + tag("span", name, "cb-name")
        )
        figure = f"{tokens:,}" if tokens else escape(words["part_empty"])
        row = tag("span", label, "cb-part-label") + tag("span", figure, "cb-tokens")
        rows += tag("li", row, "cb-part", data_sent="yes" if tokens else "no")
    total = sum(sizes.values())
    row = (
        tag("span", escape(words["part_total"]), "cb-name")
        + tag("span", f"{total / catalogue['budget']:.0%}", "cb-share")
        + tag("span", f"{total:,}", "cb-tokens")
    )
    rows += tag("li", row, "cb-part cb-sum")
    heading = tag("h4", escape(words["parts"]), "cb-heading")
    return tag("div", heading + tag("ul", rows, "cb-list"), "cb-parts")


def _folded(words: Json) -> str:
    titles = (words[key] for key in ("run", "cost", "compaction", "text", "table"))
    lines = (tag("span", escape(title), "cb-summary-title") for title in titles)
    return "".join(tag("div", tag("div", line, "cb-summary"), "cb-details") for line in lines)


def _colour(part: str) -> str:
    """The style that gives an element a part's colour, which the style sheet names after it."""
    return f"--cb-part:var(--cb-part-{part})"


def _range(first: int, last: int) -> str:
    return f"{first}" if first == last else f"{first}–{last}"
