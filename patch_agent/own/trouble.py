"""What was wrong with a build, as data, and in words from `data/words/own.toml`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from patch_agent.check import Problem
from patch_agent.data import data_path, read_table
from patch_agent.own.place import Place
from patch_agent.own.timed import Ran

Kind = Literal[
    "raised",
    "stopped",
    "abandoned",
    "flooded",
    "busy",
    "edited",
    "nothing",
    "other",
    "misshapen",
    "invalid",
]


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why a build cannot be used. `values` fill the sentence of its kind, `details` stand below:
    each problem of the request with its place."""

    kind: Kind
    values: Mapping[str, str | int] = field(default_factory=dict)
    details: tuple[str, ...] = ()
    place: Place | None = None


def of_ran(ran: Ran, name: str, limit: float, most: int) -> Trouble | None:
    """The trouble of a call that did not end well; `name` is the function's."""
    if ran.ending == "done":
        return None
    place = ran.place
    if place is not None and place.function == name:
        place = Place(place.line, "")
    values: dict[str, str | int] = {"seconds": f"{limit:g}", "most": most}
    if ran.ending == "raised":
        values |= {"error": ran.error, "message": ran.message.removesuffix(".")}
    return Trouble(ran.ending, values, place=place)


def of_problems(problems: Sequence[Problem]) -> Trouble:
    """The trouble of a request that would be refused, or that lost something."""
    details = tuple(f"{one.where}: {one.message}" for one in problems)
    return Trouble("invalid", {"count": len(details), "first": details[0]}, details)


def say(trouble: Trouble) -> str:
    """The trouble as a sentence that can go on: "Your build stopped after 2 s at line 3"."""
    words = own_words()["trouble"]
    place = ""
    if trouble.place is not None:
        key = "at_line_in" if trouble.place.function else "at_line"
        place = fill(words[key], {"line": trouble.place.line, "function": trouble.place.function})
    key = trouble.kind
    if key == "invalid" and trouble.values["count"] != 1:
        key = "invalid_many"
    if key == "raised" and not trouble.values["message"]:
        key = "raised_bare"
    return fill(words[key], {**trouble.values, "place": place})


def fill(template: str, values: Mapping[str, str | int]) -> str:
    """A template with its {names} filled in, each once; whole numbers get their commas."""
    pieces = template.split("{")
    text = pieces[0]
    for piece in pieces[1:]:
        name, _, rest = piece.partition("}")
        value = values[name]
        text += (f"{value:,}" if isinstance(value, int) else value) + rest
    return text


@lru_cache(maxsize=1)
def own_words() -> Mapping[str, Mapping[str, str]]:
    """The texts of everything that runs your own code."""
    return read_table(data_path("words", "own.toml"))
