"""How long runs of the batch take: one under each policy, and a sweep on one core and on two.

The sweep is timed by the clock, so it means something on a quiet machine only. BATCH_SEEDS=3
makes it a short one.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from patch_agent.triage.run import run_batch
from patch_agent.triage.settings import ALL, EARLY, Settings
from patch_agent.triage.sweep import jobs, sweep
from tests.benchmarks.conftest import Say

ROOT = Path(__file__).resolve().parents[2]
POLICIES = (*ALL, EARLY)
SEEDS = int(os.environ.get("BATCH_SEEDS", "30"))
MEMORY = """
import resource, sys
from joblib import Parallel, delayed
from patch_agent.triage.settings import POLICIES
from patch_agent.triage.sweep import jobs, sweep

def most():
    import os, time
    time.sleep(0.5)  # so that each worker answers once
    return os.getpid(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

sweep(jobs(POLICIES, range(1, int(sys.argv[1]) + 1)), 2)
found = dict(Parallel(2, batch_size=1)(delayed(most)() for _ in range(2)))
assert len(found) == 2
print(sum(found.values()) + most()[1])
"""


@pytest.mark.parametrize("name", POLICIES)
def test_one_run(name: str, say: Say) -> None:
    """The slowest of three, less what its reproductions took."""
    run_batch(Settings(name, 1))
    taken = []
    for seed in (2, 3, 4):
        start = time.process_time()
        done = run_batch(Settings(name, seed))
        taken.append(time.process_time() - start - done.counts.seconds)
    say(f"a run of the batch, {name}: the slowest of three", max(taken), "s", 2)


@pytest.mark.timeout(0)
def test_a_sweep_on_one_core_and_on_two(say: Say) -> None:
    wanted, taken = jobs(POLICIES, range(1, SEEDS + 1)), []
    for cores in (1, 2):
        start = time.perf_counter()
        sweep(wanted, cores)
        taken.append(time.perf_counter() - start)
    what = f"{SEEDS} seeds x {len(POLICIES)} policies"
    say(f"{what} on one core", taken[0], "s")
    say(f"{what} on two cores", taken[1], "s", 180)
    say("  times as long as on one core (1 / 1.8 is wanted)", taken[1] / taken[0], "x", 1 / 1.8)


def test_memory_of_a_sweep_on_two_cores(say: Say) -> None:
    """The most that the three processes ever held, added up; what they share is counted thrice."""
    command = [sys.executable, "-c", MEMORY, str(min(SEEDS, 10))]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    say("memory of a sweep on two cores", int(run.stdout) / 1024, "MB", 500)
