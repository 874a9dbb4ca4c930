"""A model that says what was written for it beforehand, whatever it is asked.

It makes a run that can be made again; it knows nothing and decides nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from patch_agent.messages import Message
from patch_agent.models.protocol import ModelError


class ScriptEnded(ModelError):
    """The script has no further reply."""


class ScriptedModel:
    """Gives the replies of a script in order; `start` of them were given in an earlier run."""

    def __init__(self, script: Sequence[Message], start: int = 0) -> None:
        self._script = tuple(script)
        self._given = start

    def reply(self, wire: Mapping[str, Any]) -> Message:
        """The next reply of the script. Raises ScriptEnded."""
        if self._given >= len(self._script):
            raise ScriptEnded(f"the script ends after {len(self._script)} replies")
        self._given += 1
        return self._script[self._given - 1]
