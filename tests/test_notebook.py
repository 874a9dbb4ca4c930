"""The notebook: no outputs in git, short cells, runs from top to bottom, exercises that check."""

import json
import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from patch_agent.messages import Message, steps
from patch_agent.scenario import load_scenario
from widgets import exercises
from widgets.plots import growth, plot_growth

FOLDER = Path(__file__).resolve().parents[1] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
LONGEST = 12
NO_NETWORK = """
import socket
def refuse(*arguments, **options): raise OSError("a cell asked for the network")
socket.getaddrinfo = socket.create_connection = refuse
"""
SOLUTIONS = {
    "fewest = None": "fewest = 20",
    "def keep_words": """
from patch_agent.messages import steps
def keep_words(conversation):
    done = [step for step in steps(conversation) if step.assistant is not None]
    recent = {index for step in done[-6:] for index in step.indices}
    return [m for i, m in enumerate(conversation) if i in recent or m.role == "user"]
""",
    'summary = ""': """
summary = (
    "The user: do not edit tests/fixtures/."
    " tests/test_auth.py::test_login_expired_token must pass."
)
""",
}


def load(path: Path) -> Any:
    return nbformat.read(path, as_version=4)


def run(notebook: Any, path: Path) -> Any:
    notebook.cells.insert(0, nbformat.v4.new_code_cell(NO_NETWORK))
    NotebookClient(
        notebook,
        timeout=120,
        kernel_name="python3",
        resources={"metadata": {"path": str(path.parent)}},
    ).execute()
    return notebook


def printed(notebook: Any) -> str:
    outputs = [out for cell in notebook.cells for out in cell.get("outputs", ())]
    assert not [out for out in outputs if out["output_type"] == "error"]
    return "".join(out.get("text", "") for out in outputs)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_as_it_lies_in_git(path: Path) -> None:
    notebook = load(path)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(not cell.outputs and cell.execution_count is None for cell in code)
    assert max(len(cell.source.splitlines()) for cell in code) <= LONGEST
    assert "widgets" not in notebook.metadata
    first = notebook.cells[0].source.split("\n\n")
    assert first[0].startswith("# ") and "?" in first[1], "begin with the question it answers"
    assert json.dumps(json.loads(path.read_text("utf-8")), indent=1, ensure_ascii=False) + "\n" == (
        path.read_text("utf-8")
    )


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_runs_from_top_to_bottom_without_the_network(path: Path) -> None:
    notebook = run(load(path), path)
    text = printed(notebook)
    assert "35 steps" in text and "34 steps" in text
    assert re.search(r"35 steps.*right: ", text) and re.search(r"34 steps.*wrong: ", text)
    assert text.count("– Not yet: ") == 3 and "✓" not in text
    kinds = {
        kind
        for cell in notebook.cells
        for out in cell.get("outputs", ())
        for kind in out.get("data", ())
    }
    assert {"image/png", "application/vnd.jupyter.widget-view+json"} <= kinds


def test_the_exercises_can_be_solved() -> None:
    path = FOLDER / "01-build-a-context.ipynb"
    notebook = load(path)
    for start, solution in SOLUTIONS.items():
        (cell,) = [
            c for c in notebook.cells if c.cell_type == "code" and c.source.startswith(start)
        ]
        cell.source = solution
    text = printed(run(notebook, path))
    assert text.count("✓ Done: ") == 3 and "Not yet" not in text


@pytest.mark.parametrize(
    "answer, words",
    [
        (None, "whole number"),
        (True, "whole number"),
        (49, "expected 0 to 48 steps, got 49"),
        (19, "not in the call"),
        (21, "so are fewer"),
    ],
)
def test_exercise_1_says_what_is_wrong(answer: object, words: str) -> None:
    assert words in exercises.check_fewest(answer)
    assert "Not yet" in exercises.check_fewest(answer)


def _recent(conversation: tuple[Message, ...]) -> list[Message]:
    done = [step for step in steps(conversation) if step.assistant is not None]
    return [conversation[i] for step in done[-6:] for i in step.indices]


@pytest.mark.parametrize(
    "function, words",
    [
        (lambda c: c[-6:], "has no call"),
        (lambda c: [m for m in c if not m.results], "has no result"),
        (_recent, "missing"),
        (lambda c: c, "expected 15 messages in their order, got 99"),
    ],
)
def test_exercise_2_says_what_is_wrong(function: Any, words: str) -> None:
    assert words in exercises.check_keep_words(function)


@pytest.mark.parametrize(
    "text, words",
    [
        ("  ", "a sentence or two"),
        ("word " * 60, "at most 40"),
        ("Work on the login went well.", "the rule about tests/fixtures/"),
        ("The user said: do not edit tests/fixtures/.", "does not hold the goal"),
    ],
)
def test_exercise_3_says_what_is_wrong(text: str, words: str) -> None:
    assert words in exercises.check_summary(text)


def test_growth_adds_up_and_only_grows() -> None:
    scenario = load_scenario()
    calls = growth(scenario)
    assert calls.steps == tuple(range(1, scenario.steps + 2))
    totals: Sequence[int] = [sum(sizes) for sizes in zip(*calls.layers.values(), strict=True)]
    assert all(later > earlier for earlier, later in pairwise(totals))
    assert all(built <= total for built, total in zip(calls.built, totals, strict=True))
    assert totals[-1] - exercises.whole_call().tokens(exercises.default_counter()) == (
        exercises.default_counter().message(_task())
    )


def _task() -> Message:
    from patch_agent.builder import full_request

    scenario = load_scenario()
    return full_request(scenario.state, scenario.conversation).part("task").entries[0].message


def test_the_picture_names_each_layer_and_figure() -> None:
    figure = plot_growth(load_scenario())
    words = " ".join(text.get_text() for text in figure.axes[0].texts)
    for part in ("tool outputs", "what was said and called", "what the builder sends", "112,000"):
        assert part in words
