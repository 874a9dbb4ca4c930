"""Damaged data: what is missing or broken is named with its file, and nothing else is touched."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import patch_agent.data
from patch_agent.catalogue import load_catalogue
from patch_agent.cli import main
from patch_agent.data import DataError, data_path, read_json, read_table, read_text, read_toml
from patch_agent.record import recorded_script
from patch_agent.scenario import load_scenario
from patch_agent.triage.lab_data import load_lab
from widgets.compare import comparison

read_scenario = load_scenario.__wrapped__


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the data, which the package takes for its own."""
    copy = tmp_path / "data"
    shutil.copytree(data_path(), copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(patch_agent.data, "_BESIDE", tmp_path)
    return copy


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-9])


def broken(path: Path) -> None:
    path.write_text("first = 1\n{[")


def not_text(path: Path) -> None:
    path.write_bytes(b"first = 1\n\xff\xfe")


def foreign(path: Path) -> None:
    path.write_text('{"title": "something else"}')


def test_the_copy_reads_like_the_data(data: Path) -> None:
    assert read_scenario().repository.parent == data
    assert read_scenario().conversation == load_scenario().conversation
    assert load_catalogue()["session"]["steps"] == read_scenario().steps


@pytest.mark.parametrize(
    ("read", "name", "damage", "says"),
    [
        (load_catalogue, "catalogue.json", Path.unlink, "catalogue.json"),
        (load_catalogue, "catalogue.json", cut, "not JSON"),
        (load_catalogue, "catalogue.json", broken, "line 1: not JSON"),
        (load_catalogue, "catalogue.json", not_text, "line 2 is not UTF-8"),
        (load_catalogue, "catalogue.json", foreign, "expected a catalogue of schema 1, got None"),
        (load_lab, "triage/lab.json", foreign, "expected runs of schema 1, got None"),
        (comparison, "bench.json", foreign, "expected a comparison of schema 1, got None"),
        (read_scenario, "scenario/session.jsonl", Path.unlink, "scenario/session.jsonl"),
        (read_scenario, "scenario/session.jsonl", cut, ": cut off"),
        (read_scenario, "scenario/session.jsonl", broken, "line 1: not JSON"),
        (read_scenario, "scenario/task.toml", Path.unlink, "scenario/task.toml"),
        (read_scenario, "scenario/task.toml", broken, "at line 2"),
        (read_scenario, "scenario/task.toml", lambda path: path.write_text(""), "expected goal"),
        (read_scenario, "scenario/memory.md", not_text, "line 2 is not UTF-8"),
        (read_scenario, "repo/AGENTS.md", Path.unlink, "AGENTS.md"),
        (read_scenario, "tools/team.json", cut, "not JSON"),
        (recorded_script, "scenario/script.toml", broken, "at line 2"),
    ],
)
def test_a_missing_or_damaged_file_is_named(
    data: Path, read: Callable[[], object], name: str, damage: Callable[[Path], object], says: str
) -> None:
    damage(data / name)
    after = (data / name).read_bytes() if (data / name).exists() else None
    with pytest.raises((DataError, FileNotFoundError)) as caught:
        read()
    assert name in str(caught.value)
    assert says in str(caught.value)
    assert after is None or (data / name).read_bytes() == after


@pytest.mark.parametrize(
    ("name", "damage"), [("scenario/script.toml", broken), ("scenario/script.toml", Path.unlink)]
)
def test_the_command_says_it_in_one_line(
    data: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    name: str,
    damage: Callable[[Path], object],
) -> None:
    damage(data / name)
    assert main(["record", str(tmp_path / "new")]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("patch-agent: ")
    assert name in err
    assert err.count("\n") == 1


def test_what_is_sound_is_read(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("é = 1", encoding="utf-8")
    assert read_text(file) == "é = 1"
    file.write_text('{"a": [1]}')
    assert read_json(file) == {"a": [1]}
    file.write_text("a = [1]")
    assert read_toml(file) == {"a": [1]}


def without(line: str) -> Callable[[Path], object]:
    """A damage: the one line that begins so is gone."""

    def damage(path: Path) -> None:
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        kept = [one for one in lines if not one.startswith(line)]
        assert len(kept) == len(lines) - 1
        path.write_text("".join(kept), encoding="utf-8")

    return damage


@pytest.mark.parametrize(
    ("name", "damage", "says"),
    [
        ("scenario/probes.toml", broken, "at line 2"),
        ("scenario/probes.toml", lambda path: path.write_text(""), "expected [[probe]]"),
        ("words/context_builder.toml", without("may_edit = "), "expected short.may_edit"),
    ],
)
def test_the_catalogue_says_in_one_line_which_file_lacks_which_key(
    data: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    name: str,
    damage: Callable[[Path], object],
    says: str,
) -> None:
    load_scenario.cache_clear()
    damage(data / name)
    try:
        assert main(["catalogue", str(tmp_path / "new")]) == 2
    finally:
        load_scenario.cache_clear()
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1
    assert err.startswith("patch-agent: ") and f"{name}: " in err and says in err


def test_a_table_names_the_key_that_it_lacks(tmp_path: Path) -> None:
    file = tmp_path / "words.toml"
    file.write_text('[a]\nb = "c"\n[a.d]\n')
    table = read_table(file)
    assert table == {"a": {"b": "c", "d": {}}} and table["a"].get("e") is None
    for part, key, named in (
        (table, "e", "e"),
        (table["a"], "f", "a.f"),
        (table["a"]["d"], "g", "a.d.g"),
    ):
        with pytest.raises(DataError, match=f"words.toml: expected {named}$"):
            _ = part[key]
