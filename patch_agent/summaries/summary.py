"""A summary of the first steps of a conversation, and what a writer of summaries is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from patch_agent.messages import Message, Usage, system
from patch_agent.summaries.record import Record
from patch_agent.tokens import TokenCounter

LIMIT = 1_500
"""Tokens that a summary may take, framing included, unless told otherwise."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What stands for the first `covers` steps, messages before `through` in the conversation.

    `record` carries what the writer knows as data, for the next summary; a writer that knows
    nothing but its text leaves it out. `usage` is what writing cost. `ending` says why the
    text ended: "done", "cut" at the writer's output cap, or "refused". `template` is what a
    model was told to write, word for word.
    """

    text: str
    covers: int
    through: int
    kind: str
    record: Record | None = field(default=None, repr=False)
    usage: Usage = field(default=Usage())
    ending: Literal["done", "cut", "refused"] = "done"
    template: str = field(default="", repr=False)

    @property
    def message(self) -> Message:
        """The summary as it is sent: a system message of our code's, never a user's turn."""
        return system(self.text, name="summary")


class SummaryWriter(Protocol):
    """Writes a summary of `previous` and of the messages that come after what it covers.

    The messages are the originals, whatever was cleared; `limit` is in tokens, framing
    included. A writer may raise anything: who calls it must go on without a summary.
    """

    def __call__(
        self,
        messages: Sequence[Message],
        counter: TokenCounter,
        limit: int = LIMIT,
        previous: Summary | None = None,
    ) -> Summary: ...
