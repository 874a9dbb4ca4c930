"""Many runs: over cores and on a real Dask cluster with the same results, logs that grow."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from distributed import LocalCluster

from patch_agent.cli import main
from patch_agent.triage.results import measure
from patch_agent.triage.run import run_batch
from patch_agent.triage.saved import held, load_run
from patch_agent.triage.settings import LIMIT, Settings
from patch_agent.triage.sweep import jobs, live_run, run_one, sweep

SHORT = 12
WANTED = jobs(["trim", "cache"], [SHORT, 29])


@pytest.fixture(scope="module")
def cluster() -> Iterator[LocalCluster]:
    """A scheduler and two workers in processes of their own."""
    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=":0"
    ) as made:
        yield made


@pytest.fixture(scope="module")
def alone() -> tuple[object, ...]:
    """The runs on one core."""
    return sweep(WANTED)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_two_cores_give_the_same_and_save_the_logs(alone, tmp_path):
    seen = []
    found = sweep(WANTED, 2, lambda n, of, one: seen.append((n, of)), out=tmp_path)
    assert found == alone
    assert seen == [(n, 4) for n in range(1, 5)]
    for settings, result in zip(WANTED, found, strict=True):
        folder = tmp_path / f"{settings.policy}-world-1-seed-{settings.seed}"
        known, conversation = load_run(folder)
        assert known == settings
        assert measure(run_batch(known, conversation)) == result


def test_a_dask_cluster_gives_the_same_and_its_workers_save_the_logs(alone, cluster, tmp_path):
    seen = []
    address = cluster.scheduler_address
    found = sweep(
        WANTED, finished=lambda n, of, one: seen.append((n, of)), out=tmp_path, scheduler=address
    )
    assert found == alone
    assert seen == [(n, 4) for n in range(1, 5)]
    assert len(names(tmp_path)) == 4
    assert measure(run_batch(*load_run(tmp_path / "cache-world-1-seed-12"))) == alone[2]


def test_the_command_runs_on_a_cluster(cluster, capsys):
    arguments = ["batch", "--policy", "cache", "--seed", str(SHORT), "--seeds", "2"]
    assert main([*arguments, "--json"]) == 0
    alone = capsys.readouterr().out
    assert main([*arguments, "--json", "--scheduler", cluster.scheduler_address]) == 0
    assert capsys.readouterr().out == alone


def test_a_scheduler_that_does_not_answer_is_named(capsys, tmp_path, monkeypatch):
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    monkeypatch.setattr("patch_agent.triage.cluster.WAIT", 1)
    out = tmp_path / "runs"
    assert main(["batch", "--seeds", "2", "--out", str(out), "--scheduler", address]) == 2
    (line,) = capsys.readouterr().err.splitlines()[-1:]
    assert f"scheduler: none answers at {address}" in line
    assert not out.exists()


@pytest.mark.parametrize("address", ["nonsense://x:1", "127.0.0.1:no", "nowhere"])
def test_an_address_that_is_none_is_named(address, capsys):
    assert main(["batch", "--seeds", "2", "--scheduler", address]) == 2
    assert f"scheduler: none answers at {address}" in capsys.readouterr().err


def test_after_an_address_that_is_none_nothing_is_left_to_close():
    """Seen from outside: whatever is left over says so when Python ends."""
    code = "import sys; from patch_agent.cli import main; sys.exit(main())"
    command = [sys.executable, "-c", code, "batch", "--seeds", "2", "--scheduler", "nowhere"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "scheduler: none answers at nowhere" in line


def test_a_cluster_without_workers_is_named(monkeypatch):
    monkeypatch.setattr("patch_agent.triage.cluster.WAIT", 1)
    with LocalCluster(n_workers=0, host="127.0.0.1", dashboard_address=":0") as empty:
        with pytest.raises(ValueError, match="has no workers"):
            sweep(WANTED, scheduler=empty.scheduler_address)


def test_cores_and_a_scheduler_together_are_refused(capsys):
    assert main(["batch", "--seeds", "2", "--cores", "2", "--scheduler", "tcp://x:1"]) == 2
    assert "--cores: with --scheduler the cluster decides" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("package", "options", "words"),
    [
        ("joblib", {"cores": 2}, "cores: 2 need joblib"),
        ("distributed", {"scheduler": "tcp://x:1"}, "needs the package distributed"),
    ],
)
def test_without_its_package_it_is_refused_in_words(package, options, words, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ValueError, match=words):
        sweep(WANTED, **options)


def test_a_log_grows_with_its_run(tmp_path):
    """Before each step the log holds all steps until then; so a run that breaks off goes on."""
    settings, folder = Settings("cache", SHORT), tmp_path / "cache-world-1-seed-12"
    whole = run_batch(settings).conversation

    class Stopped(Exception):
        pass

    def look(step, open_):
        known, begun = load_run(folder)
        assert known == settings and begun == whole[: len(begun)]
        assert sum(message.role == "assistant" for message in begun) == step - 1
        if step == 5:
            raise Stopped

    with pytest.raises(Stopped):
        live_run(settings, tmp_path, look)
    assert '"figures": null' in (folder / "run.json").read_text()
    assert run_batch(*load_run(folder)).conversation == whole


def test_a_run_saved_again_takes_the_place_of_the_old_one(tmp_path):
    settings = Settings("cache", SHORT)
    first, second = run_one(settings, tmp_path), run_one(settings, tmp_path)
    assert first == second
    _, conversation = load_run(tmp_path / "cache-world-1-seed-12")
    assert conversation == run_batch(settings).conversation


def test_two_runs_at_once_into_one_folder_are_not_mixed(tmp_path, capsys):
    pytest.importorskip("fcntl")
    settings = Settings("cache", SHORT)
    run_one(settings, tmp_path)
    folder = tmp_path / "cache-world-1-seed-12"
    saved = {file.name: file.read_bytes() for file in folder.iterdir()}
    command = ["batch", "--policy", "cache", "--seed", str(SHORT), "--out", str(tmp_path)]
    with held(folder):
        assert main(command) == 2
        assert f"{folder}: another run is being saved here" in capsys.readouterr().err
        with pytest.raises(ValueError, match="another run is being saved here"):
            sweep([settings, replace(settings, seed=SHORT + 1)], 2, out=tmp_path)
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == saved
    assert main(command) == 0
    with pytest.raises(BlockingIOError, match="the run's own"), held(folder):
        raise BlockingIOError("the run's own")


def test_runs_of_several_limits_share_a_folder(tmp_path):
    wanted = [Settings("clear", SHORT, limit=limit) for limit in (30_000, LIMIT, 90_000)]
    for settings in wanted:
        sweep([settings], out=tmp_path)
    assert {load_run(tmp_path / name)[0] for name in names(tmp_path)} == set(wanted)
