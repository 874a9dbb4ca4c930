"""The runs of ten further steps: one for each combination of facts that any state has.

Which combinations there are is found by going through all states; each is then really run once,
from the smallest call that has it. Edits that only turn up in a run's own outputs become facts
as well, and the search starts again until nothing new turns up.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations, product
from typing import Any

from patch_agent.aftermath import Aftermath, go_on, recorded_workspaces
from patch_agent.catalogue.answers import fact_data
from patch_agent.catalogue.segments import Segment
from patch_agent.catalogue.state import State
from patch_agent.messages import Message, ToolCall, system
from patch_agent.scenario import Scenario
from patch_agent.stand_in import StandIn, run_facts
from patch_agent.stand_in.source import source
from patch_agent.stand_in.suggestions import Suggestion, suggestions
from patch_agent.summaries.findings import closing_line
from patch_agent.task import FORMS, SWITCHABLE, TOOLS, PatchState, files_text, task_text
from patch_agent.tokens import TokenCounter
from patch_agent.wire import to_wire

SHOWN = 120
"""Characters of a call or a result that a run's row shows."""


def all_runs(
    scenario: Scenario,
    segments: Sequence[Segment],
    counter: TokenCounter,
    words: Mapping[str, Any],
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The facts, and the run for each combination of their values, as the catalogue holds them."""
    edits = list(_suggested(segment.message for segment in segments if segment.message))
    happened: dict[State, Aftermath] = {}
    model = StandIn(scenario.window)
    with recorded_workspaces(scenario) as workspaces:
        while True:
            facts = [fact_data(f, segments) for f in run_facts(edits, scenario.wrap_up)]
            states = smallest_states(facts, segments, scenario.steps, counter)
            for state in states.values():
                if state not in happened:
                    there = workspaces.fresh()
                    happened[state] = go_on(scenario, state.choices, model, there)
            printed = (m for run in happened.values() for step in run.steps for m in step)
            new = [edit for edit in _suggested(printed) if edit not in edits]
            if not new:
                break
            edits += new
    runs = {
        key: run_data(scenario, happened[state], counter, words) for key, state in states.items()
    }
    return facts, runs


def _suggested(messages: Iterable[Message]) -> Iterator[Suggestion]:
    found = (edit for m in messages for edit, _ in suggestions(source(to_wire(m))))
    yield from dict.fromkeys(found)


def run_key(facts: Sequence[Mapping[str, Any]], sent: Iterable[str]) -> str:
    """The key of the run that follows when the segments `sent` are sent."""
    there = frozenset(sent)
    return "|".join(
        next((c["value"] for c in fact["carriers"] if c["segment"] in there), fact["missing"])
        for fact in facts
    )


def smallest_states(
    facts: Sequence[Mapping[str, Any]],
    segments: Sequence[Segment],
    steps: int,
    counter: TokenCounter,
) -> dict[str, State]:
    """For each combination of facts that any state has, the state that sends the least."""
    carrying = {c["segment"] for fact in facts for c in fact["carriers"]}
    size = {segment.id: segment.tokens(counter) for segment in segments}
    found: dict[str, tuple[int, State]] = {}
    moving = [s for s in segments if s.part in ("history", "summary")]
    still = [s for s in segments if s.part not in ("history", "summary")]
    keyed = cache(lambda there: run_key(facts, there))  # many states send the same carriers
    fixed = []
    for tools, off in product(TOOLS, _subsets(sorted(SWITCHABLE))):
        sent = [s.id for s in still if s.sent(State(0, tools=tools, off=off), steps)]
        fixed.append((tools, off, carrying.intersection(sent), sum(size[i] for i in sent)))
    for k, older in product(range(steps + 1), FORMS):
        sent = [s.id for s in moving if s.sent(State(k, older), steps)]
        past, tokens = frozenset(carrying.intersection(sent)), sum(size[i] for i in sent)
        for tools, off, ids, more in fixed:
            key = keyed(past | ids)
            total = tokens + more
            if key not in found or total < found[key][0]:
                found[key] = (total, State(k, older, None, tools, off))
    return {key: state for key, (_, state) in sorted(found.items())}


def _subsets(items: Sequence[str]) -> Iterator[frozenset[str]]:
    for count in range(len(items) + 1):
        yield from map(frozenset, combinations(items, count))


def run_data(
    scenario: Scenario, run: Aftermath, counter: TokenCounter, words: Mapping[str, Any]
) -> dict[str, Any]:
    """A run as the catalogue holds it."""
    text, verdict = outcome(run, scenario, words["outcomes"])
    sizes = [_side_sizes(state, counter) for state in run.states]
    rows = []
    for number, step in enumerate(run.steps):
        now, after = sizes[number], sizes[min(number + 1, len(sizes) - 1)]
        row = {
            "step": scenario.steps + 1 + number,
            "call": _call_text(step[0].calls),
            "because": step[0].text,
            "result": _result_text(step[1:]),
            "tokens": counter.messages(step),
        }
        rows.append(
            row | {part: after[part] - now[part] for part in now if after[part] != now[part]}
        )
    return {"outcome": text, "verdict": verdict, "steps": rows}


def _side_sizes(state: PatchState, counter: TokenCounter) -> dict[str, int]:
    """Tokens of the parts beside the history that change during a run."""
    texts = {"files": files_text(state.files), "task": task_text(state)}
    return {part: counter.message(system(text, name=part)) for part, text in texts.items()}


def outcome(run: Aftermath, scenario: Scenario, words: Mapping[str, str]) -> tuple[str, str]:
    """What came of a run, in words, and how it is judged: wrong where it broke the user's rule,
    right where all tests pass and it did not, absent where it could not go on."""
    if not any(step[0].calls for step in run.steps):
        return words["stuck"], "absent"
    broke = run.broke(scenario.protected)
    said = [words["broke"] if broke else words["kept"] if run.passes else words["unsolved"]]
    if run.retried:
        said.append(words["retried"])
    if run.passes and not set(scenario.wrap_up) <= set(run.changed):
        said.append(words["unwrapped"])
    return ", ".join(said), "wrong" if broke else "right" if run.passes else "absent"


def _call_text(calls: Sequence[ToolCall]) -> str:
    """The call in short: its tool and what it works on."""
    if not calls:
        return ""
    values = json.loads(calls[0].arguments)
    what = values.get("path") or values.get("target") or ""
    return _short(f"{calls[0].name} {what}".strip())


def _result_text(results: Sequence[Message]) -> str:
    """The closing line of a test run, the first line of anything else, without what it opens."""
    texts = [done.text.strip() for message in results for done in message.results]
    if not texts:
        return ""
    first, _, rest = texts[0].partition("\n")
    counts = closing_line(texts[0]).strip("= ")
    return _short(counts if rest and counts[:1].isdigit() else first.removesuffix(":"))


def _short(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"
