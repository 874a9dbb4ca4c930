"""The chapter: its figures are computed, its arithmetic holds, its sections are all there."""

import re
from pathlib import Path

import pytest

from widgets import costs
from widgets.figures import Chapter
from widgets.sizes import ILLUSTRATIVE, Sizes

PAGE = Path(__file__).resolve().parents[1] / "book" / "context.md"
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
STATED = {"113,000", "80%"}
"""Figures of other people's that the prose may state; all of ours are computed."""


@pytest.fixture(scope="module")
def chapter() -> Chapter:
    return Chapter.load()


def prose() -> str:
    """The page without its code cells and its header."""
    text = PAGE.read_text(encoding="utf-8").split("---\n", 2)[2]
    return re.sub(r"```\{code-cell\}.*?```", "", text, flags=re.DOTALL)


def test_every_section_is_there_in_order() -> None:
    assert tuple(re.findall(r"^## (.*)$", prose(), flags=re.MULTILINE)) == SECTIONS


def test_no_figure_of_ours_is_typed() -> None:
    typed = set(re.findall(r"\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?%", prose()))
    assert typed == STATED


def test_each_computed_word_is_used_and_each_used_one_is_computed(chapter: Chapter) -> None:
    used = set(re.findall(r"\{glue:text\}`(\w+)`", prose()))
    assert used == set(costs.words(chapter))


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
