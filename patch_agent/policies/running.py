"""A running session: messages are added, requests are derived, nothing is counted twice.

`Running` holds what a loop would have to hold anyway: the conversation, the policy and its
state. It is no part of any policy: the same conversation and state given to the policy itself
make the same bytes. `resumed` is how a run goes on from its log.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from patch_agent.messages import Message
from patch_agent.policies.base import Built, ContextPolicy
from patch_agent.policies.index import Index
from patch_agent.policies.known import adopt
from patch_agent.policies.lines import note_plain
from patch_agent.policies.state import PolicyState
from patch_agent.request import Part, Request


class Running:
    """A conversation that grows, the parts that stand around its history, and a policy."""

    def __init__(
        self,
        policy: ContextPolicy,
        parts: Iterable[Part] = (),
        pins: Iterable[str] = (),
        state: PolicyState | None = None,
    ) -> None:
        self.policy = policy
        self.parts, self.pins = tuple(parts), tuple(pins)
        self.state = state or PolicyState()
        self._index = Index()

    def add(self, *messages: Message) -> None:
        """Appends messages to the conversation."""
        for message in messages:
            self._index.add(message)

    def request(self) -> Request:
        """The parts with the whole history, before any policy."""
        conversation, entries = tuple(self._index.messages), tuple(self._index.entries)
        self._index.whole = conversation
        adopt(self._index)
        note_plain(entries, self._index)
        bare = Request(self.parts, conversation, self.pins)
        return bare.with_part(Part("history", entries)) if entries else bare

    def build(self) -> Built:
        """The next request; the state moves on. Raises ContextTooLarge, PolicyError."""
        built = self.policy.build(self.request(), self.state)
        self.state = built.state
        return built


def resumed(
    policy: ContextPolicy,
    conversation: Sequence[Message],
    parts: Iterable[Part] = (),
    pins: Iterable[str] = (),
) -> Running:
    """The session as it stands after a conversation from a log, its requests made again.

    A request was made before each reply. Where the policy asks a model for summaries, give it
    the saved state instead (`load_state`): a model does not write the same words twice.
    """
    running = Running(policy, parts, pins)
    for message in conversation:
        if message.role == "assistant":
            running.build()
        running.add(message)
    return running
