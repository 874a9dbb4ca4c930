"""Benchmarks print what they measure beside a bound and assert nothing: `make bench` runs them all.

A file is named bench_*.py, a function test_*. The table goes to the screen and into
_build/bench/figures.txt. What is compared is measured in the same run. Python's times are CPU
times; those of the page are by the clock, so a busy machine makes them longer: the table begins
with its load.
"""

import os
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.browser.conftest import browser, context, open_page, site, site_folder  # noqa: F401

TABLE = Path(__file__).resolve().parents[2] / "_build" / "bench" / "figures.txt"
WIDTH = 66


@dataclass(frozen=True, slots=True)
class Figure:
    """One measurement; `bound`, in the same unit, is the most that it should be."""

    what: str
    measured: float
    unit: str
    bound: float | None = None

    def __str__(self) -> str:
        line = f"{self.what:<{WIDTH}}{_number(self.measured):>9} {self.unit:<6}"
        if self.bound is None:
            return line.rstrip()
        holds = "holds" if self.measured <= self.bound else "DOES NOT HOLD"
        return f"{line}at most {_number(self.bound):>7}  {holds}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}"


Say = Callable[..., None]
SAID = pytest.StashKey[list[Figure]]()


@pytest.fixture
def say(request: pytest.FixtureRequest) -> Say:
    """Keeps a figure for the table: say(what, measured, unit, bound=None)."""
    figures = request.config.stash.setdefault(SAID, [])

    def keep(what: str, measured: float, unit: str, bound: float | None = None) -> None:
        figures.append(Figure(what, measured, unit, bound))

    return keep


def timed(work: Callable[[], object], repeats: int = 100) -> list[float]:
    """The milliseconds of CPU time that each of `repeats` runs took."""
    taken = []
    for _ in range(repeats):
        start = time.thread_time()
        work()
        taken.append((time.thread_time() - start) * 1000)
    return taken


def percentile_95(values: Sequence[float]) -> float:
    """The 95th percentile."""
    return statistics.quantiles(values, n=20)[-1]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Prints the table and keeps it."""
    figures = terminalreporter.config.stash.get(SAID, [])
    if not figures:
        return
    load = f"{os.getloadavg()[1]:.1f} of {os.cpu_count()} processors busy in the last 5 minutes"
    lines = [load, *map(str, figures)]
    TABLE.parent.mkdir(parents=True, exist_ok=True)
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    for line in lines:
        terminalreporter.write_line(line)
