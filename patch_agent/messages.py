"""The messages of a conversation, and the steps and turns that they form.

Messages are only ever added to a conversation. The classes here are wide enough for the
logs of other agents: parallel calls, results that come late, apart from their call or not
at all, call ids that a provider uses again, reasoning, images, several system messages,
empty messages. What goes over the wire is in `wire`; this module knows no provider.

The chapter's section "Tokens and the budget" explains the terms.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Role = Literal["system", "user", "assistant", "tool"]


@dataclass(frozen=True, slots=True)
class Text:
    """Words of whoever speaks the message."""

    text: str


@dataclass(frozen=True, slots=True)
class Reasoning:
    """What a model thought before it spoke; `opaque` where the provider encrypts it."""

    text: str
    opaque: bool = False
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Image:
    """A picture, as base64 text or an address; `tokens` is what its provider counts for it."""

    media_type: str
    data: str
    tokens: int

    def __post_init__(self) -> None:
        if type(self.tokens) is not int or self.tokens < 0:
            raise ValueError(f"image: expected a whole number of tokens, got {self.tokens!r:.80}")


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that the model makes; `arguments` is its JSON text just as the model wrote it."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool returned for the call `call_id`; `pending` while more is to come."""

    call_id: str
    text: str
    error: bool = False
    pending: bool = False


Block = Text | Reasoning | Image | ToolCall | ToolResult


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that a provider billed for one call; `input` counts neither cached figure."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0

    @property
    def prompt(self) -> int:
        """All tokens of the request, cached or not."""
        return self.input + self.cache_read + self.cache_write

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input + other.input,
            self.output + other.output,
            self.cache_read + other.cache_read,
            self.cache_write + other.cache_write,
        )


@dataclass(frozen=True, slots=True)
class Message:
    """One entry of a conversation.

    `name` is the part that a system message makes up, for the parts that our code adds.
    `raw` is the record that a log reader made the message from; it takes no part in equality.
    """

    role: Role
    blocks: tuple[Block, ...] = ()
    name: str | None = None
    id: str | None = None
    usage: Usage | None = field(default=None, compare=False)
    raw: Mapping[str, Any] | None = field(default=None, compare=False, repr=False)

    @property
    def text(self) -> str:
        """The message's words, without calls, results and reasoning."""
        return "\n".join(block.text for block in self.blocks if isinstance(block, Text))

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The tool calls that the message makes."""
        return tuple(block for block in self.blocks if isinstance(block, ToolCall))

    @property
    def results(self) -> tuple[ToolResult, ...]:
        """The tool results that the message carries."""
        return tuple(block for block in self.blocks if isinstance(block, ToolResult))


def system(text: str, name: str | None = None) -> Message:
    """A system message."""
    return Message("system", (Text(text),), name=name)


def user(text: str) -> Message:
    """What the user said."""
    return Message("user", (Text(text),))


def assistant(text: str = "", *calls: ToolCall) -> Message:
    """What the model said and the calls that it made."""
    return Message("assistant", ((Text(text),) if text else ()) + calls)


def result(call_id: str, text: str, error: bool = False) -> Message:
    """What a tool returned for one call."""
    return Message("tool", (ToolResult(call_id, text, error),))


Ref = tuple[int, int]
"""The place of a block: the index of its message, and its index in that message."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """Which results belong to which call.

    `results` maps each call to its results in order (empty while it is open);
    `orphans` are results without a call; `open` are calls without a final result.
    """

    results: dict[Ref, tuple[Ref, ...]]
    orphans: tuple[Ref, ...]
    open: tuple[Ref, ...]


def pairing(messages: Sequence[Message]) -> Pairing:
    """The pairs of calls and results, joined by id.

    A result belongs to the earliest open call with its id in the latest message that has
    one, so an id that a provider uses again joins within its own step. A pending result
    leaves its call open.
    """
    results: dict[Ref, list[Ref]] = {}
    waiting: dict[str, list[deque[Ref]]] = {}  # by id, the open calls of each message
    orphans: list[Ref] = []
    for place, block in _blocks(messages):
        if isinstance(block, ToolCall):
            results[place] = []
            groups = waiting.setdefault(block.id, [])
            if not groups or groups[-1][0][0] != place[0]:
                groups.append(deque())
            groups[-1].append(place)
        elif isinstance(block, ToolResult):
            groups = waiting.get(block.call_id, [])
            if not groups:
                orphans.append(place)
                continue
            results[groups[-1][0]].append(place)
            if not block.pending:
                groups[-1].popleft()
                if not groups[-1]:
                    groups.pop()
    still_open = sorted(ref for groups in waiting.values() for calls in groups for ref in calls)
    joined = {call: tuple(places) for call, places in results.items()}
    return Pairing(joined, tuple(orphans), tuple(still_open))


def _blocks(messages: Sequence[Message]) -> Iterator[tuple[Ref, Block]]:
    for index, message in enumerate(messages):
        for position, block in enumerate(message.blocks):
            yield (index, position), block


@dataclass(frozen=True, slots=True)
class Step:
    """A reply of the model, whatever its calls returned, and the user's words that it replies to.

    `indices` are the places of its messages in the conversation, ascending; they need not
    be adjacent, since a result may come late. `assistant` is None in a step that waits for
    its reply. Steps are numbered from 1.
    """

    number: int
    indices: tuple[int, ...]
    assistant: int | None


def steps(messages: Sequence[Message]) -> tuple[Step, ...]:
    """The steps of a conversation: the units in which history is removed.

    System messages belong to no step. An orphaned result goes with the step before it.
    """
    members: list[list[int]] = []
    replies: list[int | None] = []
    home: dict[int, int] = {}
    owner = _owners(messages)
    for index, message in enumerate(messages):
        if message.role == "system":
            continue
        if index in owner and owner[index] in home:
            home[index] = home[owner[index]]
        elif not members or _opens_step(message, replies[-1]):
            members.append([])
            replies.append(None)
            home[index] = len(members) - 1
        else:
            home[index] = len(members) - 1
        members[home[index]].append(index)
        if message.role == "assistant":
            replies[home[index]] = index
    return tuple(
        Step(number, tuple(indices), reply)
        for number, (indices, reply) in enumerate(zip(members, replies, strict=True), 1)
    )


def replied(messages: Sequence[Message]) -> tuple[Step, ...]:
    """The steps that have a reply: all but a last one that waits for it."""
    return tuple(step for step in steps(messages) if step.assistant is not None)


def _owners(messages: Sequence[Message]) -> dict[int, int]:
    """The message whose call is answered, for each message that holds nothing but results."""
    owner: dict[int, int] = {}
    for (call, _), places in pairing(messages).results.items():
        for index, _ in places:
            if all(isinstance(block, ToolResult) for block in messages[index].blocks):
                owner.setdefault(index, call)
    return owner


def _opens_step(message: Message, reply: int | None) -> bool:
    speaks = message.role == "assistant" or (message.role == "user" and not _only_results(message))
    return speaks and reply is not None


def _only_results(message: Message) -> bool:
    return bool(message.blocks) and len(message.results) == len(message.blocks)


@dataclass(frozen=True, slots=True)
class Turn:
    """What happens from one request of the user's to the next: its steps, in order."""

    number: int
    steps: tuple[Step, ...]


def turns(messages: Sequence[Message]) -> tuple[Turn, ...]:
    """The turns of a conversation; steps before the first user message form a turn too."""
    grouped: list[list[Step]] = []
    for step in steps(messages):
        begins = any(
            messages[i].role == "user" and not _only_results(messages[i]) for i in step.indices
        )
        if begins or not grouped:
            grouped.append([])
        grouped[-1].append(step)
    return tuple(Turn(number, tuple(group)) for number, group in enumerate(grouped, 1))
