"""A page that is watched: what it said to the console, what it asked of other hosts."""

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import ConsoleMessage, Error, Page

LOCAL_SCHEMES = ("file", "data", "blob", "about")


@dataclass
class Watch:
    """What went wrong on one page so far. `allowed` are parts of console errors to let pass."""

    errors: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    allowed: tuple[str, ...] = ()

    def on(self, page: Page) -> None:
        page.on("console", self._console)
        page.on("pageerror", self._error)
        page.on("request", lambda request: self._request(request.url))
        page.on("websocket", lambda websocket: self._request(websocket.url))

    @property
    def problems(self) -> list[str]:
        shown = [e for e in self.errors if not any(part in e for part in self.allowed)]
        return shown + [f"asked another host: {url}" for url in self.foreign]

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.errors.append(f"{message.text} ({message.location.get('url', '')})")

    def _error(self, error: Error) -> None:
        self.errors.append(str(error))

    def _request(self, url: str) -> None:
        self.requests.append(url)
        parts = urlsplit(url)
        if parts.hostname != "127.0.0.1" and parts.scheme not in LOCAL_SCHEMES:
            self.foreign.append(url)


def violations(page: Page, within: str = "main") -> list[str]:
    """What axe objects to inside the first element that a selector finds, one line each."""
    # preload would fetch every style sheet again, some by a wrong address; and what is in order
    # needs no address in the report, which would take twice as long as all rules together
    options = {"preload": False, "resultTypes": ["violations"]}
    found = Axe().run(page, context=within, options=options).response["violations"]
    return [
        f"{rule['id']}: {node['target']} {node['failureSummary']}"
        for rule in found
        for node in rule["nodes"]
    ]
