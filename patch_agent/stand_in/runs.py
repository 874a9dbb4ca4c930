"""What pytest printed: which tests failed, and with which words. Only its own lines count.

A saved output that was read again has a number and a tab before each line; that counts too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from patch_agent.stand_in.paths import same_test

_FAILED = re.compile(
    r"^(?:\d+\t)?(?:FAILED|ERROR) (?P<id>\S+?)(?: - (?P<words>.*))?$", re.MULTILINE
)
_TITLE = re.compile(r"^(?:\d+\t)?_{2,} (?P<name>[^_].*?) _{2,}$", re.MULTILINE)
_ERROR = re.compile(r"^(?:\d+\t)?E  +(?P<words>\S.*)$", re.MULTILINE)
_COUNT = re.compile(r"\b(\d+) (passed|failed|errors?)\b")
_CLOSING = re.compile(r"^=* ?(?:\d+ [a-z]+(?:, )?)+(?: in [\d.]+s)? ?=*$")
_PREFIX = re.compile(r"^(?:AssertionError|Failed): ")


@dataclass(frozen=True, slots=True)
class Failure:
    """A failed test, pytest's words for it, and the span of those words."""

    test: str
    words: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class TestRun:
    """Counts and failures of one output of pytest."""

    __test__ = False

    passed: int
    failed: int
    failures: tuple[Failure, ...]

    @property
    def green(self) -> bool:
        """Something ran and nothing failed."""
        return self.passed > 0 and self.failed == 0

    @property
    def named(self) -> bool:
        """Every failure is named; in an output that was cut, some may not be."""
        return self.failed <= len(self.failures)

    def of(self, test: str) -> Failure | None:
        """The failure of one test, if it is among them."""
        return next((f for f in self.failures if same_test(f.test, test)), None)


@lru_cache(maxsize=2048)
def test_run(text: str) -> TestRun | None:
    """The run that a text prints; None where it is no output of pytest."""
    failures = tuple(_failure(text, match) for match in _FAILED.finditer(text))
    last = text.rstrip().rpartition("\n")[2].strip()
    counts = (
        {k.rstrip("s"): int(n[:9]) for n, k in _COUNT.findall(last)} if _CLOSING.match(last) else {}
    )
    if not counts and not failures:
        return None
    failed = counts.get("failed", 0) + counts.get("error", 0)
    return TestRun(counts.get("passed", 0), max(failed, len(failures)), failures)


test_run.__test__ = False  # type: ignore[attr-defined]


def _failure(text: str, match: re.Match[str]) -> Failure:
    """pytest shortens the words in its closing list; the block of the test has all of them."""
    name = match["id"].rpartition("::")[2]
    block = _block(text, name)
    error = _ERROR.search(text, *block) if block else None
    found, group = (error, "words") if error else (match, "words")
    words = found[group] or ""
    start = found.start(group) if words else match.start()
    lead = _PREFIX.match(words)
    cut = lead.end() if lead else 0
    end = start + len(words) if words else match.end()
    return Failure(match["id"], words[cut:].rstrip(), start + cut, end)


def _block(text: str, name: str) -> tuple[int, int] | None:
    titles = list(_TITLE.finditer(text))
    for title, after in zip(titles, [*titles[1:], None], strict=False):
        if title["name"].rpartition(".")[2] == name:
            return title.end(), after.start() if after else len(text)
    return None
