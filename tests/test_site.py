"""The built site as files: how much a page loads, what it asks of other hosts, what is trimmed."""

import gzip
import re
import socket
import subprocess
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Thread

import pytest

import book._tools.build as building
from book._ext.light_page import trim_css, trim_html
from book._tools.build import build
from book._tools.serve import Server, open_server
from tests.site_files import addresses, loaded, weight

LIMIT = 250 * 1024
# Addresses inside the scripts of others that name a licence, a source or a namespace.
NAMED_IN_SCRIPTS = re.compile(
    r"https?://(www\.w3\.org|github\.com|clipboardjs\.com|m2\.material\.io"
    r"|developer\.mozilla\.org|pydata-sphinx-theme\.readthedocs\.io)\b"
)


@pytest.fixture(scope="module")
def site() -> Path:
    return build()


@pytest.mark.parametrize("page", ["context", "policies"])
def test_a_page_with_a_widget_is_light(site: Path, page: str) -> None:
    files = loaded(site / "book" / f"{page}.html")
    assert len(files) > 10
    assert all(file.is_file() for file in files), [file for file in files if not file.is_file()]
    total = weight(files)
    print(f"the page {page} loads {total:,} bytes in {len(files)} files")
    assert total <= LIMIT


def test_no_page_asks_another_host(site: Path) -> None:
    files = [file for file in site.rglob("*") if file.suffix in (".html", ".css", ".svg")]
    foreign = [
        (file.name, address)
        for file in files
        for address in addresses(file)
        if re.match(r"(https?:)?//", address)
    ]
    assert len(files) > 10
    assert foreign == []


def test_no_script_names_an_unknown_host(site: Path) -> None:
    scripts = [*site.rglob("*.js")]
    address = re.compile(r"https?://[\w.-]+")
    named = [(file.name, url) for file in scripts for url in address.findall(file.read_text())]
    assert scripts
    assert [(name, url) for name, url in named if not NAMED_IN_SCRIPTS.match(url)] == []


def test_nothing_is_left_of_what_pages_do_not_use(site: Path) -> None:
    names = [file.name.lower() for file in site.rglob("*") if file.is_file()]
    left = [n for n in names if re.search(r"\.map$|fontawesome|fa-\w+-\d|mathjax|thebe|require", n)]
    assert left == []


def test_only_the_search_page_loads_the_index(site: Path) -> None:
    pages = {file.name: {f.name for f in loaded(file)} for file in site.rglob("*.html")}
    with_index = {page for page, files in pages.items() if "searchindex.js" in files}
    assert with_index == {"search.html"}


def test_trimming_takes_only_what_is_named() -> None:
    keep = '<script src="../_static/doctools.js"></script>\n<script>let state = 1</script>\n'
    drop = (
        '<script async src="../_static/sphinx-thebe.js?v=1"></script>\n'
        "<script>const THEBE_JS_URL = 'https://unpkg.com/x'</script>\n"
        '<link rel="stylesheet" href="togglebutton.css" />\n'
        '<script type="text/x-thebe-config">{ "a": 1 }</script>\n'
    )
    search = '<script src="searchindex.js"></script>\n'
    assert trim_html(keep + drop + search) == keep
    assert trim_html(keep + drop + search, search=True) == keep + search


def test_tooltips_are_left_to_the_browser(site: Path) -> None:
    button = '<button class="btn" data-bs-title="Color mode"  data-bs-toggle="tooltip">'
    assert trim_html(button) == '<button class="btn" title="Color mode">'
    assert trim_html("<p>data-bs-title</p>") == "<p>data-bs-title</p>"
    assert "data-bs-" not in (site / "book" / "context.html").read_text(encoding="utf-8")


def test_trimming_a_style_sheet_keeps_every_other_rule() -> None:
    keep = "a{b:c}@media (x){.fa{d:e}p{f:g}}nav .fa-bars{h:i}"
    drop = '.fa-bars:before{content:"x"}@font-face{font-family:"Font Awesome 6 Free";src:url(x)}'
    assert trim_css(keep + drop + "@keyframes fa-spin{0%{j:k}to{l:m}}.fancy{n:o}") == keep + (
        ".fancy{n:o}"
    )


def test_the_server_compresses_and_stays_in_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "index.html").write_text("long text " * 1000)
    (tmp_path / "secret.html").write_text("not for reading")
    server = Server(folder)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        request = urllib.request.Request(server.address, headers={"Accept-Encoding": "gzip"})
        with urllib.request.urlopen(request) as answer:
            body = answer.read()
            assert answer.headers["Content-Encoding"] == "gzip"
        assert len(body) < 200
        assert gzip.decompress(body) == (folder / "index.html").read_bytes()
        with urllib.request.urlopen(server.address) as answer:
            assert answer.read() == (folder / "index.html").read_bytes()
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(f"{server.address}/../secret.html")
        for name in ("%00", "index.html%00", "a" * 5000, "%ff", "%e0%a4%a", "gone/"):
            with pytest.raises(urllib.error.HTTPError, match="404"):
                urllib.request.urlopen(f"{server.address}/{name}")
    finally:
        server.shutdown()
        server.server_close()


def test_two_builds_at_once_are_made_one_after_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("fcntl")
    running: list[int] = []
    most: list[int] = []

    def run(*_: object, **__: object) -> subprocess.CompletedProcess[str]:
        running.append(1)
        most.append(len(running))
        time.sleep(0.2)
        (tmp_path / "_build/html").mkdir(parents=True)
        running.pop()
        return subprocess.CompletedProcess([], 0, "")

    monkeypatch.setattr(building, "ROOT", tmp_path)
    monkeypatch.setattr(building, "SITE", tmp_path / "_build/html")
    monkeypatch.setattr(building, "fingerprint", lambda: "the same")
    monkeypatch.setattr(building.subprocess, "run", run)
    with ThreadPoolExecutor(3) as pool:
        sites = list(pool.map(lambda _: building.build(), range(3)))
    assert sites == [tmp_path / "_build/html"] * 3
    assert most == [1]  # the others wait, and then find the book up to date


def test_a_taken_port_moves_on(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        server = open_server(tmp_path, port)
        assert server.server_port > port
        server.server_close()
        with pytest.raises(SystemExit, match="PORT"):
            open_server(tmp_path, port, tries=1)
