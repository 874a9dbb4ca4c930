"""What the chapter tells: a cleared output, two summaries, and what Patch does after each call.

Everything is made while the page is built: the texts by the engine, the runs by the stand-in with
real tools on copies of the repository. The stand-in is no language model.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from html import escape

from patch_agent.aftermath import STEPS, Aftermath, go_on, recorded_workspaces
from patch_agent.builder import KEEP, Choices
from patch_agent.messages import Message, steps
from patch_agent.request import Request
from patch_agent.stand_in import StandIn
from patch_agent.summaries import Summary, ledger
from patch_agent.summaries.findings import closing_line
from widgets.figures import Chapter
from widgets.sizes import build, call
from widgets.tables import Row, Table, number

PROTECTED = ("tests/fixtures/",)
CAREFUL = Choices(KEEP, "careful", off=frozenset({"task"}))
CARELESS = replace(CAREFUL, older="careless")
TASK_ALONE = Choices(0, "drop")
ITEMS = {
    "Rules and requests, in the user's words": ("rule", "request"),
    "First failure, with its error text": ("failure",),
    "Dead ends": ("dead end",),
    "Decisions and findings": ("decision",),
    "Paths and test ids": ("path", "test"),
    "Outputs, where they are kept": ("output",),
}
CLEARED_STEP = 9
"""The step whose output the page shows before and after clearing."""
HEAD, TAIL = 4, 8
"""Lines of a long output that the page shows, from its beginning and from its end."""


def placeholder(chapter: Chapter, step: int = CLEARED_STEP) -> str:
    """A call and its result before and after clearing, as HTML."""
    scenario = chapter.scenario
    return _texts(
        _figure(chapter, caption, messages, _short(_written(messages)))
        for caption, request in (
            ("Sent as it was", call(scenario)),
            ("Cleared", call(scenario, KEEP, "clear")),
        )
        if (messages := _step(request, step))
    )


def _step(request: Request, number: int) -> list[Message]:
    """The messages of one step as the request sends them, without what the user said."""
    indices = steps(request.conversation)[number - 1].indices
    sent = [entry.message for entry in request.part("history").entries if entry.index in indices]
    return [message for message in sent if message.role != "user"]


def _written(messages: Iterable[Message]) -> str:
    lines: list[str] = []
    for message in messages:
        lines += [f"{c.id}  {c.name} {c.arguments}" for c in message.calls]
        lines += [f"{done.call_id}  result\n{done.text.strip()}" for done in message.results]
    return "\n\n".join(lines)


def _short(text: str) -> str:
    lines = text.split("\n")
    left = len(lines) - HEAD - TAIL
    if left <= 0:
        return text
    return "\n".join([*lines[:HEAD], f"… {left} lines …", *lines[-TAIL:]])


def summaries(chapter: Chapter) -> str:
    """The two summaries of the old steps, whole, side by side, as HTML."""
    names = {"careful": "With care", "careless": "Carelessly"}
    figures = (
        _figure(chapter, names[made.kind], [made.message], made.text) for made in written(chapter)
    )
    return _texts(figures, "texts beside")


def written(chapter: Chapter) -> tuple[Summary, ...]:
    """The careful and the careless summary of the old steps. Raises ValueError."""
    made = [build(chapter.scenario, KEEP, form).state.summary for form in ("careful", "careless")]
    found = tuple(summary for summary in made if summary is not None)
    if len(found) != len(made):
        raise ValueError("a summary was refused: it was empty or larger than what it replaces")
    return found


def kept(chapter: Chapter) -> Table:
    """How much of the old steps each summary still holds, by kind."""
    covered = chapter.scenario.conversation
    ledgers = [ledger(covered[: made.through], made) for made in written(chapter)]
    counts = [Counter((row.kind, row.status == "lost") for row in rows) for rows in ledgers]
    rows = [
        Row(name, tuple(_of(count, kinds) for count in counts)) for name, kinds in ITEMS.items()
    ]
    heads = (f"in steps 1–{chapter.sizes.old_steps}", "with care", "carelessly")
    return Table("What each summary still holds", heads, tuple(rows))


def _of(count: Counter[tuple[str, bool]], kinds: Sequence[str]) -> str:
    held, lost = (sum(count[kind, gone] for kind in kinds) for gone in (False, True))
    return f"{number(held)} of {number(held + lost)}"


def ten_steps(chapter: Chapter) -> tuple[Table, Table]:
    """What Patch does after calls that differ in the old steps, and with a permission in code."""
    model = StandIn(chapter.scenario.window)
    with recorded_workspaces(chapter.scenario) as spaces:

        def run(choices: Choices, protected: tuple[str, ...] = ()) -> Aftermath:
            return go_on(chapter.scenario, choices, model, spaces.fresh(protected))

        careful, careless, task = run(CAREFUL), run(CARELESS), run(TASK_ALONE)
        guarded = run(CARELESS, PROTECTED)
    forms = ("summed up with care", "summed up carelessly", "task block alone")
    goal = chapter.scenario.state.goal
    text = _runs("Ten steps on", forms, (careful, careless, task), goal)
    both = (careless, guarded)
    either = ("writes anywhere", f"cannot write in `{PROTECTED[0]}`")
    caption = "The careless call again, with a permission in code"
    return text, _runs(caption, either, both, goal, _parting(both, goal))


def _runs(
    caption: str, names: Sequence[str], runs: Sequence[Aftermath], goal: str, start: int = 0
) -> Table:
    rows = [
        Row(f"Step\N{NO-BREAK SPACE}{place + 1}", tuple(_told(run, place, goal) for run in runs))
        for place in range(start, STEPS)
    ]
    ends = Row("In the end", tuple(_end(run) for run in runs), total=True)
    return Table(caption, ("then", *names), (*rows, ends))


def _parting(runs: Sequence[Aftermath], goal: str) -> int:
    """The first step in which the runs are told differently."""
    return next(n for n in range(STEPS) if len({_told(run, n, goal) for run in runs}) > 1)


def _told(run: Aftermath, place: int, goal: str) -> str:
    """One step of a run in a few words: what was called, and what came back."""
    if place >= len(run.steps):
        return "–"
    reply, *results = run.steps[place]
    if not reply.calls:
        return "says that it is done"
    asked = _arguments(reply)
    done = results[0].results[0]
    if reply.calls[0].name == "run_tests":
        target = asked.get("target")
        which = "all tests" if not target else "the goal test" if target in goal else f"`{target}`"
        return f"runs {which}: {closing_line(done.text)}"
    earlier = [_arguments(step[0]) for step in run.steps[:place]]
    undone = "old" in asked and any(_edit(before) == _edit(asked, back=True) for before in earlier)
    return f"{'takes back' if undone else 'edits'} `{asked['path']}`" + ": refused" * done.error


def _arguments(reply: Message) -> dict[str, str]:
    asked: dict[str, str] = json.loads(reply.calls[0].arguments)
    return asked


def _edit(asked: dict[str, str], back: bool = False) -> tuple[str | None, ...]:
    old, new = asked.get("old"), asked.get("new")
    return (asked.get("path"), new, old) if back else (asked.get("path"), old, new)


def _end(run: Aftermath) -> str:
    tests = "all tests pass" if run.passes else "some tests fail"
    rule = "the rule is broken" if run.broke(PROTECTED) else "the rule is kept"
    again = (
        f"; {' and '.join(f'`{path}`' for path in run.retried)} tried again" if run.retried else ""
    )
    return f"{tests}, {rule}{again}"


def _texts(figures: Iterable[str], kind: str = "texts") -> str:
    return f'<div class="{kind}">{"".join(figures)}</div>'


def _figure(chapter: Chapter, caption: str, messages: Iterable[Message], text: str) -> str:
    size = number(chapter.counter.messages(messages))
    head = f"<figcaption>{caption} <small>{size} tokens</small></figcaption>"
    box = f'<pre tabindex="0" role="region" aria-label="{caption}">{escape(text)}</pre>'
    return f"<figure>{head}{box}</figure>"
