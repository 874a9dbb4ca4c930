"""Order and choice of tests: quick ones first, those in a browser last or, with BROWSER=0, not."""

import os
from pathlib import Path

import pytest

BROWSER_TESTS = Path(__file__).parent / "browser"
WITHOUT_BROWSER = os.environ.get("BROWSER") == "0"


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leaves the browser tests out where that is asked for."""
    if WITHOUT_BROWSER and collection_path == BROWSER_TESTS:
        return True
    return None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browser tests last: Playwright's event loop then bothers no other test."""
    items.sort(key=lambda item: BROWSER_TESTS in item.path.parents)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Says which tests did not run."""
    if WITHOUT_BROWSER:
        terminalreporter.write_line("The browser tests were left out (BROWSER=0).", yellow=True)
