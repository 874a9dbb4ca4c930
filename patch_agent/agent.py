"""The loop: build a request, check it, ask the model, run its calls, log everything.

Nothing that a model says can break the loop: an unknown tool or arguments that are no JSON
get an error as their result. The loop decides nothing about the context; `build` does.

When a run was interrupted between a call and its result, the next one first completes the
pair: a read-only tool is run again; any other call gets the result "interrupted", because
nobody knows whether it was carried out, and the model has to look.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from patch_agent.budget import Budget, ContextTooLarge
from patch_agent.check import problems
from patch_agent.messages import Message, ToolCall, pairing, result, user
from patch_agent.models import Model, ModelError
from patch_agent.output_paths import next_use
from patch_agent.policies.base import Built, PolicyError
from patch_agent.request import Request
from patch_agent.session import SessionLog
from patch_agent.tokens import TokenCounter, exact
from patch_agent.tools import Outcome, SavedOutputs, ToolError, Workspace, cut
from patch_agent.tools.outputs import CAP
from patch_agent.tools.workspace import effect
from patch_agent.wire import WireError, from_wire

Ending = Literal["done", "limit", "too large", "refused", "model"]
"""done: a reply without calls. limit: so many steps were made. too large: no request fits.
refused: the request has a defect. model: the model gave no reply that can be used."""

Build = Callable[[tuple[Message, ...]], Request | Built]
"""Makes the request of the next call from the conversation, as it is or in a Built.

May raise ContextTooLarge. What it has to remember between calls, it keeps itself.
"""

INTERRUPTED = (
    "Interrupted before its result was known. It may have been carried out or not:"
    " look before you do it again."
)
NOT_SAVED = "nowhere, it could not be saved"
"""Stands for the path of an output that could not be kept."""


@dataclass(frozen=True, slots=True)
class Run:
    """A conversation after a run, why the run ended, and the details in words."""

    conversation: tuple[Message, ...]
    ending: Ending
    reason: str = ""


class Watcher(Protocol):
    """Is told of each call with its outcome, before the result is sent; for code's own state."""

    def __call__(self, call: ToolCall, outcome: Outcome) -> None: ...


@dataclass(slots=True)
class Agent:
    """A model, the workspace that its calls work in, and where the conversation is logged."""

    model: Model
    workspace: Workspace
    build: Build
    log: SessionLog | None = None
    budget: Budget | None = None
    cap: int = CAP
    counter: TokenCounter = field(default_factory=exact)
    watch: Watcher | None = None

    def run(
        self,
        conversation: Sequence[Message] = (),
        limit: int = 50,
        users: Mapping[int, str] | None = None,
    ) -> Run:
        """Goes on until a reply makes no call, at most `limit` steps.

        `users` holds what the user says before a step, by the step's number in the whole
        conversation. A conversation that comes from the log continues where it broke off.
        """
        messages = self._resumed(list(conversation))
        for _ in range(limit):
            number = 1 + sum(message.role == "assistant" for message in messages)
            said = (users or {}).get(number)
            if said is not None and not _is_said(messages, said):
                self._add(messages, user(said))
            try:
                reply = self._ask(tuple(messages))
            except _Stop as stop:
                return Run(tuple(messages), stop.ending, stop.reason)
            self._add(messages, reply)
            for call in reply.calls:
                self._add(messages, self._answer(call, next_use(messages, call.id)))
            if not reply.calls and number + 1 not in (users or {}):
                return Run(tuple(messages), "done")
        return Run(tuple(messages), "limit", f"stopped after {limit} steps")

    def _add(self, messages: list[Message], message: Message) -> None:
        if self.log is not None:
            self.log.append(message)
        messages.append(message)

    def _ask(self, conversation: tuple[Message, ...]) -> Message:
        """The model's reply to the next request. Raises _Stop."""
        try:
            built = self.build(conversation)
        except ContextTooLarge as error:
            raise _Stop("too large", str(error)) from None
        except PolicyError as error:
            raise _Stop("refused", str(error)) from None
        request = built.request if isinstance(built, Built) else built
        found = problems(request, self.counter, self.budget)
        if found:
            first = found[0]
            ending: Ending = "too large" if first.kind == "fit" else "refused"
            raise _Stop(ending, f"{first.where}: {first.message} ({len(found)} in all)")
        try:
            reply = self.model.reply(request.wire())
            message = reply if isinstance(reply, Message) else from_wire(reply)
        except (ModelError, WireError) as error:
            raise _Stop("model", str(error)) from None
        if message.role != "assistant":
            raise _Stop("model", f"expected a message of the assistant, got one of {message.role}")
        return message

    def _answer(self, call: ToolCall, use: int) -> Message:
        """Runs one call; its full output is saved where that is possible, what is too long cut."""
        outcome = self.workspace.call(call.name, call.arguments)
        if self.watch is not None:
            self.watch(call, outcome)
        try:
            path = SavedOutputs(self.workspace.root).save(call.id, outcome.text, use)
        except (ToolError, OSError):  # a full disk, a file or a link out in place of the folder
            path = NOT_SAVED
        return result(call.id, cut(outcome.text, self.counter, self.cap, path), outcome.error)

    def _resumed(self, messages: list[Message]) -> list[Message]:
        """The messages with a result for each call that an interruption left open."""
        for index, position in pairing(messages).open:
            call = messages[index].blocks[position]
            assert isinstance(call, ToolCall)
            if effect(call.name) == "read-only":
                self._add(messages, self._answer(call, next_use(messages, call.id)))
            else:
                self._add(messages, result(call.id, INTERRUPTED, error=True))
        return messages


class _Stop(Exception):
    """The run ends here."""

    def __init__(self, ending: Ending, reason: str) -> None:
        super().__init__(reason)
        self.ending, self.reason = ending, reason


def _is_said(messages: Sequence[Message], text: str) -> bool:
    """True where the user has said this since the last reply: it was logged before a break."""
    for message in reversed(messages):
        if message.role == "assistant":
            return False
        if message.role == "user" and message.text == text:
            return True
    return False
