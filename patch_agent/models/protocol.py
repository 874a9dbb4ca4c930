"""What the agent asks of a model: one reply to one request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from patch_agent.messages import Message


class Model(Protocol):
    """Replies to a request as it goes over the wire; it is given nothing else."""

    def reply(self, wire: Mapping[str, Any]) -> Message | Mapping[str, Any]:
        """The assistant's message, as ours or in wire form. Raises ModelError."""
        ...


class ModelError(RuntimeError):
    """A model that gives no reply; the run ends and its log is kept."""
