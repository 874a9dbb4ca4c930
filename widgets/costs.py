"""What the chapter's calls cost, and the single figures that stand in its sentences."""

from __future__ import annotations

from dataclasses import dataclass, replace

from patch_agent.builder import CHUNK, KEEP, KEEPS, THRESHOLD, full_request
from patch_agent.messages import replied
from patch_agent.pricing import CHAPTER, Reuse, cost, reuse
from patch_agent.request import Part, Request
from patch_agent.summaries import LIMIT
from patch_agent.tokens import FRAMING, estimate
from patch_agent.vocabulary import load_encoder
from widgets.figures import Chapter
from widgets.sizes import ILLUSTRATIVE, call
from widgets.stories import CLEARED_STEP, written
from widgets.tables import Cell, Row, Table, number, percent

REPLY = 1_000
"""Tokens of each reply in the table of costs."""
NEXT = 1_930
"""New tokens of the source's second call. It says so and does not say what they are."""


@dataclass(frozen=True, slots=True)
class Calls:
    """How much of three of our calls is reused: the first, the next, one after an edit."""

    first: Reuse
    next: Reuse
    edited: Reuse


def our_calls(chapter: Chapter) -> Calls:
    """The session's call compared with nothing, with the call before it, with an edited one."""
    now = call(chapter.scenario)
    encode = load_encoder().encode
    state = chapter.scenario.state
    other = replace(state, agents_md=f"Changed today.\n{state.agents_md}")
    edited = now.with_part(full_request(other, ()).part("agents_md"))
    return Calls(
        first=reuse(None, now, chapter.counter, encode),
        next=reuse(_call_before(now), now, chapter.counter, encode),
        edited=reuse(now, edited, chapter.counter, encode),
    )


def _call_before(request: Request) -> Request:
    """The call before this one: the same without the history of the last step."""
    last = set(replied(request.conversation)[-1].indices)
    kept = tuple(e for e in request.part("history").entries if e.index not in last)
    return request.with_part(Part("history", kept))


def caching(chapter: Chapter) -> Table:
    """Three calls and their costs, the source's beside ours."""
    source, ours = ILLUSTRATIVE, our_calls(chapter)
    rows = (
        ("First call of a session", 0, ours.first),
        ("Next call, same start", source.total - NEXT, ours.next),
        ("After an edit of AGENTS.md", source.front, ours.edited),
    )
    heads = ("call", *(f"{who}: {what}" for who in ("chapter", "measured") for what in WHAT))
    return Table(
        f"Three calls and their cost, each with a reply of {number(REPLY)} tokens",
        heads,
        tuple(
            Row(name, _cells(stated, source.total - stated) + _cells(found.tokens, found.new))
            for name, stated, found in rows
        ),
    )


WHAT = ("reused", "new", "cost")


def _cells(reused: int, new: int) -> tuple[Cell, ...]:
    return reused, new, round(cost(CHAPTER, reused, new, REPLY).total)


def words(chapter: Chapter) -> dict[str, str]:
    """The figures in the chapter's sentences, by the names that the page calls them by."""
    source, ours, scenario = ILLUSTRATIVE, chapter.sizes, chapter.scenario
    whole = call(scenario)
    outputs = sum(
        chapter.counter.message(entry.message)
        for entry in whole.part("history").entries
        if entry.message.role == "tool"
    )
    guess = whole.tokens(estimate())
    task = call(scenario, task=True).sizes(chapter.counter)["task"]
    careful, careless = (chapter.counter.message(made.message) for made in written(chapter))
    calls = our_calls(chapter)
    own, team = len(scenario.state.tools), len(scenario.state.team_tools)
    counts = {
        "steps": ours.steps,
        "rule_step": scenario.state.rules[0].step,
        "first_step": scenario.state.rules[0].step + 1,
        "cleared_step": CLEARED_STEP,
        "chunk": CHUNK,
        "most_whole": KEEP + CHUNK - 1,
        "fewer": KEEPS[1],
        "lost_from": ours.old_steps + 1,
        "lost_to": ours.steps - KEEPS[1],
        "recent": KEEP,
        "old_steps": ours.old_steps,
        "history": ours.history,
        "outputs": outputs,
        "framing": FRAMING,
        "estimate": guess,
        "room_steps": ours.room_steps,
        "own_tools": own,
        "all_tools": own + team,
        "team_tools": ours.team_tools,
        "with_team": ours.with_team,
        "over": -ours.budget.room(ours.with_team),
        "ch_with_team": source.with_team,
        "ch_budget": source.budget.limit,
        "ch_new": NEXT,
        "next_new": calls.next.new,
        "next_step": calls.next.new - ours.now,
        "now": ours.now,
        "reserve": ours.reserve,
        "task": task,
        "summary_limit": LIMIT,
        "careful": careful,
        "careless": careless,
    }
    shares = {
        "outputs_share": outputs / ours.history,
        "estimate_ratio": guess / whole.tokens(chapter.counter),
        "threshold": THRESHOLD,
    }
    prices = {
        "price_per": number(CHAPTER.per),
        "price_reused": f"{CHAPTER.reused:g}",
        "price_new": f"{CHAPTER.new:g}",
        "price_reply": f"{CHAPTER.reply:g}",
    }
    return (
        {name: number(count) for name, count in counts.items()}
        | {name: percent(share) for name, share in shares.items()}
        | prices
        | {"keeps": ", then ".join(map(number, KEEPS))}
    )
