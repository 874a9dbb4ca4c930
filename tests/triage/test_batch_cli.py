"""The sub-command `patch-agent batch`."""

from __future__ import annotations

import json

import pytest

from patch_agent.cli import main
from patch_agent.triage.saved import recorded_folder


def figures(capsys, *arguments):
    """What a command prints with --json."""
    assert main(["batch", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_recorded_run_is_replayed_and_graded(capsys):
    found = figures(capsys)
    assert found["policy"] == "default" and found["finished"] is True
    assert found["checks"]["total"] == 94
    assert 75 <= found["checks"]["passed"] < 94
    assert found["checks"]["passed"] + len(found["missed"]) == 94
    recorded = json.loads((recorded_folder() / "run.json").read_text())["figures"]
    assert found == {"schema": 1, **recorded}


def test_a_live_run_says_what_it_missed_and_shows_a_bar(capsys):
    assert main(["batch", "--policy", "trim", "--seed", "12"]) == 0
    shown = capsys.readouterr()
    assert "The run ended with 'done' after" in shown.out
    assert "missed C" in shown.out
    assert " / " not in shown.out  # one run has no spread
    assert "trim [##############################] 99/99" in shown.err


def test_several_runs_make_a_table(capsys, tmp_path):
    arguments = ["--policy", "cache", "--seed", "12", "--seeds", "2", "--early-clear"]
    assert main(["batch", *arguments, "--out", str(tmp_path)]) == 0
    shown = capsys.readouterr()
    rows = [line.split() for line in shown.out.splitlines()]
    assert [row[:2] for row in rows[2:4]] == [["cache", "2"], ["early", "2"]]
    assert "Fewer than 10 runs" in shown.out and "min / median / max; 94 checks" in shown.out
    assert "4/4" in shown.err
    names = [f"{name}-world-1-seed-{seed}" for name in ("cache", "early") for seed in (12, 13)]
    assert sorted(path.name for path in tmp_path.iterdir()) == names
    found = figures(capsys, *arguments)
    assert found["command"] == f"patch-agent batch {' '.join(sorted_as_told(arguments))} --json"
    assert [row["seed"] for row in found["runs"]] == [12, 13, 12, 13]
    steps = sorted(row["steps"] for row in found["runs"][:2])
    assert found["table"]["cache"]["steps"] == {
        "min": steps[0],
        "median": sum(steps) / 2,
        "max": steps[1],
    }


def sorted_as_told(arguments):
    """The arguments in the order in which the command names them."""
    policy, seed, seeds = arguments[:2], arguments[2:4], arguments[4:6]
    return [*policy, "--early-clear", *seeds, *seed]


def test_other_worlds_and_limits(capsys):
    found = figures(capsys, "--policy", "clear", "--seed", "12", "--world", "8", "--limit", "30000")
    assert (found["world"], found["limit"]) == (8, 30_000)
    assert found["checks"]["passed"] > 70


MINE = """[mine]
input = 0
output = 0
cache_read = 2
per = 1_000
unit = "credits"
"""
OTHERS = {
    "missing": (MINE.replace("output = 0\n", ""), "mine: output is missing"),
    "negative": (MINE.replace("= 2", "= -2"), "mine: cache_read: expected a number of 0 or more"),
    "two": (MINE + MINE.replace("mine", "other"), "expected one table, got mine, other"),
    "empty": ("", "expected at least one table"),
}


def test_prices_of_your_own_bill_the_recorded_run_and_new_ones(capsys, tmp_path):
    """Nothing costs but reading from the cache, two units for each thousand tokens of it."""
    file = tmp_path / "mine.toml"
    file.write_text(MINE)
    recorded = json.loads((recorded_folder() / "run.json").read_text())["figures"]
    again = figures(capsys, "--prices", str(file))
    assert 0 < again["cost"] == pytest.approx(again["tokens"]["cached"] / 500)
    assert again["steps"] == recorded["steps"] and again["checks"] == recorded["checks"]
    several = ["--policy", "trim", "--seed", "12", "--seeds", "2", "--prices", str(file)]
    found = figures(capsys, *several)
    assert found["command"].endswith(f"--prices {file} --json")
    for row in found["runs"]:
        assert 0 < row["cost"] == pytest.approx(row["tokens"]["cached"] / 500)
    assert main(["batch", *several, "--cores", "2"]) == 0
    shown = capsys.readouterr().out
    assert "cost (credits)" in shown
    assert f"{max(row['cost'] for row in found['runs']):.2f}" in shown


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("live", [(), ("--policy", "none"), ("--seeds", "2")])
def test_prices_that_cannot_be_used_are_named_and_nothing_is_written(name, live, capsys, tmp_path):
    text, words = OTHERS[name]
    (tmp_path / "mine.toml").write_text(text)
    out = ["--out", str(tmp_path / "runs")] if live else []
    assert main(["batch", *live, *out, "--prices", str(tmp_path / "mine.toml")]) == 2
    shown = capsys.readouterr()
    assert f"mine.toml: {words}" in shown.err and len(shown.err.splitlines()) == 1
    assert shown.out == "" and not (tmp_path / "runs").exists()


def test_why_traces_a_missed_check_of_a_saved_run(capsys, tmp_path):
    main(["batch", "--policy", "trim", "--seed", "1", "--out", str(tmp_path)])
    folder = tmp_path / "trim-world-1-seed-1"
    missed = json.loads((folder / "run.json").read_text())["figures"]["missed"]
    capsys.readouterr()
    check = next(name for name in missed if name.endswith(".filed"))
    assert main(["batch", "why", str(folder), check]) == 0
    told = capsys.readouterr().out
    assert f"{check}: filed more than once" in told
    assert "Decided in step" in told and "gone since request" in told
    assert main(["batch", "why", str(folder), check, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["check"] == check and found["needs"][0]["last"] < found["step"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--policy", "magic"], "none, cache, clear, trim, compact, default"),
        (["--limit", "0"], "limit: expected 1 to"),
        (["--limit", "-5"], "limit"),
        (["--limit", "3000"], "tokens of the fixed parts (the largest: system, 2,067), got 3,000"),
        (["--seeds", "0"], "--seeds: expected 1 to 10,000, got 0"),
        (["--seeds", "1000000000"], "--seeds: expected 1 to 10,000, got 1,000,000,000"),
        (["--seeds", "many"], "--seeds"),
        (["--world", "-1"], "world: expected a whole number from 0 on, got -1"),
        (["--cores", "0", "--seeds", "2"], "--cores: expected 1 or more, got 0"),
        (["--cores", "0"], "--cores: expected 1 or more, got 0"),
        (["--out", ""], "--out: expected a folder, got ''"),
        (["--prices", "nowhere.toml"], "nowhere.toml: cannot be read"),
        (["why", "nowhere", "C01.place"], "nowhere"),
        (["why", "recorded", "C77.place"], "C77.place"),
        (["why", "recorded"], "CHECK"),
        (["--seeds", "3", "why", "recorded", "C01.place"], "--seeds: is for runs, and `why`"),
        (["--cores", "2", "why", "recorded", "C01.place"], "--cores: is for runs, and `why`"),
        (["--prices", "own.toml", "why", "recorded", "C01.place"], "--prices: is for runs"),
        (["--early-clear", "lab", "data"], "--early-clear: is for runs, and `lab` takes none"),
    ],
)
def test_mistakes_are_one_line_and_nothing_is_written(
    arguments, words, capsys, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    out = [] if {"why", "lab"} & {*arguments} else ["--out", "runs"]
    assert main(["batch", *out, *arguments]) == 2
    shown = capsys.readouterr()
    assert words in shown.err.splitlines()[-1] and shown.out == ""
    assert "Traceback" not in shown.err
    assert list(tmp_path.iterdir()) == []


def test_a_log_that_this_run_cannot_have_made_is_not_traced(capsys, tmp_path):
    main(["batch", "--policy", "none", "--seed", "12", "--out", str(tmp_path)])
    folder = tmp_path / "none-world-1-seed-12"
    head = json.loads((folder / "run.json").read_text())
    head["settings"]["world"] = 2
    (folder / "run.json").write_text(json.dumps(head))
    capsys.readouterr()
    assert main(["batch", "why", str(folder), "C01.filed"]) == 2
    assert "the log has another result than this run" in capsys.readouterr().err


def test_a_log_from_another_version_is_refused(capsys, tmp_path):
    head = json.loads((recorded_folder() / "run.json").read_text())
    (tmp_path / "run.json").write_text(json.dumps(head | {"version": 2}))
    assert main(["batch", "why", str(tmp_path), "C01.place"]) == 2
    assert "run.json: version: expected 1, got 2" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "run.json: line 1: not JSON"),
        (b"\x00\xff\xfe", "run.json: line 1 is not UTF-8 text"),
        (b"[" * 100_000, "run.json: too deep"),
        (b'{"version": ' + b"9" * 5_000 + b"}", "run.json: a number is too long"),
        (b"null", "run.json: version: expected 1, got None"),
        (b'{"version": true}', "run.json: version: expected 1, got True"),
        (b'{"version": 1}', "run.json: settings: expected an object"),
        (b'{"version": 1, "settings": {"speed": 3}}', "run.json: settings: expected policy, seed"),
        (b'{"version": 1, "settings": [1]}', "run.json: settings: expected an object"),
    ],
)
def test_a_damaged_run_is_named(data, words, capsys, tmp_path):
    (tmp_path / "run.json").write_bytes(data)
    assert main(["batch", "why", str(tmp_path), "C01.place"]) == 2
    shown = capsys.readouterr()
    assert f"{tmp_path}/{words}" in shown.err and len(shown.err.splitlines()) == 1
