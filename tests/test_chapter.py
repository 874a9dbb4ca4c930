"""The chapter: its figures are computed, its arithmetic holds, its sections are all there."""

import json
import re
from pathlib import Path

import pytest

from patch_agent.builder import build_context
from patch_agent.catalogue import load_catalogue, parse_state
from patch_agent.messages import steps
from patch_agent.policies.clear import is_placeholder
from widgets import costs, reading
from widgets.figures import Chapter
from widgets.sizes import ILLUSTRATIVE, Sizes

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "book" / "context.md"
PAGES = sorted((ROOT / "book").glob("*.md")) + sorted((ROOT / "notebooks").glob("*.ipynb"))
SECTIONS = (
    "Patch's next call",
    "What the model knows",
    "The parts, in order",
    "State and view",
    "Tokens and the budget",
    "Relevance",
    "Retrieval in five stages",
    "Compaction 1: clearing",
    "Compaction 2: a summary",
    "Two summaries of the same steps",
    "Prompt caching",
    "Pollution",
    "Reading a failure",
    "The context builder",
    "Design checkpoint 1: the expense agent",
    "What goes wrong",
    "Whose job",
    "Check yourself",
    "To take away",
    "Further reading",
    "Sources",
)
STATED = {
    "context.md": {
        **dict.fromkeys(("2025", "2026"), "when something was published or looked up"),
        **dict.fromkeys(("18", "113,000"), "Chroma, Context Rot"),
        "300": "Chroma's tokens that mattered; the people of the source's expense agent",
        "80%": "what others commonly take as a threshold",
        "4": "the number of the source's chapter",
        "0": "the end of the slider",
        **dict.fromkeys(("1", "2", "3"), "the first step; numbers of headings and questions"),
    },
    "01-build-a-context.ipynb": {
        "0": "the end of the slider",
        **dict.fromkeys(("1", "2", "3"), "the numbers of the exercises"),
    },
    "02-policies.ipynb": dict.fromkeys(("1", "2", "3"), "the numbers of the exercises"),
}
"""Figures that prose may state, page by page, and why; every other one has to be computed."""


@pytest.fixture(scope="module")
def chapter() -> Chapter:
    return Chapter.load()


def prose(page: Path = PAGE) -> str:
    """A page without its header and its code cells; of a notebook, its Markdown."""
    text = page.read_text(encoding="utf-8")
    if page.suffix == ".ipynb":
        cells = json.loads(text)["cells"]
        return "\n\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")
    text = re.sub(r"\A---\n.*?^---\n", "", text, flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"```\{code-cell\}.*?```", "", text, flags=re.DOTALL)


def figures(text: str) -> set[str]:
    """The numbers in prose: not those in code, addresses, names and the marks of lists."""
    text = re.sub(r"\{glue:text\}`\w+`|`[^`]*`|\]\([^)]*\)", "~", text)
    text = re.sub(r"^\s*\d+\. ", "", text, flags=re.MULTILINE)
    return set(re.findall(r"(?<!\w)\d+(?:[,.]\d+)*%?", text))


def test_every_section_is_there_in_order() -> None:
    assert tuple(re.findall(r"^## (.*)$", prose(), flags=re.MULTILINE)) == SECTIONS


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_figure_of_ours_is_typed(page: Path) -> None:
    assert figures(prose(page)) == set(STATED.get(page.name, ()))


def test_which_figures_are_found_in_prose() -> None:
    text = "1. At step 14, 1,500 tokens (80%), 3.5; o200k_base, `call_9`, [x](a1), steps 1–42."
    assert figures(text) == {"14", "1,500", "80%", "3.5", "1", "42"}


def test_the_first_frame_begins_one_step_after_the_rule(chapter: Chapter) -> None:
    """The page says so of the state that the widget shows first."""
    words = costs.words(chapter)
    first = parse_state(load_catalogue()["first"])
    assert int(words["first_step"]) == int(words["steps"]) - first.k + 1
    assert int(words["first_step"]) == int(words["rule_step"]) + 1


def test_the_clearing_boundary_moves_as_the_page_says(chapter: Chapter) -> None:
    words, conversation = costs.words(chapter), chapter.scenario.conversation
    spans = set()
    for step in steps(conversation)[20:]:
        built = build_context(chapter.scenario.state, conversation[: step.indices[-1] + 1], 128_000)
        sent = [e.message for e in built.request.part("history").entries]
        results = [done.text for message in sent for done in message.results]
        spans.add(next(n for n, text in enumerate(reversed(results)) if is_placeholder(text)))
    assert (min(spans), max(spans)) == (int(words["recent"]), int(words["most_whole"]))
    assert len(spans) == int(words["chunk"])


def test_each_computed_word_is_used_and_each_used_one_is_computed(chapter: Chapter) -> None:
    used = set(re.findall(r"\{glue:text\}`(\w+)`", prose()))
    assert used == set(costs.words(chapter))


def test_which_of_two_statements_decides() -> None:
    """The page on the stand-in prints this table, and says the same in words."""
    assert [row.cells[-1] for row in reading.ranks().rows] == [
        "the later one",
        *["the first, in either order"] * 2,
        "the later one",
        "the first, in either order",
        "the earlier one",
        "the first, in either order",
    ]


def test_the_source_s_arithmetic() -> None:
    source = ILLUSTRATIVE
    assert source.budget.limit == 112_000
    assert (source.fixed, source.history, source.total) == (9_460, 87_300, 96_760)
    assert (source.cleared, source.summarised) == (22_400, 17_450)
    assert [
        f"{source.budget.share(size):.0%}"
        for size in (source.total, source.cleared, source.summarised)
    ] == ["86%", "20%", "16%"]
    assert (source.budget.room(source.total), source.room_steps) == (15_240, 8)
    assert source.with_team == 120_360 > source.budget.limit


@pytest.mark.parametrize(
    "name",
    [
        *("front", "stable", "now", "old_words", "old_outputs", "recent"),
        *("placeholders", "summary", "team_tools", "total", "cleared", "summarised"),
    ],
)
def test_measured_sizes_lie_within_five_percent(chapter: Chapter, name: str) -> None:
    stated, measured = getattr(ILLUSTRATIVE, name), getattr(chapter.sizes, name)
    assert abs(measured / stated - 1) <= 0.05, (stated, measured)


def test_the_session_has_the_source_s_proportions(chapter: Chapter) -> None:
    sizes: Sizes = chapter.sizes
    assert (sizes.window, sizes.reserve, sizes.steps) == (128_000, 16_000, 48)
    assert [
        f"{sizes.budget.share(size):.0%}" for size in (sizes.total, sizes.cleared, sizes.summarised)
    ] == ["86%", "20%", "16%"]
