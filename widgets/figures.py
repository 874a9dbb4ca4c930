"""The chapter's tables of sizes, computed while the page is built.

Illustrative figures stand beside measured ones. The measured ones come from requests that the
builder makes of the recorded session, counted exactly. Nothing is decided here: the engine
does that, and the widget shows the same figures for the same states.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from patch_agent.budget import Budget
from patch_agent.builder import KEEP, default_counter
from patch_agent.data import data_path, read_toml
from patch_agent.request import PARTS, VOLATILITY
from patch_agent.scenario import Scenario, load_scenario
from patch_agent.summaries import LIMIT
from patch_agent.tokens import TokenCounter, estimate
from patch_agent.vocabulary import load_encoder
from widgets.sizes import ILLUSTRATIVE, Sizes, call, measure
from widgets.tables import Cell, Row, Table, difference, number, percent

WRITTEN = "Texts written for this project, near the chapter's sizes."
PRINTED = "What the tools really printed, nothing padded."
EXAMPLES = (
    "expired",
    "test_login_expired_token",
    "tests/fixtures/",
    "assert 200 == 401",
    "datetime.fromisoformat",
    "AssertionError",
)


@dataclass(frozen=True, slots=True)
class Chapter:
    """What the page is computed from: the running example, a counter and the measured sizes."""

    scenario: Scenario
    counter: TokenCounter
    sizes: Sizes

    @classmethod
    def load(cls) -> Chapter:
        """The running example, measured."""
        scenario, counter = load_scenario(), default_counter()
        budget = Budget(scenario.window)
        return cls(scenario, counter, measure(scenario, KEEP, budget, counter))


def part_texts(table: str) -> dict[str, str]:
    """A text for each part: `parts`, its name as the widget has it; `holds`, what it holds."""
    words: dict[str, dict[str, str]] = read_toml(data_path("words", "context_builder.toml"))
    return words[table]


def parts(chapter: Chapter) -> Table:
    """Each part with what it holds, how it changes and its size."""
    sent = call(chapter.scenario, task=True).sizes(chapter.counter)
    sizes = {"summary": chapter.sizes.summary} | sent
    names, holds = part_texts("parts"), part_texts("holds")
    rows = [
        Row(names[p], (holds[p], VOLATILITY[p].replace(" ", "\N{NO-BREAK SPACE}"), sizes[p]))
        for p in PARTS
    ]
    rows.append(Row("Room for the reply", ("nothing: it is kept free", "", chapter.sizes.reserve)))
    return Table(
        "The parts of a call, in the order in which they are sent",
        ("part", "what it holds", "changes", "tokens"),
        tuple(rows),
    )


def state_and_view(chapter: Chapter) -> Table:
    """What exists, and what a call may show of it."""
    stated, ours = ILLUSTRATIVE, chapter.sizes
    files = sum(path.is_file() for path in chapter.scenario.repository.rglob("*.*"))
    notes = chapter.scenario.state.memory.count("\n## ")
    return Table(
        "What exists, and what a call may show of it",
        ("what", "chapter: exists", "chapter: is sent", "ours: exists", "ours: is sent"),
        (
            Row("Files of the repository", ("2,400", "1", number(files), "1")),
            Row(
                "Tokens of the session log",
                _log(stated) + _log(ours),
                note=f"Sent: steps {ours.old_steps + 1}–{ours.steps}, and a summary of the others.",
            ),
            Row(
                f"Tokens of the outputs of steps 1–{ours.old_steps}",
                _saved(stated) + _saved(ours),
                note="Sent: what stands for them where outputs are cleared, in place of a summary.",
            ),
            Row(
                "Notes",
                ("hundreds", "3", number(notes), number(notes)),
                note="Only the notes that are sent come with this project.",
            ),
        ),
    )


def token_examples(chapter: Chapter) -> Table:
    """Some texts, the pieces that they fall into, exact and estimated counts."""
    guess = estimate()
    rows = (
        Row(f"`{text}`", (_pieces(text), chapter.counter.text(text), guess.text(text)))
        for text in EXAMPLES
    )
    return Table("Words as tokens", ("text", "pieces", "exact", "estimate"), tuple(rows))


def _pieces(text: str) -> str:
    """The text's tokens side by side as code, found as the shortest beginnings that add one."""
    ids, encode = load_encoder().encode(text), load_encoder().encode
    ends = [0]
    for count in range(1, len(ids) + 1):
        whole = range(ends[-1] + 1, len(text) + 1)
        ends.append(next(end for end in whole if encode(text[:end]) == ids[:count]))
    return "`" + "` `".join(text[a:b] for a, b in pairwise(ends)) + "`"


def budget(chapter: Chapter) -> Table:
    """The budget of the call with everything sent."""
    stated, ours = ILLUSTRATIVE, chapter.sizes
    return Table(
        "Patch's call with everything sent, in tokens",
        ("tokens", "chapter", "measured", "difference"),
        (
            _compared("Window", stated.window, ours.window),
            _compared("Kept free for the reply", stated.reserve, ours.reserve),
            _compared("Left for the input: the budget", stated.budget.limit, ours.budget.limit),
            _compared(
                "System prompt, tools, AGENTS.md, memory, skills list, helper's report",
                stated.stable,
                ours.stable,
                note=WRITTEN,
            ),
            _compared("Current file and new message", stated.now, ours.now),
            _compared(
                f"History, {ours.steps} steps",
                stated.history,
                ours.history,
                note=PRINTED,
            ),
            _compared("A step on average, to the nearest ten", stated.per_step, ours.per_step),
            _compared("The whole input", stated.total, ours.total, total=True),
            Row(
                "Its share of the budget",
                (_share(stated, stated.total), _share(ours, ours.total), ""),
            ),
            _compared(
                "Room left",
                stated.budget.room(stated.total),
                ours.budget.room(ours.total),
                note=_why_room(stated, ours),
            ),
            Row(
                "Steps of average size for which there is room",
                (stated.room_steps, ours.room_steps, ""),
            ),
        ),
    )


def _why_room(stated: Sizes, ours: Sizes) -> str:
    """A small part of the input is a larger part of what the input leaves."""
    gap = abs(stated.total - ours.total)
    whole, room = (gap / size for size in (stated.total, stated.budget.room(stated.total)))
    return (
        f"The two inputs lie {number(gap)} tokens apart: {whole:.1%} of the input,"
        f" and {room:.1%} of the room that it leaves."
    )


def _each(sizes: Sizes) -> str:
    return number(round(sizes.placeholders / sizes.old_steps))


def clearing(chapter: Chapter) -> Table:
    """What clearing the old outputs does to the call."""
    return _before_and_after(
        f"Old outputs cleared, at step {chapter.sizes.steps}",
        chapter,
        lambda sizes: {
            "Outputs of the old steps": (sizes.old_outputs, sizes.placeholders),
            "Everything else": (sizes.total - sizes.old_outputs,) * 2,
            "The whole input": (sizes.total, sizes.cleared),
        },
        {
            "Outputs of the old steps": f"{PRINTED} What stands for an output takes"
            f" {_each(chapter.sizes)} tokens on average, in the chapter {_each(ILLUSTRATIVE)}.",
            "Everything else": WRITTEN,
        },
    )


def compaction(chapter: Chapter) -> Table:
    """What a summary of the old steps does to the call."""
    old, last = chapter.sizes.old_steps, chapter.sizes.steps
    return _before_and_after(
        f"Steps 1–{old} summed up, at step {last}",
        chapter,
        lambda sizes: {
            "Fixed parts, current file, new message": (sizes.fixed, sizes.fixed),
            f"Steps 1–{old}: calls and user's messages": (sizes.old_words, 0),
            f"Steps 1–{old}: tool outputs": (sizes.old_outputs, 0),
            f"Summary of steps 1–{old}": (0, sizes.summary),
            f"Steps {old + 1}–{last}, word for word": (sizes.recent, sizes.recent),
            "The whole input": (sizes.total, sizes.summarised),
        },
        {
            "Fixed parts, current file, new message": WRITTEN,
            f"Steps 1–{old}: calls and user's messages": "What was really said and called.",
            f"Steps 1–{old}: tool outputs": PRINTED,
            f"Summary of steps 1–{old}": "The careful one: as long as what it has to keep, up to"
            f" its limit of {number(LIMIT)}.",
            f"Steps {old + 1}–{last}, word for word": PRINTED,
        },
    )


def _before_and_after(
    caption: str,
    chapter: Chapter,
    pairs: Callable[[Sizes], dict[str, tuple[int, int]]],
    reasons: dict[str, str],
) -> Table:
    """Rows of tokens before and after, the last one a sum with its share of the budget.

    `reasons` tell by row why the chapter's figure and ours differ.
    """
    both = (ILLUSTRATIVE, chapter.sizes)
    stated, ours = map(pairs, both)
    rows = [Row(name, _dashed(stated[name] + ours[name]), reasons.get(name, "")) for name in stated]
    *rows, whole = rows
    shares = tuple(
        _share(sizes, size) for sizes in both for size in pairs(sizes)["The whole input"]
    )
    return Table(
        caption,
        ("tokens", "chapter: before", "chapter: after", "measured: before", "measured: after"),
        (*rows, Row(whole.name, whole.cells, total=True), Row("Its share of the budget", shares)),
    )


def _dashed(sizes: tuple[int, ...]) -> tuple[Cell, ...]:
    return tuple(size or "–" for size in sizes)


def _compared(name: str, stated: int, ours: int, note: str = "", total: bool = False) -> Row:
    return Row(name, (stated, ours, difference(ours, stated)), note, total)


def _share(sizes: Sizes, size: int) -> str:
    return percent(sizes.budget.share(size))


def _log(sizes: Sizes) -> tuple[Cell, Cell]:
    return sizes.history, sizes.recent + sizes.summary


def _saved(sizes: Sizes) -> tuple[Cell, Cell]:
    return sizes.old_outputs, sizes.placeholders
