"""What the browser tests share: Chromium, the built site, JupyterLab, Voila, watched pages."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from book._tools.build import build
from book._tools.serve import Server
from tests.browser import chromium, hosts
from tests.browser.watch import Watch

ROOT = Path(__file__).resolve().parents[2]
SCREENSHOTS = ROOT / "_build" / "screenshots"
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A headless Chromium."""
    path = chromium.find()
    if path is None:
        pytest.fail(chromium.HINT, pytrace=False)
    expect.set_options(timeout=30_000)  # milliseconds: a busy machine is no failure
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Opens pages: open_page(address, width=1280, height=800, dark=False, allowed=()).

    After the test each of them must have written no error to the console, but for those that
    contain an `allowed` text, and have asked nothing of another host. `page.watch` is its Watch.
    """
    watches, contexts = [], []

    def open_one(
        address: str,
        width: int = 1280,
        height: int = 800,
        dark: bool = False,
        allowed: tuple[str, ...] = (),
    ) -> Page:
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            permissions=["clipboard-read", "clipboard-write"],
        )
        context.set_default_timeout(hosts.WAIT)
        contexts.append(context)
        page = context.new_page()
        page.watch = Watch(allowed=allowed)  # type: ignore[attr-defined]
        page.watch.on(page)  # type: ignore[attr-defined]
        watches.append(page.watch)  # type: ignore[attr-defined]
        page.goto(address)
        return page

    yield open_one
    for context in contexts:
        context.close()
    problems = [problem for watch in watches for problem in watch.problems]
    if problems:
        pytest.fail("\n".join(problems), pytrace=False)


@pytest.fixture(scope="session")
def site_folder() -> Path:
    """The built site, built anew where it is stale."""
    return build()


@pytest.fixture(scope="session")
def site(site_folder: Path) -> Iterator[str]:
    """The address of the built site, served with compression."""
    server = Server(site_folder)
    Thread(target=server.serve_forever, daemon=True).start()
    yield server.address
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="session")
def notebooks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the notebooks, and of those that only the tests use."""
    folder = tmp_path_factory.mktemp("notebooks")
    for source in (ROOT / "notebooks", ROOT / "tests" / "browser" / "notebooks"):
        if source.is_dir():
            shutil.copytree(source, folder, dirs_exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def lab(notebooks: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of JupyterLab: hosts.in_lab makes that of a notebook."""
    with hosts.lab(notebooks, tmp_path_factory.mktemp("lab")) as address:
        yield address


@pytest.fixture(scope="session")
def voila(notebooks: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of Voila: a notebook is at /voila/render/NAME.ipynb."""
    with hosts.voila(notebooks, tmp_path_factory.mktemp("voila")) as address:
        yield address


@pytest.fixture
def in_lab(open_page: Callable[..., Page], lab: str, notebook: str) -> Page:
    """A test module's own `notebook` in JupyterLab, its cells run."""
    page = open_page(hosts.in_lab(lab, notebook), width=1280, height=900)
    hosts.run_all(page)
    return page


@pytest.fixture
def in_voila(open_page: Callable[..., Page], voila: str, notebook: str) -> Page:
    """A test module's own `notebook` in Voila."""
    return open_page(f"{voila}/voila/render/{notebook}", width=1280, height=900)


@pytest.fixture
def shot() -> Callable[[Page, str], Path]:
    """Takes a picture of a page into _build/screenshots/NAME.png: shot(page, name, full=False)."""

    def take(page: Page, name: str, full: bool = False) -> Path:
        path = SCREENSHOTS / f"{name}.png"
        page.screenshot(path=path, full_page=full, animations="disabled")
        return path

    return take
