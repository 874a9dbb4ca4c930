"""The first frame of the widget ContextBuilder as plain HTML.

A reader without JavaScript can read it: the bar, the answers, the parts with their tokens. It
has the structure of what the module draws, so that nothing moves when the module takes over.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

Json = Mapping[str, Any]
OLDER = ("drop", "clear", "careful", "careless")


def first_frame(catalogue: Json, k: int = 34, off: tuple[str, ...] = ("task",)) -> str:
    """HTML of the call with k recent steps, the older ones left out, 6 tools, some parts off."""
    sent = [segment for segment in catalogue["segments"] if _is_sent(catalogue, segment, k, off)]
    sizes = {part["id"]: 0 for part in catalogue["parts"]}
    for segment in sent:
        sizes[segment["part"]] += segment["tokens"]
    return _tag(
        "div",
        _head(catalogue)
        + _bar(catalogue, sizes)
        + _controls(catalogue, k)
        + _tag("p", _tag("noscript", escape(catalogue["words"]["no_script"])), "cb-status")
        + _tag("div", _answers(catalogue, sent, k) + _parts(catalogue, sizes, k), "cb-main")
        + _tag("div", _folded(catalogue["words"]), "cb-folded"),
        "cb-root",
        data_compared="no",
    )


def _is_sent(catalogue: Json, segment: Json, k: int, off: Iterable[str]) -> bool:
    when, step = segment["when"], segment["step"]
    if segment["part"] in off or "6" not in when.get("tools", ["6"]) or "form" in when:
        return False
    if "at" not in when or step is None:
        return True
    return ("recent" if step > catalogue["session"]["steps"] - k else "drop") in when["at"]


def _head(catalogue: Json) -> str:
    words = catalogue["words"]
    buttons = "".join(
        _tag("button", escape(one["label"]), "cb-button", type="button", disabled="")
        for one in catalogue["experiments"]
    )
    start = _tag("div", buttons, "cb-experiments") + _tag("p", escape(words["hint"]), "cb-hint")
    return (
        _tag("h3", _fill(words["title"], steps=catalogue["session"]["steps"]), "cb-title")
        + _tag("p", escape(words["subtitle"]), "cb-sub")
        + _tag("div", start, "cb-start")
    )


def _bar(catalogue: Json, sizes: Mapping[str, int]) -> str:
    words, window, budget = catalogue["words"], catalogue["window"], catalogue["budget"]
    total = sum(sizes.values())
    pieces = "".join(
        _tag("i", "", "cb-piece", data_part=part, style=f"width:{tokens / window:.3%}")
        for part, tokens in sizes.items()
        if tokens
    )
    track = _tag("i", "", "cb-reserve") + _tag("div", pieces, "cb-fill")
    size = _fill(words["bar_size"], total=total, budget=budget, share=f"{total / budget:.0%}")
    threshold = f"{catalogue['threshold']:.0%}"
    legend = (
        _tag("span", size, "cb-bar-size")
        + _tag("span", _fill(words["bar_threshold"], threshold=threshold), "cb-key cb-key-mark")
        + _tag(
            "span",
            _fill(words["bar_reserve"], reserve=catalogue["reserve"]),
            "cb-key cb-key-reserve",
        )
    )
    limit, mark = budget / window, budget * catalogue["threshold"] / window
    return _tag(
        "figure",
        _tag("div", _tag("div", track, "cb-track") + _tag("i", "", "cb-bar-mark"), "cb-tracks")
        + _tag("figcaption", legend, "cb-legend"),
        "cb-bar",
        style=f"--cb-limit:{limit:.3%};--cb-threshold:{mark:.3%}",
    )


def _controls(catalogue: Json, k: int) -> str:
    words, steps = catalogue["words"], catalogue["session"]["steps"]
    limits = {"min": 0, "max": steps, "value": k, "disabled": ""}
    label = {"aria_label": words["recent"]}
    end = _tag("input", "", "cb-number-input", type="number", **limits, **label) + _tag(
        "span", _fill(words["recent_from"], start=steps - k + 1), "cb-from"
    )
    length = (
        _tag("span", escape(words["recent"]), "cb-label")
        + _tag("input", "", "cb-slider", type="range", **limits, **label)
        + _tag("span", end, "cb-length-end")
    )
    choices = "".join(_choice(words[f"form_{form}"], form == "drop") for form in OLDER)
    legend = _tag("legend", _fill(words["older"], range=f"1–{steps - k}"), "cb-label")
    older = _tag("fieldset", legend + _tag("div", choices, "cb-choices"), "cb-older")
    nothing = _tag("option", escape(words["beside_none"]))
    beside = _tag("span", escape(words["beside"])) + _tag(
        "select", nothing, "cb-select", disabled="", aria_label=words["beside"]
    )
    forms = older + _tag("label", beside, "cb-beside")
    return _tag(
        "div", _tag("div", length, "cb-length") + _tag("div", forms, "cb-forms"), "cb-controls"
    )


def _choice(label: str, checked: bool) -> str:
    state = {"checked": ""} if checked else {}
    return _tag(
        "label",
        _tag("input", "", "", type="radio", disabled="", **state) + escape(label),
        "cb-choice",
    )


def _answers(catalogue: Json, sent: list[Json], k: int) -> str:
    words, ids = catalogue["words"], {segment["id"] for segment in sent}
    rows, right = "", 0
    for probe in catalogue["probes"]:
        carrier = next((one for one in probe["carriers"] if one["segment"] in ids), None)
        found = carrier or probe["missing"]
        right += found["verdict"] == "right"
        start = catalogue["session"]["steps"] - k + 1
        lost = _fill(_lost(catalogue, probe), start=start)
        evidence = _evidence(catalogue, sent, carrier) if carrier else lost
        rows += _answer(words, probe["question"], found, evidence)
    tally = _fill(words["answers_count"], right=right, all=len(catalogue["probes"]))
    heading = _tag("span", escape(words["answers"])) + _tag("span", tally, "cb-tally")
    return _tag(
        "div", _tag("h4", heading, "cb-heading") + _tag("ul", rows, "cb-list"), "cb-answers"
    )


def _lost(catalogue: Json, probe: Json) -> str:
    """What is said of evidence that is not sent: where it was last given in the history."""
    step = {segment["id"]: segment["step"] or 0 for segment in catalogue["segments"]}
    known = [one for one in probe["carriers"] if one.get("lost")]
    text: str = max(known, key=lambda one: step[one["segment"]])["lost"] if known else ""
    return text


def brief(answer: str) -> str:
    """An answer's first sentence; its quotation stands below it anyway."""
    found = re.match(r".+?[.!?](?=\s)", answer, re.DOTALL)
    first = found[0] if found else answer
    return f"{first}”" if "“" in first and "”" not in first else first


def _evidence(catalogue: Json, sent: list[Json], carrier: Json) -> str:
    words = catalogue["words"]
    segment = next(one for one in sent if one["id"] == carrier["segment"])
    part = next(one["label"] for one in catalogue["parts"] if one["id"] == segment["part"])
    kind = "source_part" if segment["step"] is None else "source_step"
    source = _fill(words[kind], part=part, step=segment["step"])
    return f"{source}: " + _tag("mark", _fill(words["quote"], text=carrier["quote"]), "cb-quote")


def _answer(words: Json, question: str, found: Json, evidence: str) -> str:
    verdict = found["verdict"]
    icon = {"right": "✓", "wrong": "✗", "absent": "?"}[verdict]
    text = brief(found["answer"])
    if verdict == "wrong" and "“" not in text:
        text = words["quote"].replace("{text}", text)
    if verdict == "absent" and words["verdict_absent"] in text:
        text = ""
    line = (
        _tag("span", icon, "cb-icon", aria_hidden="true")
        + _tag("span", escape(words[f"verdict_{verdict}"]) + " ", "cb-word")
        + _tag("span", escape(text), "cb-said")
    )
    cell = _tag("p", line, "cb-verdict") + _tag("p", evidence, "cb-evidence")
    return _tag(
        "li",
        _tag("p", escape(question), "cb-question")
        + _tag("div", cell, "cb-cell", data_verdict=verdict),
        "cb-answer",
        data_verdict=verdict,
    )


def _parts(catalogue: Json, sizes: Mapping[str, int], k: int) -> str:
    words, steps = catalogue["words"], catalogue["session"]["steps"]
    rows = ""
    for part in catalogue["parts"]:
        ident, tokens, name = part["id"], sizes[part["id"]], escape(part["label"])
        if ident == "history" and tokens:
            recent = f"{steps - k + 1}–{steps}"
            name = _fill(words["part_history"], part=part["label"], range=recent)
        label = (
            _tag("span", "", "cb-no-box")
            + _tag("i", "", "cb-swatch", data_part=ident)
            + _tag("span", name, "cb-name")
        )
        figure = f"{tokens:,}" if tokens else escape(words["part_empty"])
        row = _tag("span", label, "cb-part-label") + _tag("span", figure, "cb-tokens")
        rows += _tag("li", row, "cb-part", data_sent="yes" if tokens else "no")
    total = sum(sizes.values())
    row = (
        _tag("span", escape(words["part_total"]), "cb-name")
        + _tag("span", f"{total / catalogue['budget']:.0%}", "cb-share")
        + _tag("span", f"{total:,}", "cb-tokens")
    )
    rows += _tag("li", row, "cb-part cb-sum")
    heading = _tag("h4", escape(words["parts"]), "cb-heading")
    return _tag("div", heading + _tag("ul", rows, "cb-list"), "cb-parts")


def _folded(words: Json) -> str:
    titles = (words[key] for key in ("run", "cost", "compaction", "text", "table"))
    lines = (_tag("span", escape(title), "cb-summary-title") for title in titles)
    return "".join(_tag("div", _tag("div", line, "cb-summary"), "cb-details") for line in lines)


def _fill(template: str, **values: Any) -> str:
    """A template filled as the module fills it, escaped; whole numbers get their commas."""
    shown = {name: f"{v:,}" if isinstance(v, int) else v for name, v in values.items()}
    text = template
    for name, value in shown.items():
        text = text.replace(f"{{{name}}}", str(value))
    return escape(text)


def _tag(name: str, content: str, kind: str = "", **attributes: Any) -> str:
    if kind:
        attributes = {"class": kind, **attributes}
    written = "".join(
        f' {key.replace("_", "-")}="{escape(str(value))}"' for key, value in attributes.items()
    )
    return f"<{name}{written}>" + ("" if name == "input" else f"{content}</{name}>")
