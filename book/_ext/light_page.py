"""Sphinx extension: takes from the built pages whatever they do not use, and mends their landmarks.

A bare Jupyter Book page loads 850 KB, most of it an icon font. This runs once, after the build: it
drops scripts, style rules and files that no page needs, leaves tooltips to the browser and names
the regions of a page for screen readers. The icons that remain are drawn by
``book/_static/icons.css``. It changes no text.
"""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from sphinx.application import Sphinx

UNUSED = (
    "fontawesome",
    "thebe",
    "togglebutton",
    "design-tabs",
    "webpack-macros",
    "play-solid",
    "bootstrap.js",  # tooltips alone, for which it looks through the page at each press of a key
)
SEARCH = ("searchtools.js", "language_data.js", "searchindex.js")
UNUSED_FILES = ("**/*.map", "_static/images/logo_*", "_static/locales", "_static/vendor")

_SCRIPT = re.compile(r"[ \t]*<script\b(?P<head>[^>]*)>(?P<body>.*?)</script>[ \t]*\n?", re.DOTALL)
_LINK = re.compile(r"[ \t]*<link\b(?P<head>[^>]*)>[ \t]*\n?")
_ADDRESS = re.compile(r'\b(?:src|href)="([^"]*)"')
_UNUSED_BODY = re.compile(r"\s*(let toggle|var togglebutton|const THEBE|kernelName\b)")
_SOURCE_MAP = re.compile(r"\n?(?://|/\*)# sourceMappingURL=\S+( \*/)?")

_TOOLTIP = re.compile(r' +data-bs-(?P<which>toggle|placement|title)="(?P<words>[^"]*)"')

# What a screen reader calls the regions that the theme leaves without a name.
_NAMES = {
    '<div id="pst-primary-sidebar"': 'role="region" aria-label="Book"',
    '<dialog id="pst-primary-sidebar-modal"': 'aria-label="Book"',
    '<dialog id="pst-secondary-sidebar-modal"': 'aria-label="On this page"',
    '<dialog id="pst-search-dialog"': 'aria-label="Search"',
}


def trim_html(page: str, *, search: bool = False) -> str:
    """The page without the tags that load what it does not use; `search` keeps search scripts."""
    unused = UNUSED if search else UNUSED + SEARCH

    def keep(tag: re.Match[str]) -> str:
        head, body = tag["head"], tag.groupdict().get("body") or ""
        address = "".join(_ADDRESS.findall(head))
        loads_unused = any(name in address for name in unused) or "x-thebe-config" in head
        return "" if loads_unused or _UNUSED_BODY.match(body) else tag[0]

    def titled(attribute: re.Match[str]) -> str:
        return f' title="{attribute["words"]}"' if attribute["which"] == "title" else ""

    page = _TOOLTIP.sub(titled, _LINK.sub(keep, _SCRIPT.sub(keep, page)))
    for tag, name in _NAMES.items():
        page = page.replace(tag, f"{tag} {name}")
    return page


def trim_css(sheet: str) -> str:
    """The style sheet without the rules of the icon font (1,900 of the theme's 4,900)."""
    return "".join(rule for rule in _rules(sheet) if not _is_icon_font(rule))


def _rules(sheet: str) -> Iterator[str]:
    """The top-level rules of a style sheet in order, each with what stands before it."""
    start = depth = 0
    for mark in re.finditer(r"[{}]", sheet):
        depth += 1 if mark[0] == "{" else -1
        if depth == 0:
            yield sheet[start : mark.end()]
            start = mark.end()
    yield sheet[start:]


def _is_icon_font(rule: str) -> bool:
    selector, _, body = re.sub(r"/\*.*?\*/", "", rule, flags=re.DOTALL).strip().partition("{")
    if selector.startswith("@font-face"):
        return "Font Awesome" in body or "FontAwesome" in body
    return bool(re.match(r"@(-webkit-)?keyframes fa-|\.(fa|fas|far|fab|fa-[\w-]+)\b", selector))


def _trim_site(app: Sphinx, failure: Exception | None) -> None:
    if failure or app.builder.format != "html":
        return
    site = Path(app.outdir)
    for pattern in (*UNUSED_FILES, *(f"_static/**/*{name}*" for name in UNUSED)):
        for path in sorted(site.glob(pattern)):
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    for path in site.rglob("*"):
        if path.suffix in (".html", ".css", ".js"):
            _rewrite(path)


def _rewrite(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".html":
        trimmed = trim_html(text, search=path.name == "search.html")
    else:
        trimmed = _SOURCE_MAP.sub("", text)
        if path.suffix == ".css" and path.parent.name == "styles":  # the theme's own
            trimmed = trim_css(trimmed)
    if trimmed != text:
        path.write_text(trimmed, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("build-finished", _trim_site, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
