"""Serves the built site on 127.0.0.1, compressed as a real host would send it.

It is for reading and for tests on one computer, not for the open network.
"""

import gzip
import os
from functools import lru_cache
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

COMPRESSED = (".html", ".css", ".js", ".json", ".svg", ".txt", ".md", ".ipynb")


@lru_cache(maxsize=512)
def compressed(path: Path, changed: int) -> bytes:
    """A file's bytes, gzipped; `changed` is its time of change in nanoseconds."""
    return gzip.compress(path.read_bytes(), compresslevel=9, mtime=0)


class Handler(SimpleHTTPRequestHandler):
    """Sends files of one folder, gzipped where the browser takes that."""

    protocol_version = "HTTP/1.1"
    extensions_map = SimpleHTTPRequestHandler.extensions_map | {".js": "text/javascript"}

    def send_head(self) -> BytesIO | BinaryIO | None:
        path = Path(self.translate_path(self.path))
        try:
            path.stat()
        except (OSError, ValueError):  # no such file, a name that is too long, a NUL in it
            self.send_error(HTTPStatus.NOT_FOUND)
            return None
        if path.is_dir() and self.path.split("?")[0].endswith("/"):
            path /= "index.html"
        takes_gzip = "gzip" in self.headers.get("Accept-Encoding", "")
        if not (path.is_file() and path.suffix in COMPRESSED and takes_gzip):
            return super().send_head()
        body = compressed(path, path.stat().st_mtime_ns)
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", f"{self.guess_type(path)}; charset=utf-8")
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        return BytesIO(body)

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-cache")
        self.send_header("Vary", "Accept-Encoding")
        super().end_headers()

    def log_message(self, *_: object) -> None:
        """Says nothing: the address is all that a reader needs."""


class Server(ThreadingHTTPServer):
    """A server of one folder on this computer only."""

    daemon_threads = True
    allow_reuse_address = os.name == "posix"

    def __init__(self, folder: Path, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.folder = folder

    def finish_request(self, request, client_address) -> None:  # type: ignore[no-untyped-def]
        Handler(request, client_address, self, directory=str(self.folder))

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


def open_server(folder: Path, port: int, tries: int = 50) -> Server:
    """A server on the first free port from `port` on."""
    for number in range(port, port + tries):
        try:
            return Server(folder, number)
        except OSError:
            continue
    raise SystemExit(f"no free port from {port} to {port + tries - 1}; set PORT to another number")
