"""Many runs, one after the other, over several cores or on a cluster; the results are the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import product
from pathlib import Path

from patch_agent.pricing import PriceTable
from patch_agent.triage.cluster import on_cluster
from patch_agent.triage.results import RunResult, measure
from patch_agent.triage.run import Progress, Run, run_batch
from patch_agent.triage.saved import begin_run, end_run, run_name
from patch_agent.triage.settings import LIMIT, Settings

Finished = Callable[[int, int, RunResult], None]
"""Is told of each run as it ends: how many are done, of how many, and the run."""


def jobs(
    policies: Iterable[str], seeds: Iterable[int], world: int = 1, limit: int = LIMIT
) -> tuple[Settings, ...]:
    """Each policy with each seed."""
    return tuple(Settings(name, seed, world, limit) for name, seed in product(policies, seeds))


def sweep(
    settings: Sequence[Settings],
    cores: int = 1,
    finished: Finished | None = None,
    *,
    out: Path | None = None,
    scheduler: str | None = None,
    prices: PriceTable | None = None,
) -> tuple[RunResult, ...]:
    """The results in the order of the settings; each run is saved in a folder of `out`.

    `scheduler` is the address of a Dask cluster, which takes the place of the cores; `prices` take
    the place of the project's. Raises
    ValueError where joblib or distributed is missing, or the cluster does not answer.
    """
    work = partial(run_one, out=None if out is None else out.absolute(), prices=prices)
    results = []
    for result in _results(work, settings, cores, scheduler):
        results.append(result)
        if finished is not None:
            finished(len(results), len(settings), result)
    return tuple(results)


def _results(
    work: Callable[[Settings], RunResult],
    settings: Sequence[Settings],
    cores: int,
    scheduler: str | None,
) -> Iterator[RunResult]:
    if scheduler is not None:
        yield from on_cluster(scheduler, work, settings)
        return
    if cores <= 1:
        yield from map(work, settings)
        return
    try:
        from joblib import Parallel, delayed  # type: ignore[import-untyped]
    except ImportError:
        raise ValueError(f"cores: {cores} need joblib, which is not installed; use 1") from None
    # One run at a time for each core: with more, one core would work on alone at the end.
    each = Parallel(n_jobs=min(cores, len(settings) or 1), batch_size=1, return_as="generator")
    yield from each(delayed(work)(one) for one in settings)


def run_one(
    settings: Settings, out: Path | None = None, prices: PriceTable | None = None
) -> RunResult:
    """One run, measured."""
    return measure(live_run(settings, out, prices=prices))


def live_run(
    settings: Settings,
    out: Path | None,
    progress: Progress | None = None,
    prices: PriceTable | None = None,
) -> Run:
    """One run; with `out` its log is there, message by message, while it goes on.

    Raises ValueError where another one is being saved in the same folder.
    """
    if out is None:
        return run_batch(settings, progress=progress, table=prices)
    folder = out / run_name(settings)
    with begin_run(folder, settings) as log:
        done = run_batch(settings, progress=progress, heard=log.append, table=prices)
        end_run(folder, settings, measure(done).as_json())
    return done
