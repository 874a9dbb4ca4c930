"""Order and choice of tests: quick ones first, those in a browser last or, with BROWSER=0, not."""

import os
from pathlib import Path

import pytest

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


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Says which tests did not run."""
    if WITHOUT_BROWSER:
        terminalreporter.write_line("The browser tests were left out (BROWSER=0).", yellow=True)
