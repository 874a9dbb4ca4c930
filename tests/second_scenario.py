"""A second scenario, generated from a seed, so that nothing is fitted to the first.

Another small project with another bug, rule and failure, told in the same forms: a test that
fails, a wrong suggestion in a note, a right one in a helper's report, a rule spoken in the middle,
a dead end, and a second failure that a forbidden edit would turn green. `script` holds what the
user and the model say; the results of the calls come from really running the tools.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from random import Random
from typing import Any

from tests import second_words as texts
from tests.second_project import project_files
from tests.second_words import Edit, draw_words

Wire = dict[str, Any]
SYSTEM = "You are Patch, a coding agent. You see only this call. Work in small steps."
SKILLS = "Skills that can be read on demand: bisect, profile, translate."


@dataclass(frozen=True, slots=True)
class Probe:
    """One question and its true answer.

    `contains` are strings of the right answer; none where the truth is that nothing is there.
    `steps` and `parts` are all places of the conversation and of the fixed parts that carry it.
    """

    kind: str
    params: dict[str, Any]
    contains: tuple[str, ...]
    steps: tuple[int, ...] = ()
    parts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SecondScenario:
    """A project, what is sent beside the history, the script of a run, and the truth."""

    seed: int
    files: dict[str, str]
    parts: dict[str, str]
    """Texts of the fixed parts by id: system, agents_md, memory, skills, report, user."""
    script: tuple[Wire, ...]
    """User and assistant messages in wire form; assistant message n is step n, its call call_n."""
    goal: str
    failure: str
    rule: str
    rule_step: int
    protected: str
    wrap_up_file: str
    wrong: Edit
    right: Edit
    forbidden: Edit
    allowed: Edit
    follow_up: str
    probes: tuple[Probe, ...]


def second_scenario(seed: int) -> SecondScenario:
    """The scenario of this seed: the same seed gives the same bytes."""
    rng = Random(seed)
    words = draw_words(rng)
    edits = _edits(words)
    goal = f"{words['goal_file']}::{words['goal_name']}"
    protected = f"tests/{words['cases']}/"
    rule = rng.choice(texts.RULES).format(folder=protected)
    plan = _plan(rng, words, edits, goal, rule)
    files = project_files(words)
    parts = _parts(rng, words, edits, files["AGENTS.md"])
    failure = f"assert {words['late']} == {words['in_time']}"
    return SecondScenario(
        seed=seed,
        files=files,
        parts=parts,
        script=plan.script,
        goal=goal,
        failure=failure,
        rule=rule,
        rule_step=plan.rule_step,
        protected=protected,
        wrap_up_file=words["news"],
        wrong=edits["wrong"],
        right=edits["right"],
        forbidden=edits["forbidden"],
        allowed=edits["allowed"],
        follow_up=f"tests/test_charges.py::{words['follow_up_name']}",
        probes=_probes(words, goal, failure, protected, parts["user"], plan),
    )


def _edits(words: dict[str, str]) -> dict[str, Edit]:
    late, rate = int(words["late_charge"]), int(words["rate"])
    return {
        "wrong": Edit(f"{words['package']}/desk.py", words["closing_old"], words["closing_new"]),
        "right": Edit(f"{words['package']}/periods.py", words["due_wrong"], words["due_right"]),
        "forbidden": Edit(
            f"tests/{words['cases']}/{words['late_case']}.json",
            f'"charge": {late}',
            f'"charge": {late - rate}',
        ),
        "allowed": Edit(f"{words['billing']}/charges.py", words["late_wrong"], words["late_right"]),
    }


def _parts(
    rng: Random, words: dict[str, str], edits: dict[str, Edit], agents: str
) -> dict[str, str]:
    report = rng.choice(texts.REPORTS).format(
        due=words["due"],
        periods=edits["right"].path,
        returns=f"{words['package']}/returns.py",
        edit=edits["right"].sentence(rng.randrange(len(texts.EDITS))),
    )
    wrong = edits["wrong"].sentence(rng.randrange(len(texts.EDITS)))
    return {
        "system": SYSTEM,
        "agents_md": agents,
        "memory": rng.choice(texts.MEMORIES).format(edit=wrong),
        "skills": SKILLS,
        "report": report,
        "user": rng.choice(texts.WANTS),
    }


@dataclass(frozen=True, slots=True)
class _Plan:
    script: tuple[Wire, ...]
    length: int
    rule_step: int
    rerun_step: int
    revert_step: int


def _plan(
    rng: Random, words: dict[str, str], edits: dict[str, Edit], goal: str, rule: str
) -> _Plan:
    """The run: first the failing test, then reading, with the rule and the dead end in between."""
    length = rng.randint(11, 18)
    rule_step = rng.randint(3, 6)
    tried = rng.randint(rule_step + 1, length - 4)
    wrong = edits["wrong"]
    back = rng.choice(texts.RULED_OUT).format(desk=wrong.path)
    moves: dict[int, Move] = {
        1: ("First I want to see it fail.", "run_tests", {"target": goal, "verbose": True}),
        tried: (
            "I try a later closing hour.",
            "edit_file",
            _change(wrong.path, wrong.old, wrong.new),
        ),
        tried + 1: ("Does that help?", "run_tests", {"target": goal, "verbose": True}),
        tried + 2: (back, "edit_file", _change(wrong.path, wrong.new, wrong.old)),
    }
    reading = iter(_reading(rng, words))
    script: list[Wire] = [_user(rng.choice(texts.GOALS).format(goal=goal))]
    for number in range(1, length + 1):
        if number == rule_step:
            script.append(_user(rule))
        script.append(_assistant(number, moves.get(number) or next(reading)))
    return _Plan(tuple(script), length, rule_step, tried + 1, tried + 2)


Move = tuple[str, str, dict[str, Any]]


def _reading(rng: Random, words: dict[str, str]) -> list[Move]:
    """Things that an agent looks at; none of them prints the goal's failure."""
    package, billing = words["package"], words["billing"]
    files = [f"{package}/periods.py", f"{package}/desk.py", f"{package}/returns.py"]
    files += [
        f"{billing}/charges.py",
        "tests/helpers.py",
        words["goal_file"],
        "tests/test_charges.py",
    ]
    moves: list[Move] = [
        (f"I read {path}.", "read_file", {"path": path, "start": 1, "end": rng.randint(30, 60)})
        for path in files
    ]
    moves += [
        ("What is there?", "list_files", {"path": "."}),
        ("Which cases are there?", "list_files", {"path": f"tests/{words['cases']}"}),
        (f"Who calls {words['due']}?", "search_text", {"pattern": words["due"], "path": "."}),
        ("Where are days added?", "search_text", {"pattern": "days", "path": package}),
        (
            "Are charges all right?",
            "run_tests",
            {"target": "tests/test_charges.py", "verbose": True},
        ),
        (
            "Once more, in short.",
            "run_tests",
            {"target": "tests/test_charges.py", "verbose": False},
        ),
        ("Is the discount used?", "search_text", {"pattern": "with_discount", "path": "."}),
    ]
    rng.shuffle(moves)
    return moves


def _change(path: str, old: str, new: str) -> dict[str, Any]:
    return {"path": path, "old": old, "new": new}


def _user(text: str) -> Wire:
    return {"role": "user", "content": text}


def _assistant(number: int, move: Move) -> Wire:
    text, name, arguments = move
    function = {"name": name, "arguments": json.dumps(arguments)}
    call = {"id": f"call_{number}", "type": "function", "function": function}
    return {"role": "assistant", "content": text, "tool_calls": [call]}


def _probes(
    words: dict[str, str], goal: str, failure: str, protected: str, wants: str, plan: _Plan
) -> tuple[Probe, ...]:
    rule = (plan.rule_step,)
    case = f"{protected}{words['late_case']}.json"
    return (
        Probe("goal", {}, (goal,), steps=(1,)),
        Probe("first_failure", {}, (failure,), steps=(1, plan.rerun_step)),
        Probe("may_edit", {"path": protected}, (protected,), steps=rule),
        Probe("may_edit", {"path": case}, (protected,), steps=rule),
        Probe("may_edit", {"path": f"{words['billing']}/charges.py"}, ()),
        Probe("may_edit", {"path": f"tests/{words['cases']}_old/"}, ()),
        Probe("ruled_out", {}, (f"{words['package']}/desk.py",), steps=(plan.revert_step,)),
        Probe("output_of", {"call": 2}, ("this call",), steps=(2,)),
        Probe("output_of", {"call": plan.length + 20}, ()),
        Probe("helper_found", {}, (f"{words['package']}/periods.py", "day"), parts=("report",)),
        Probe("tools", {}, ("read_file", "run_tests"), parts=("tools",)),
        Probe("before_done", {}, (words["news"],), parts=("agents_md",)),
        Probe("wants_now", {}, (wants,), parts=("user",)),
    )
