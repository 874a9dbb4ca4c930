"""An index over an append-only conversation: its steps, its pairs, and where it may be cut.

Each message is read once. A conversation that goes on from one that is known costs no more than
its new messages, so a running session pays for its newest step only. What comes out is what
`steps` and `pairing` say about the whole. Messages that no provider would send (a call of a
user's, a result without its call) make an index `odd`: then steps are taken out one message at
a time and not as one slice.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from patch_agent.messages import Message, Reasoning, Ref, Step, ToolCall, ToolResult
from patch_agent.request import Entry
from patch_agent.tokens import message_texts


@dataclass(slots=True, eq=False)
class Index:
    """The steps of a conversation as it grows; steps are counted from 1, messages from 0.

    `starts` and `members` are the first and all messages of each step; `reach` is the last
    message of the steps up to each, with results beside a user's words. `home` is each message's
    step (0 for system messages). `strays` are results that stand apart from their call's step:
    their message and that step. `thinking` are steps of nothing but reasoning, which belong to
    the step after them in their turn. `asked` is the message with the user's latest words,
    `beside` that with later ones which stand beside a result. `cache` is for others.
    """

    messages: list[Message] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    members: list[list[int]] = field(default_factory=list)
    replies: list[int | None] = field(default_factory=list)
    reach: list[int] = field(default_factory=list)
    home: list[int] = field(default_factory=list)
    turns: list[int] = field(default_factory=list)
    systems: list[int] = field(default_factory=list)
    strays: list[tuple[int, int]] = field(default_factory=list)
    thinking: set[int] = field(default_factory=set)
    tools: dict[Ref, str] = field(default_factory=dict)
    seen: int = -1
    asked: int | None = None
    beside: int | None = None
    odd: bool = False
    cache: dict[Any, Any] = field(default_factory=dict)
    busy: bool = False
    whole: tuple[Message, ...] = ()
    _waiting: dict[str, list[deque[Ref]]] = field(default_factory=dict)
    _unseen: set[int] = field(default_factory=set)

    @property
    def replied(self) -> int:
        """The number of steps that have a reply: all but a last one that waits for it."""
        return len(self.replies) - (bool(self.replies) and self.replies[-1] is None)

    def held(self) -> set[int]:
        """Steps that must stay: a call of theirs is open, or a late result is not yet seen."""
        if not self._waiting and not self._unseen:
            return set()
        groups = (calls for groups in self._waiting.values() for calls in groups)
        waiting = {self.home[index] for calls in groups for index, _ in calls}
        return waiting | {step for step in self._unseen if step < self.replied}

    def fresh(self) -> set[int]:
        """Steps with a result that the model has not seen, the newest one among them."""
        return set(self._unseen)

    def start(self, number: int) -> int:
        """The first message of the steps after `number`."""
        if number < len(self.starts):
            return self.starts[number]
        return self.reach[-1] + 1 if self.reach else 0

    def before(self, place: int) -> int:
        """How many steps begin before this message."""
        return bisect_left(self.starts, place)

    def whole_steps(self, number: int) -> int:
        """At most `number` steps, so that no reasoning is parted from its reply."""
        while number in self.thinking:
            number -= 1
        return number

    def cut(self, number: int, unseen: bool = False) -> tuple[int, int]:
        """The most steps, at most `number`, that can be split from the rest, and the place.

        A split is clean where all messages of the steps before it stand before all others,
        none of those steps has to stay, and no reasoning is parted from its reply. Results that
        the model has not seen stay too, unless `unseen` says otherwise.
        """
        held = self.held() | (set() if unseen else self.fresh())
        number = min([number, len(self.starts), *(step - 1 for step in held)])
        while number > 0:
            last = self.reach[number - 1]
            if last < self.start(number) and number not in self.thinking:
                return number, last + 1
            number -= 1
        return 0, 0

    def add(self, message: Message) -> None:
        """Reads one more message."""
        place = len(self.messages)
        self.messages.append(message)
        self.entries.append(Entry(message, place))
        owners = self._pair(place, message)
        if message.role == "system":
            self.systems.append(place)
            self.home.append(0)
            return
        only_results = bool(message.blocks) and len(message.results) == len(message.blocks)
        speaks = message.role == "assistant" or (message.role == "user" and not only_results)
        if owners and only_results and owners[0]:
            step = owners[0]
        elif not self.starts or (speaks and self.replies[-1] is not None):
            self._open(place)
            step = len(self.starts)
        else:
            step = len(self.starts)
        for later in range(min([step, *filter(None, owners)]) - 1, len(self.reach)):
            self.reach[later] = place
        self._join(place, step, message, speaks)
        apart = step < len(self.starts)
        self.strays += [(place, owner) for owner in owners if apart or owner != step]
        self._unseen.update(owner for owner in owners if owner)

    def _open(self, place: int) -> None:
        self.starts.append(place)
        self.members.append([])
        self.replies.append(None)
        self.reach.append(place)

    def _join(self, place: int, step: int, message: Message, speaks: bool) -> None:
        self.home.append(step)
        self.members[step - 1].append(place)
        if message.role == "assistant":
            self.replies[step - 1] = self.seen = place
            self._unseen.clear()
            if message.blocks and all(isinstance(block, Reasoning) for block in message.blocks):
                self.thinking.add(step)
        elif message.role == "user" and speaks:
            self.thinking.discard(step - 1)
            if not self.turns or self.turns[-1] != step:
                self.turns.append(step)
            if message.text and message.results:
                self.beside = place
            elif message.text:
                self.asked, self.beside = place, None

    def _pair(self, place: int, message: Message) -> list[int]:
        """Joins the message's calls and results to others; the steps of the calls answered."""
        answered: list[Ref] = []
        for position, block in enumerate(message.blocks):
            if isinstance(block, ToolCall):
                self.odd = self.odd or message.role != "assistant"
                groups = self._waiting.setdefault(block.id, [])
                if not groups or groups[-1][0][0] != place:
                    groups.append(deque())
                groups[-1].append((place, position))
            elif isinstance(block, ToolResult):
                self.odd = self.odd or message.role in ("assistant", "system")
                answered += self._answer((place, position), block)
        owners = (self.home[index] if index < place else 0 for index, _ in sorted(answered))
        return list(dict.fromkeys(owners))

    def _answer(self, place: Ref, done: ToolResult) -> list[Ref]:
        """The call that a result belongs to, if any: the first open one of the latest message."""
        groups = self._waiting.get(done.call_id)
        if not groups:
            self.odd = True
            return []
        call = groups[-1][0]
        called = self.messages[call[0]].blocks[call[1]]
        assert isinstance(called, ToolCall)
        self.tools[place] = called.name
        if not done.pending:
            groups[-1].popleft()
            if not groups[-1]:
                groups.pop()
            if not groups:
                del self._waiting[done.call_id]
        return [call]

    def steps(self) -> tuple[Step, ...]:
        """The steps, as `messages.steps` gives them."""
        return tuple(
            Step(number, tuple(members), reply)
            for number, (members, reply) in enumerate(
                zip(self.members, self.replies, strict=True), 1
            )
        )

    def carrier(self, pin: str, end: int) -> int | None:
        """The last of the first `end` messages that carries this text."""
        known: dict[str, tuple[int, list[int]]] = self.cache.setdefault("pins", {})
        read, places = known.get(pin, (0, []))
        if read < len(self.messages):
            places = places + [
                place
                for place in range(read, len(self.messages))
                if any(pin in text for text in message_texts(self.messages[place]))
            ]
            known[pin] = (len(self.messages), places)
        at = bisect_left(places, end)
        return places[at - 1] if at else None
