"""Order and choice of tests: those in a browser last or, with BROWSER=0, not at all.

With several workers (`pytest -n 2 --dist loadgroup`, as `make test` does) the browser tests come
first and stay with one worker, which starts each server once; the others take the rest.
"""

import os
from pathlib import Path

import pytest

BROWSER_TESTS = Path(__file__).parent / "browser"
WITHOUT_BROWSER = os.environ.get("BROWSER") == "0"
IS_WORKER = "PYTEST_XDIST_WORKER" in os.environ


@pytest.hookimpl(tryfirst=True)  # before the workers read the groups
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Playwright's event loop bothers other loops: in one process it starts after all of them."""
    in_browser = [item for item in items if BROWSER_TESTS in item.path.parents]
    others = [item for item in items if BROWSER_TESTS not in item.path.parents]
    if WITHOUT_BROWSER:
        config.hook.pytest_deselected(items=in_browser)
        in_browser = []
    for item in in_browser:
        item.add_marker(pytest.mark.xdist_group("browser"))
    items[:] = in_browser + others if IS_WORKER else others + in_browser


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Says which tests did not run."""
    if WITHOUT_BROWSER:
        terminalreporter.write_line("The browser tests were left out (BROWSER=0).", yellow=True)
