"""The wording of crash reports: what a person says, what the app adds, how a crash is printed.

Two reports of one cause share the crash and little else: person, device, version, values, tone
and the form of the crash differ. Nothing in a report names its cause.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import Any

from patch_agent.triage.sandbox import Crash, Frame
from patch_agent.triage.texts import Theme, Thing, fill, phrases

FORMS = ("traceback", "stack", "log")
"""How the app has printed crashes over time; all three name file, line, function and text."""
MOST_VALUES = 4
"""Values of the innermost frame that a report shows."""


@dataclass(frozen=True, slots=True)
class Release:
    """A version of the app, as reports name it."""

    version: str
    build: int


def draw_values(theme: Theme, thing: Thing, random: Random) -> dict[str, str]:
    """Ids, names, places and numbers for one report, as words for `fill`."""
    first, second = random.sample(range(100, 1000), 2)
    labels, groups = random.sample(theme.labels, 2), random.sample(theme.groups, 2)
    letter = thing.item[0]
    fields = {name: thing.words[name].replace("_", " ") for name in ("label", "group", "amount")}
    return fields | {
        "i1": f"{letter}-{first}",
        "i2": f"{letter}-{second}",
        "w1": labels[0],
        "w2": labels[1],
        "g1": groups[0],
        "g2": groups[1],
        "n1": str(random.randint(3, 9)),
        "n2": str(random.randint(11, 89)),
    }


def title(words: Mapping[str, str], random: Random) -> str:
    """The line that stands for a report in a list."""
    text = fill(random.choice(phrases()["titles"]), words)
    return text[0].upper() + text[1:]


def body(
    app: str,
    release: Release,
    received: datetime,
    impact: Mapping[str, Any],
    symptoms: Sequence[str],
    words: Mapping[str, str],
    crash: Crash,
    random: Random,
) -> str:
    """A report without its first line: the form, the person's words, the steps, the crash."""
    kinds = phrases()
    free, network = random.randint(3, 79) / 10, random.choice(kinds["networks"])
    form = [
        f"Received: {received:%Y-%m-%d %H:%M}, {random.choice(kinds['channels'])}",
        f"App: {app} {release.version} (build {release.build})",
        f"Device: {random.choice(kinds['devices'])}, {free:.1f} GB free",
        f"Language: {random.choice(kinds['languages'])}; network: {network}",
        f"Impact: {impact['answer']}",
    ]
    blocks = [
        "\n".join(form),
        _account(impact, symptoms, words, random),
        "Before the crash\n" + _steps(words, random),
        "Crash\n" + printed(crash, random.choice(FORMS), received, random),
        "Values there\n" + "\n".join(f"  {value}" for value in crash.values[:MOST_VALUES]),
    ]
    return "\n\n".join(blocks)


def _account(
    impact: Mapping[str, Any], symptoms: Sequence[str], words: Mapping[str, str], random: Random
) -> str:
    """What the person says: one symptom, some circumstances, and what it meant for them."""
    kinds = phrases()
    middle = [random.choice(symptoms), random.choice(impact["says"])]
    middle += random.sample(kinds["circumstances"], random.randint(5, 8))
    random.shuffle(middle)
    middle.insert(random.randint(1, len(middle)), random.choice(kinds["often"]))
    start = [random.choice(kinds["openings"])] if random.random() < 0.7 else []
    end = [random.choice(kinds["closings"])] if random.random() < 0.8 else []
    return fill(" ".join([*start, *middle, *end]), words)


def _steps(words: Mapping[str, str], random: Random) -> str:
    """What the app had noted of the last minute."""
    chosen = random.sample(phrases()["before"], random.randint(7, 10))
    seconds, lines = 0, []
    for step in reversed(chosen):
        seconds += random.randint(1, 14)
        lines.append(f"-{seconds // 60:02d}:{seconds % 60:02d} {fill(step, words)}")
    return "\n".join(reversed(lines))


def printed(crash: Crash, form: str, moment: datetime, random: Random) -> str:
    """A crash in one of the FORMS, with the frames in the app's own files only."""
    own = [frame for frame in crash.frames if "/" in frame.path]
    if form == "traceback":
        lines = [line for frame in own for line in _python_lines(frame)]
        return "\n".join(["Traceback (most recent call last):", *lines, crash.headline])
    if form == "stack":
        lines = [f"  at {_place(frame)}: {frame.text}" for frame in reversed(own)]
        return "\n".join([crash.headline, *lines])
    stamp = f"{moment - timedelta(seconds=random.randint(20, 9_000)):%H:%M:%S}"
    lines = [f"E {stamp} {_place(frame)} | {frame.text}" for frame in own]
    return "\n".join([*lines, f"E {stamp} {crash.headline}"])


def _python_lines(frame: Frame) -> tuple[str, str]:
    head = f'  File "{frame.path}", line {frame.line}, in {frame.function}'
    return head, f"    {frame.text}"


def _place(frame: Frame) -> str:
    return f"{frame.function} ({frame.path}:{frame.line})"
