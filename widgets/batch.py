"""The tables of the page on policies: recorded runs of the batch, and what a policy is.

The runs are recorded, since they take minutes; the page computes their spreads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any

from patch_agent.data import data_path, read_json
from patch_agent.policies import NAMES, policy
from patch_agent.policies.names import ACT_ABOVE
from patch_agent.tokens import exact
from patch_agent.triage.agent import LEAST, THINKING
from patch_agent.triage.agent_summary import LOST
from patch_agent.triage.agent_taste import TALKS
from patch_agent.triage.results import TIER
from patch_agent.triage.run import STEPS
from patch_agent.triage.settings import LIMIT, WINDOW
from patch_agent.triage.truth import truth_of
from widgets.tables import Row, Table, number, percent

Run = Mapping[str, Any]
Show = Callable[[float], str]

WHAT = {
    "none": "everything is sent, nothing is cached",
    "cache": "marks only",
    "clear": "old results cleared, marks",
    "trim": "oldest steps left out, marks",
    "compact": "the default: cleared, then summed up, marks",
    "early": "cleared from the first step on, marks",
}
"""What each policy of the recorded runs does."""


def dollars(cost: float) -> str:
    """A cost in dollars and cents."""
    return f"${cost:.2f}"


def whole(value: float) -> str:
    """A count; a median may lie half-way."""
    return f"{value:,g}"


def millions(tokens: float) -> str:
    """Tokens in millions."""
    return f"{tokens / 1e6:.2f}"


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of a run: what it is called, where it is, how it is shown."""

    name: str
    of: Callable[[Run], float]
    show: Show = whole


FIGURES = {
    "steps": Figure("steps", lambda run: run["steps"]),
    "input": Figure("input, millions of tokens", lambda run: run["tokens"]["input"], millions),
    "cost": Figure("cost", lambda run: run["cost"], dollars),
    "cached": Figure("input from the cache", lambda run: run["cached_share"], percent),
    "dear": Figure("requests in the dear tier", lambda run: run["dear"], percent),
    "rereads": Figure("repeated reads", lambda run: run["rereads"]),
    "duplicates": Figure("crashes filed twice", lambda run: run["duplicates"]),
    "compactions": Figure("summaries", lambda run: run["compactions"]),
    "kept": Figure("names kept by a summary", lambda run: run["identifiers"]["kept"]),
    "restored": Figure("names put back by code", lambda run: run["identifiers"]["restored"]),
    "passed": Figure("checks passed", lambda run: run["checks"]["passed"]),
    "results": Figure("share of results", lambda run: run["results"], percent),
    "reasoning": Figure("reasoning for each token of results", lambda run: run["reasoning"]),
    "written": Figure("notes written", lambda run: run["note_writes"]),
    "read": Figure("notes read", lambda run: run["note_reads"]),
}


@dataclass(frozen=True, slots=True)
class Spread:
    """Minimum, median and maximum of a figure over runs of one policy."""

    least: float
    middle: float
    most: float

    def shown(self, show: Show) -> str:
        """The three as one cell, which does not break."""
        return "\N{NO-BREAK SPACE}/\N{NO-BREAK SPACE}".join(
            map(show, (self.least, self.middle, self.most))
        )


@dataclass(frozen=True, slots=True)
class World:
    """The recorded runs on the reports of one world, by policy."""

    number: int
    runs: Mapping[str, tuple[Run, ...]]

    def spread(self, name: str, figure: str) -> Spread:
        """A figure's spread under the policy of this name."""
        values = [FIGURES[figure].of(run) for run in self.runs[name]]
        return Spread(min(values), median(values), max(values))

    def middle(self, name: str, figure: str) -> float:
        """A figure's median under the policy of this name."""
        return self.spread(name, figure).middle


def world_of(number_: int, runs: Iterable[Run]) -> World:
    """The runs of one world, grouped by policy."""
    own = [run for run in runs if run["world"] == number_]
    names = dict.fromkeys(run["policy"] for run in own)
    return World(number_, {n: tuple(r for r in own if r["policy"] == n) for n in names})


def worlds() -> tuple[World, ...]:
    """All recorded worlds: the one of the tables first, then those that claims are held to."""
    runs = [
        run
        for name in ("figures.json", "worlds.json")
        for run in read_json(data_path("triage", name))["runs"]
    ]
    return tuple(world_of(n, runs) for n in dict.fromkeys(run["world"] for run in runs))


def _spreads(world: World, caption: str, figures: Iterable[str]) -> Table:
    chosen = tuple(figures)
    rows = (
        Row(
            f"`{name}`",
            tuple(world.spread(name, each).shown(FIGURES[each].show) for each in chosen),
            WHAT[name],
        )
        for name in world.runs
    )
    heads = ("policy", *(FIGURES[each].name for each in chosen))
    return Table(f"{caption}: minimum / median / maximum", heads, tuple(rows))


def costs(world: World) -> Table:
    """What the runs of each policy cost."""
    return _spreads(world, "What a run costs", ("steps", "input", "cached", "cost"))


def work(world: World) -> Table:
    """What the runs of each policy came to."""
    return _spreads(world, "What comes of it", ("rereads", "duplicates", "passed"))


TOOLS = (
    ("Cache marks", "nothing", "none for the work; anything that changes the start ruins it"),
    ("Clearing", "the prefix, each time that it advances", "a repeated read, if it comes too soon"),
    ("Trimming", "the prefix, and whatever the steps said", "work that is done twice"),
    ("Compaction", "a call that writes the summary, and the prefix", "an exact name gets lost"),
    ("Notes", "a tool call to write, another to read", "that they are written and never read"),
)


def tools() -> Table:
    """The five tools, cheapest first."""
    return Table(
        "Five tools, cheapest first",
        ("tool", "what it costs", "what it risks"),
        tuple(Row(name, (cost, risk)) for name, cost, risk in TOOLS),
    )


def chains() -> Table:
    """What each name stands for, read from the policies themselves."""
    counter = exact()
    made = {name: policy(name, counter, WINDOW, limit=LIMIT).policies for name in NAMES}
    return Table(
        "Names and chains",
        ("name", "policies, in order"),
        tuple(
            Row(f"`{name}`", (", ".join(f"`{type(p).__name__}`" for p in chain) or "no policy",))
            for name, chain in made.items()
        ),
    )


def words(found: tuple[World, ...]) -> dict[str, str]:
    """The figures in the page's sentences, by the names that the page calls them by."""
    first, others = found[0], found[1:]
    causes = truth_of(first.number).causes
    return {
        "reports": number(sum(len(cause.reports) for cause in causes)),
        "causes": number(len(causes)),
        "checks": number(first.runs["none"][0]["checks"]["total"]),
        "seeds": number(len(first.runs["none"])),
        "worlds": number(len(found)),
        "other_worlds": ", ".join(str(world.number) for world in others),
        "other_seeds": number(min(len(world.runs["none"]) for world in others)),
        "limit": number(LIMIT),
        "act_above": number(ACT_ABOVE),
        "tier": number(TIER),
        "most_steps": number(STEPS),
        "thinking": number(THINKING),
        "least": number(LEAST),
        "lost": f"one in {round(1 / LOST)}",
        "tells_least": percent(TALKS[0]),
        "tells_most": percent(TALKS[1]),
        "cheaper": _over(found, _cheaper, lambda times: f"{times:.1f}"),
        "cached": _over(found, lambda world: world.middle("cache", "cached"), percent),
        "longer": _over(found, _longer, lambda times: f"{times:.1f}"),
        "early_rereads": _over(found, lambda world: world.middle("early", "rereads"), whole),
        "clear_rereads": _over(found, lambda world: world.middle("clear", "rereads"), whole),
        "steps_apart": _over(found, _apart, lambda times: f"{times:.1f}"),
        "steps_least": whole(first.spread("none", "steps").least),
        "steps_most": whole(first.spread("none", "steps").most),
        "reasoning": f"{first.middle('none', 'reasoning'):.2f}",
    }


def _cheaper(world: World) -> float:
    """How many times cheaper a run is with marks, at the median."""
    return world.middle("none", "cost") / world.middle("cache", "cost")


def _longer(world: World) -> float:
    """How many times as many steps early clearing takes as clearing past a limit."""
    return world.middle("early", "steps") / world.middle("clear", "steps")


def _apart(world: World) -> float:
    """How many times as many steps the longest run without a policy takes as the shortest."""
    steps = world.spread("none", "steps")
    return steps.most / steps.least


def _over(found: tuple[World, ...], of: Callable[[World], float], show: Show) -> str:
    """The least and the most over all worlds, in words."""
    values = [of(world) for world in found]
    ends = dict.fromkeys((show(min(values)), show(max(values))))
    return " to ".join(ends)
