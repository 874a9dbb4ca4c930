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

    def __post_init__(self) -> None:
        if isinstance(self.texts, str) or not all(isinstance(text, str) for text in self.texts):
            raise ValueError(f"texts: expected a tuple of texts, got {self.texts!r}")

    def build(self, request: Request, state: PolicyState) -> Built:
        """The same request with the texts among its pins."""
        pins = dict.fromkeys((*request.pins, *self.texts))
        return Built(replace(request, pins=tuple(pins)), state)
