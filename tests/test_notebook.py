"""The notebooks: no outputs in git, short cells, runs from top to bottom, exercises that check."""

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
from patch_agent.policies import CacheMarks, Recent
from patch_agent.scenario import load_scenario
from widgets import exercises, exercises_policies
from widgets.plots import growth, plot_growth
from widgets.plots_runs import plot_requests

FOLDER = Path(__file__).resolve().parents[1] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
LONGEST = 12
NO_NETWORK = """
import socket
def refuse(*arguments, **options): raise OSError("a cell asked for the network")
socket.getaddrinfo = socket.create_connection = refuse
"""
SOLUTIONS = {
    "01-build-a-context": {
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
    },
    "02-policies": {
        "first = None": "first = 14",
        "def boundary": "def boundary(older):\n    return older - older % 6",
        "mine = None": """
from patch_agent.policies import Chain
mine = Chain(ClearResults(counter, keep=6, every=6, limit=80_000), CacheMarks())
""",
    },
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


def says_what_flips(text: str) -> None:
    assert re.search(r"35 steps.*right: ", text) and re.search(r"34 steps.*wrong: ", text)


def says_what_runs_cost(text: str) -> None:
    rows = re.findall(r"^(\w.*?) +\d+ requests.*\$([\d.]+)", text, re.MULTILINE)
    cost = {name: float(found) for name, found in rows}
    assert cost["clear"] < cost["cache"] < cost["drop old"] < cost["none"]
    assert cost["stepwise"] < cost["drop old"] / 2, "once the exercise is solved"
    ranges = {
        (name, figure): (float(least), float(most))
        for name, figure, least, most in re.findall(r"^(\w+) +(\w+) +(\S+) to (\S+)$", text, re.M)
    }
    assert ranges["clear", "cost"][1] < ranges["none", "cost"][0], "they do not overlap"
    assert ranges["none", "steps"][1] > ranges["clear", "steps"][0], "they do"
    assert "the same again: True" in text
    assert "request 1: Your call cannot be sent. request: pinned text is not sent" in text


SAYS = {"01-build-a-context": says_what_flips, "02-policies": says_what_runs_cost}


def with_solutions(notebook: Any, solutions: dict[str, str]) -> Any:
    """The notebook with each exercise solved below its check, and checked once more."""
    for start, solution in solutions.items():
        code = [
            cell.cell_type == "code" and cell.source.startswith(start) for cell in notebook.cells
        ]
        assert sum(code) == 1, start
        check = notebook.cells[code.index(True) + 1]
        solved = [nbformat.v4.new_code_cell(source) for source in (solution, check.source)]
        notebook.cells[code.index(True) + 2 : code.index(True) + 2] = solved
    return notebook


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_runs_without_the_network_and_its_exercises_can_be_solved(path: Path) -> None:
    notebook = run(with_solutions(load(path), SOLUTIONS[path.stem]), path)
    text = printed(notebook)
    SAYS[path.stem](text)
    told = re.findall(r"^(?:– Not yet|✓ Done): ", text, re.MULTILINE)
    assert told == ["– Not yet: ", "✓ Done: "] * 3
    kinds = {
        kind
        for cell in notebook.cells
        for out in cell.get("outputs", ())
        for kind in out.get("data", ())
    }
    assert {"image/png", "application/vnd.jupyter.widget-view+json"} <= kinds


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


@pytest.mark.parametrize(
    "answer, words",
    [
        (None, "whole number"),
        (0, "expected 1 to 23, got 0"),
        (13, "request 13 has 90,"),
        (15, "so is the one before"),
    ],
)
def test_exercise_1_on_policies_says_what_is_wrong(answer: object, words: str) -> None:
    assert words in exercises_policies.check_dear(answer)


@pytest.mark.parametrize(
    "function, words",
    [
        (lambda older: older, "it moves by 1; at least 4"),
        (lambda older: older + 1, "boundary(0): expected 0 to 0, got 1"),
        (lambda older: older / 2, "expected 0 to 0, got 0.0"),
        (lambda older: 0, "boundary(13) is 0: at most 12 steps behind"),
        (lambda older: max(older - 5, 0) if older % 2 else older, "it moves back"),
    ],
)
def test_exercise_2_on_policies_says_what_is_wrong(function: Any, words: str) -> None:
    assert words in exercises_policies.check_boundary(function)


@pytest.mark.parametrize(
    "policy, words",
    [
        (None, "put a policy into `mine`"),
        (lambda request, state: None, "seed 1, request 1: Your build returned nothing"),
        (CacheMarks(), "seed 1: $0.170, and half of marks alone is $0.085"),
        (Recent(6), "seed 1: 85 checks are passed, with marks alone 87"),
    ],
)
def test_exercise_3_on_policies_says_what_is_wrong(policy: object, words: str) -> None:
    assert words in exercises_policies.check_better(policy)


def test_the_picture_of_runs_has_a_dot_where_a_beginning_breaks() -> None:
    runs = {name: exercises_policies.recorded(name, 1) for name in ("none", "clear")}
    axes = plot_requests(runs).axes[0]
    lines = [list(line.get_ydata()) for line in axes.lines]
    assert lines[0] == [one.tokens for one in runs["none"].sent] and lines[1] == []
    broken = [one.tokens for one in runs["clear"].sent if one.bill.reuse.invalidated]
    assert lines[3] == broken and len(broken) > 1
    words = " ".join(text.get_text() for text in axes.texts)
    assert "none" in words and "clear" in words and "100,000" in words
    with pytest.raises(ValueError, match="runs: expected 1 to 6, got 0"):
        plot_requests({})


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
