"""Many runs, one after the other or over several cores; the results are the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product

from patch_agent.triage.results import RunResult, measure
from patch_agent.triage.run import run_batch
from patch_agent.triage.settings import LIMIT, Settings

Finished = Callable[[int, int, RunResult], None]
"""Is told of each run as it ends: how many are done, of how many, and the run."""


def jobs(
    policies: Iterable[str], seeds: Iterable[int], world: int = 1, limit: int = LIMIT
) -> tuple[Settings, ...]:
    """Each policy with each seed."""
    return tuple(Settings(name, seed, world, limit) for name, seed in product(policies, seeds))


def sweep(
    settings: Sequence[Settings], cores: int = 1, finished: Finished | None = None
) -> tuple[RunResult, ...]:
    """The results in the order of the settings. Raises ValueError where joblib is missing."""
    results = []
    for result in _results(settings, cores):
        results.append(result)
        if finished is not None:
            finished(len(results), len(settings), result)
    return tuple(results)


def _results(settings: Sequence[Settings], cores: int) -> Iterator[RunResult]:
    if cores <= 1:
        yield from map(run_one, settings)
        return
    try:
        from joblib import Parallel, delayed  # type: ignore[import-untyped]
    except ImportError:
        raise ValueError(f"cores: {cores} need joblib, which is not installed; use 1") from None
    yield from Parallel(n_jobs=cores, return_as="generator")(
        delayed(run_one)(one) for one in settings
    )


def run_one(settings: Settings) -> RunResult:
    """One run, measured."""
    return measure(run_batch(settings))
