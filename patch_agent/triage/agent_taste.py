"""How a stand-in likes to work: drawn from its seed and the thing that it looks at.

Never from a step's number or from a request as a whole: then one and the same agent would decide
differently about one and the same thing, and duplicates would come from the dice and not from
what is missing in a request.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from functools import lru_cache

BATCH = (8, 99)
"""Reports that are read in one step, fewest and most, evenly by their logarithm."""
GROUPS = (2, 9)
"""Causes that are dealt with in one step."""
FILES = (2, 6)
"""Source files that are read in one step."""
TRUSTS = 0.25
"""Share of causes whose line is taken from a report without a look at the sources."""
HURRIES = 0.25
"""Share of causes that are filed without a search where no issue is known."""
TALKS = (0.2, 0.9)
"""Share of the reports just read that are told at once, before they are dealt with."""
DOUBTS = 0.05
"""Share of causes for which a reproduction is run."""
NOTES = (0.0, 0.4)
"""Share of filed causes on which a note is saved."""


@lru_cache(maxsize=65536)
def _draw(seed: int, *thing: str) -> float:
    """A number from 0 to 1, the same for the same seed and thing."""
    text = "\n".join((str(seed), *thing))
    return int.from_bytes(hashlib.sha256(text.encode("utf-8")).digest()[:6], "big") / 2**48


@dataclass(frozen=True, slots=True)
class Taste:
    """The habits of one stand-in."""

    seed: int

    def _between(self, what: str, least: float, most: float) -> float:
        return least + (most - least) * _draw(self.seed, what)

    @property
    def batch(self) -> int:
        """Reports read in one step."""
        least, most = BATCH
        share = _draw(self.seed, "batch")
        return round(math.exp(math.log(least) + math.log(most / least) * share))

    @property
    def groups(self) -> int:
        """Causes dealt with in one step."""
        return round(self._between("groups", GROUPS[0] - 0.49, GROUPS[1] + 0.49))

    @property
    def files(self) -> int:
        """Files read in one step."""
        return round(self._between("files", FILES[0] - 0.49, FILES[1] + 0.49))

    def trusts(self, cause: str) -> bool:
        """True where a report's own line will do."""
        return _draw(self.seed, "trusts", cause) < TRUSTS

    def hurries(self, cause: str) -> bool:
        """True where no search is made before filing."""
        return _draw(self.seed, "hurries", cause) < HURRIES

    def doubts(self, cause: str) -> bool:
        """True where a reproduction is run as well."""
        return _draw(self.seed, "doubts", cause) < DOUBTS

    def tells(self, report: str) -> bool:
        """True where a report is told as soon as it is read."""
        return _draw(self.seed, "tells", report) < self._between("talks", *TALKS)

    def notes(self, cause: str) -> bool:
        """True where a note is saved on a cause once it is filed."""
        return _draw(self.seed, "notes", cause) < self._between("writes", *NOTES)
