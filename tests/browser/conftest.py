"""What the browser tests share: Chromium, the built site, JupyterLab, Voila, watched pages."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from book._tools.build import build
from book._tools.serve import Server
from patch_agent.catalogue import load_catalogue, text_script
from tests.browser import chromium, hosts
from tests.browser.watch import Watch
from widgets.page import page_html

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
FORGET = "() => { if (origin !== 'null' || location.protocol === 'file:') localStorage.clear(); }"


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


@pytest.fixture(scope="session")
def context(browser: Browser) -> BrowserContext:
    """One profile for all pages: what they have in common is loaded and compiled once."""
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    context.set_default_timeout(hosts.WAIT)
    context.new_page()  # without any page its processes and their caches would go
    return context


@pytest.fixture
def open_page(context: BrowserContext) -> Iterator[Callable[..., Page]]:
    """Opens pages: open_page(address, width=1280, height=800, dark=False, allowed=()).

    After the test each of them must have written no error to the console, but for those that
    contain an `allowed` text, and have asked nothing of another host. `page.watch` is its Watch.
    What a page stored is gone with it.
    """
    pages: list[Page] = []

    def open_one(
        address: str,
        width: int = 1280,
        height: int = 800,
        dark: bool = False,
        allowed: tuple[str, ...] = (),
    ) -> Page:
        page = context.new_page()
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme="dark" if dark else "light")
        page.watch = Watch(allowed=allowed)  # type: ignore[attr-defined]
        page.watch.on(page)  # type: ignore[attr-defined]
        pages.append(page)
        page.goto(address)
        return page

    yield open_one
    for page in pages:
        page.evaluate(FORGET)
        page.close()
    context.clear_cookies()
    problems = [problem for page in pages for problem in page.watch.problems]  # type: ignore[attr-defined]
    if problems:
        pytest.fail("\n".join(problems), pytrace=False)


@pytest.fixture
def open_without(open_page: Callable[..., Page]) -> Callable[[str, str], Page]:
    """Opens a page that lacks a file until page.unroute_all(): open_without(address, file)."""

    def open_one(address: str, file: str) -> Page:
        page = open_page("about:blank", allowed=("Failed to load resource", "ERR_FAILED"))
        page.route(f"**/{file}", lambda route: route.abort())
        page.goto(address)
        return page

    return open_one


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


@pytest.fixture(params=["http", "file"])
def chapter(request: pytest.FixtureRequest, site: str, site_folder: Path) -> str:
    """The address of the chapter's page, from a server and from a file."""
    page = "book/context.html"
    return f"{site}/{page}" if request.param == "http" else (site_folder / page).as_uri()


@pytest.fixture(scope="session")
def bare(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A page that holds only the widget, as wide as the window less 32 pixels."""
    folder = tmp_path_factory.mktemp("bare")
    page = folder / "index.html"
    page.write_text(
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Widget</title>'
        "<style>body { margin: 16px; font: 16px/1.6 system-ui; color-scheme: light dark;"
        " background: light-dark(#fff, #14181e); color: light-dark(#222, #ddd) }</style>"
        f"<main><h1>Widget</h1><h2>Alone</h2>{page_html(load_catalogue())}</main>"
    )
    name, script = text_script()
    (folder / "_static").mkdir()
    (folder / "_static" / name).write_text(script)
    return page.as_uri()
