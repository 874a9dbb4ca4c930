"""Routes: which handler answers which path.

A pattern such as `/orders/{id}` matches one segment per name. Patterns are
looked at in the order in which they were added, and a path that exists for
another method gets status 405 and the list of methods.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from web.messages import Request, Response, error

Handler = Callable[..., Response]
NAME = re.compile(r"\{([a-z_]+)\}")


@dataclass(frozen=True)
class Route:
    """A method, a pattern and the handler behind them."""

    method: str
    pattern: str
    handler: Handler

    def match(self, path: str) -> dict[str, str] | None:
        """The named segments of a path, or None where it does not match."""
        names = NAME.findall(self.pattern)
        regex = "([^/]+)".join(re.escape(part) for part in NAME.split(self.pattern)[::2])
        found = re.fullmatch(regex, path)
        return dict(zip(names, found.groups(), strict=True)) if found else None


@dataclass
class Router:
    """A list of routes."""

    routes: list[Route] = field(default_factory=list)

    def add(self, method: str, pattern: str, handler: Handler) -> None:
        """Add a route; the same method and pattern twice is a mistake."""
        names = NAME.findall(pattern)
        if len(set(names)) != len(names):
            raise ValueError(f"{pattern} uses a name twice")
        for route in self.routes:
            if (route.method, route.pattern) == (method, pattern):
                raise ValueError(f"{method} {pattern} is taken")
        self.routes.append(Route(method, pattern, handler))

    def dispatch(self, request: Request) -> Response:
        """Answer a request with the first route that matches it."""
        path = request.path.rstrip("/") or "/"
        allowed = []
        for route in self.routes:
            names = route.match(path)
            if names is None:
                continue
            if route.method == request.method:
                return route.handler(request, **names)
            allowed.append(route.method)
        if allowed:
            methods = ", ".join(sorted(set(allowed)))
            refusal = error(405, "method_not_allowed")
            return Response(405, refusal.data, (("Allow", methods),))
        return error(404, "not_found")

    def table(self) -> list[str]:
        """The routes as text, for the log at start."""
        width = max((len(route.method) for route in self.routes), default=0)
        return [f"{route.method:<{width}} {route.pattern}" for route in self.routes]
