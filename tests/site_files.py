"""Reads the built site as a browser would, without one: which files does a page load?"""

import gzip
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

LOADING = {
    "script": "src",
    "img": "src",
    "iframe": "src",
    "source": "src",
    "video": "src",
    "audio": "src",
    "embed": "src",
    "object": "data",
    "link": "href",
    "use": "href",
    "image": "href",
}
LOADING_LINKS = {"stylesheet", "icon", "preload", "modulepreload", "preconnect", "dns-prefetch"}
_IN_CSS = re.compile(r"""@import\s+["']([^"']+)|url\(\s*["']?([^"')]+)""")


class _Page(HTMLParser):
    """Collects the addresses that the tags of a page load."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag == "link" and not LOADING_LINKS & set((values.get("rel") or "").split()):
            return
        if address := values.get(LOADING.get(tag, "")):
            self.addresses.append(address)
        if "srcset" in values:
            self.addresses += re.findall(r"(\S+)(?:\s+[\d.]+[wx])?,?", values["srcset"] or "")
        self.addresses += _css_addresses(values.get("style") or "")

    def handle_data(self, data: str) -> None:
        if self.lasttag == "style":
            self.addresses += _css_addresses(data)


def _css_addresses(text: str) -> list[str]:
    plain = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    return [first or second for first, second in _IN_CSS.findall(plain)]


def addresses(file: Path) -> list[str]:
    """The addresses that one page or style sheet loads, as they are written there."""
    if file.suffix == ".html":
        return _Page(file).addresses
    if file.suffix in (".css", ".svg"):
        return _css_addresses(file.read_text(encoding="utf-8"))
    return []


def loaded(page: Path) -> set[Path]:
    """A page and every file of the site that it loads, through its style sheets too."""
    found, waiting = {page}, [page]
    while waiting:
        file = waiting.pop()
        for address in addresses(file):
            parts = urlsplit(urljoin(file.as_uri(), address))
            if parts.scheme == "file":
                target = Path(unquote(parts.path))
                if target not in found:
                    found.add(target)
                    waiting.append(target)
    return found


def weight(files: set[Path]) -> int:
    """The bytes that some files take on the wire: text gzipped, pictures as they are."""
    text = {".html", ".css", ".js", ".json", ".svg"}
    sizes = (file.read_bytes() for file in files)
    return sum(
        len(gzip.compress(body, 9)) if file.suffix in text else len(body)
        for file, body in zip(files, sizes, strict=True)
    )
