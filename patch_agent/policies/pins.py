"""Pin: text that has to be in every request, byte for byte, whatever other policies do."""

from __future__ import annotations

from dataclasses import dataclass, replace

from patch_agent.policies.base import Built
from patch_agent.policies.state import PolicyState
from patch_agent.request import Request


@dataclass(frozen=True, slots=True)
class Pin:
    """Pins these texts; later policies keep the messages that carry them."""

    texts: tuple[str, ...]

    def build(self, request: Request, state: PolicyState) -> Built:
        """The same request with the texts among its pins."""
        pins = dict.fromkeys((*request.pins, *self.texts))
        return Built(replace(request, pins=tuple(pins)), state)
