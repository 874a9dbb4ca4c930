"""Requests and responses, as plain values.

A server in front of this code turns HTTP into a Request and a Response back
into HTTP; nothing in here opens a socket.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlsplit

COOKIE = "shop_session"
REASONS = {
    200: "OK",
    201: "Created",
    204: "No Content",
    400: "Bad Request",
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not Found",
    405: "Method Not Allowed",
    409: "Conflict",
    422: "Unprocessable Content",
    429: "Too Many Requests",
}


class BadRequest(ValueError):
    """A request that cannot be read; answered with status 400."""


@dataclass(frozen=True)
class Request:
    """One request; header names are in lower case."""

    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""

    def json(self) -> dict[str, object]:
        """The body as a JSON object; an empty body is an empty object."""
        if not self.body:
            return {}
        try:
            value = json.loads(self.body)
        except ValueError:
            raise BadRequest("body is not JSON") from None
        if not isinstance(value, dict):
            raise BadRequest("body is not a JSON object")
        return value

    @property
    def cookies(self) -> dict[str, str]:
        """Cookies by name; of two with one name the first counts."""
        found: dict[str, str] = {}
        for pair in self.headers.get("cookie", "").split(";"):
            name, equals, value = pair.strip().partition("=")
            if equals:
                found.setdefault(name, value)
        return found

    @property
    def token(self) -> str:
        """The session token: from the cookie, or else from a bearer header."""
        if COOKIE in self.cookies:
            return self.cookies[COOKIE]
        scheme, _, value = self.headers.get("authorization", "").partition(" ")
        return value.strip() if scheme.lower() == "bearer" else ""


@dataclass(frozen=True)
class Response:
    """One response; the body is JSON."""

    status: int
    data: object = None
    headers: tuple[tuple[str, str], ...] = ()

    @property
    def body(self) -> bytes:
        if self.status == 204:
            return b""
        return json.dumps(self.data, ensure_ascii=False, sort_keys=True).encode()

    @property
    def status_line(self) -> str:
        return f"{self.status} {REASONS[self.status]}"

    def header(self, name: str) -> str | None:
        """The first header of this name, in any case."""
        for key, value in self.headers:
            if key.lower() == name.lower():
                return value
        return None


def make_request(
    method: str, target: str, data: object = None, headers: Mapping[str, str] | None = None
) -> Request:
    """A request from its parts, such as `make_request("GET", "/search?q=tea")`."""
    parts = urlsplit(target)
    body = b"" if data is None else json.dumps(data).encode()
    lowered = {name.lower(): value for name, value in (headers or {}).items()}
    return Request(method.upper(), parts.path, dict(parse_qsl(parts.query)), lowered, body)


def error(status: int, code: str, **details: object) -> Response:
    """A response that says what went wrong, with a code that programs can read."""
    return Response(status, {"error": code, **details})


def set_cookie(token: str, seconds: int) -> tuple[str, str]:
    """The header that makes a browser keep a session token."""
    value = f"{COOKIE}={token}; Max-Age={seconds}; Path=/; HttpOnly; Secure; SameSite=Lax"
    return "Set-Cookie", value


def clear_cookie() -> tuple[str, str]:
    """The header that makes a browser forget its session token."""
    return set_cookie("", 0)
