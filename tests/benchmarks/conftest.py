"""Benchmarks print what they measure and compare it with nothing: `make bench` runs them all.

A file is named bench_*.py, a function test_*; `timed` and the fixture `say` are what they share.
"""

import statistics
import time
from collections.abc import Callable

import pytest

from tests.browser.conftest import browser, open_page, site, site_folder  # noqa: F401

SAID = pytest.StashKey[list[str]]()


def timed(work: Callable[[], object], repeats: int = 100) -> tuple[float, float]:
    """The median and the 95th percentile of `repeats` runs, in milliseconds."""
    taken = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        taken.append((time.perf_counter() - start) * 1000)
    return statistics.median(taken), statistics.quantiles(taken, n=20)[-1]


@pytest.fixture
def say(request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Keeps a measured line; all of them are printed at the end."""
    return request.config.stash.setdefault(SAID, []).append


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Prints what was measured."""
    for line in terminalreporter.config.stash.get(SAID, []):
        terminalreporter.write_line(line)
