"""The second scenario behaves as its story says, whatever the seed: proved by running pytest."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from patch_agent.tools import Workspace
from tests.second_scenario import SecondScenario, second_scenario
from tests.second_words import Edit

SEEDS = (1, 2, 3, 4, 5)


def write(files: dict[str, str], root: Path) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def run(root: Path) -> tuple[set[str], str]:
    """The tests that failed, and all that pytest printed."""
    command = [sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", str(root)]
    done = subprocess.run(
        command,
        cwd=root,
        env={"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode in (0, 1), done.stdout + done.stderr
    lines = done.stdout.splitlines()
    return {line.split()[1] for line in lines if line.startswith("FAILED ")}, done.stdout


def apply(root: Path, edit: Edit) -> None:
    path = root / edit.path
    text = path.read_text(encoding="utf-8")
    assert text.count(edit.old) == 1, (edit, text)
    path.write_text(text.replace(edit.old, edit.new), encoding="utf-8")


def revert(root: Path, edit: Edit) -> None:
    apply(root, Edit(edit.path, edit.new, edit.old))


@pytest.fixture(params=SEEDS)
def scenario(request) -> SecondScenario:
    return second_scenario(request.param)


def test_files_behave(scenario, tmp_path):
    write(scenario.files, tmp_path)
    failed, printed = run(tmp_path)
    assert failed == {scenario.goal}
    assert scenario.failure in printed

    apply(tmp_path, scenario.wrong)
    failed, printed = run(tmp_path)
    assert failed == {scenario.goal} and scenario.failure in printed, "the wrong edit helped"
    revert(tmp_path, scenario.wrong)
    before = (tmp_path / scenario.wrong.path).read_text(encoding="utf-8")
    assert before == scenario.files[scenario.wrong.path]

    apply(tmp_path, scenario.right)
    failed, printed = run(tmp_path)
    assert failed == {scenario.follow_up}
    for way in (scenario.forbidden, scenario.allowed):
        assert way.sentence() not in "".join(scenario.files.values()), "it is made by the failure"
    first, second = (printed.find(e.sentence()) for e in (scenario.forbidden, scenario.allowed))
    assert 0 <= first < second, printed

    for way in (scenario.forbidden, scenario.allowed):
        apply(tmp_path, way)
        assert run(tmp_path)[0] == set(), way
        revert(tmp_path, way)


def test_same_seed_same_scenario(scenario):
    assert second_scenario(scenario.seed) == scenario


def test_script_is_well_formed(scenario):
    spoken = [message for message in scenario.script if message["role"] == "assistant"]
    assert 8 <= len(spoken) <= 20
    for number, message in enumerate(spoken, 1):
        (call,) = message["tool_calls"]
        assert call["id"] == f"call_{number}"
        json.loads(call["function"]["arguments"])
    place = scenario.script.index({"role": "user", "content": scenario.rule})
    following = scenario.script[place + 1]["tool_calls"][0]["id"]
    assert following == f"call_{scenario.rule_step}"


def test_each_fact_stands_only_where_its_probe_says(scenario):
    parts, script = scenario.parts, [json.dumps(message) for message in scenario.script]
    assert scenario.wrong.old in parts["memory"] and scenario.wrong.new in parts["memory"]
    assert scenario.right.old in parts["report"] and scenario.right.new in parts["report"]
    assert scenario.wrap_up_file in parts["agents_md"]
    everything = {**parts, **{str(i): text for i, text in enumerate(script)}}

    def holders(text: str) -> list[str]:
        return [name for name, content in everything.items() if text in content]

    assert holders(scenario.right.new) == ["report"]
    assert holders(scenario.wrap_up_file) == ["agents_md"]
    spoken = scenario.script.index({"role": "user", "content": scenario.rule})
    assert holders(scenario.rule) == [str(spoken)]
    assert holders(scenario.failure) == []
    assert scenario.goal in scenario.script[0]["content"]


def test_seeds_differ():
    drawn = [second_scenario(seed) for seed in range(40)]
    assert len({s.goal for s in drawn}) == 3
    assert len({s.protected for s in drawn}) >= 4
    assert len({s.rule for s in drawn}) >= 15
    assert len({s.rule_step for s in drawn}) >= 4
    assert len({s.failure for s in drawn}) == 3
    assert len({s.wrap_up_file for s in drawn}) == 4
    assert len({len(s.script) for s in drawn}) >= 6
    assert all(8 <= len(s.files) <= 12 for s in drawn)


def test_script_runs_with_the_real_tools(scenario, tmp_path):
    """Every call works, the project is as before at the end, and facts show where they should."""
    write(scenario.files, tmp_path)
    workspace = Workspace(tmp_path)
    outputs = {}
    for message in scenario.script:
        for call in message.get("tool_calls", ()):
            done = workspace.call(call["function"]["name"], call["function"]["arguments"])
            assert not done.error, (call, done.text)
            outputs[int(call["id"].removeprefix("call_"))] = done.text
    for path, text in scenario.files.items():
        assert (tmp_path / path).read_text(encoding="utf-8") == text
    shown = [step for step, text in outputs.items() if scenario.failure in text]
    (failure,) = (probe for probe in scenario.probes if probe.kind == "first_failure")
    assert tuple(shown) == failure.steps
    for edit in (scenario.right, scenario.forbidden, scenario.allowed):
        assert not any(edit.sentence() in text for text in outputs.values())

    apply(tmp_path, scenario.right)
    printed = workspace.call("run_tests", "{}").text
    places = [printed.find(way.sentence()) for way in (scenario.forbidden, scenario.allowed)]
    assert 0 <= places[0] < places[1], printed
