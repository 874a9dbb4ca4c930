"""What holds for all tests. Those in a browser come last or, with BROWSER=0, not at all.

With several workers (`pytest -n 2`, as `make test` does) one of them takes the browser tests,
all of them, so that each server starts once; the other begins with the rest.
"""

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# No example fails for the time that it took: the machine may be busy.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

BROWSER_TESTS = Path(__file__).parent / "browser"
WITHOUT_BROWSER = os.environ.get("BROWSER") == "0"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Browser tests last: Playwright's event loop then bothers no other test."""
    in_browser = [item for item in items if BROWSER_TESTS in item.path.parents]
    others = [item for item in items if BROWSER_TESTS not in item.path.parents]
    if WITHOUT_BROWSER:
        config.hook.pytest_deselected(items=in_browser)
        in_browser = []
    items[:] = others + in_browser


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Gives out the browser tests as one piece, the largest and so the first; others singly."""
    from xdist.scheduler import LoadScopeScheduling

    class BrowserApart(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return "browser" if nodeid.startswith("tests/browser/") else nodeid

    return BrowserApart(config, log)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Says which tests did not run."""
    if WITHOUT_BROWSER:
        terminalreporter.write_line("The browser tests were left out (BROWSER=0).", yellow=True)
