"""A run of the batch: the stand-in on a fresh copy of the service under one policy, measured.

Replies may be given beforehand: those of a recorded run come first, each of their calls is
executed again, and the stand-in goes on from there. So a replay, a run resumed from its log and
a live run are one and the same thing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from patch_agent.budget import ContextTooLarge
from patch_agent.check import problems
from patch_agent.messages import Message, Reasoning, ToolCall, ToolResult, Usage, result, user
from patch_agent.policies import Built, ContextPolicy, PolicyError, Running
from patch_agent.pricing import Bill, PriceTable, bill, price_tables
from patch_agent.request import Request
from patch_agent.tokens import TokenCounter, encode, exact
from patch_agent.triage.agent import TriageAgent
from patch_agent.triage.agent_summary import in_use
from patch_agent.triage.grade import Grade, grade, owner_of
from patch_agent.triage.prompt import task_text
from patch_agent.triage.service import Counts, Service
from patch_agent.triage.settings import Settings, check_room, fixed_parts
from patch_agent.triage.tools import call
from patch_agent.triage.truth import truth_of
from patch_agent.triage.world_make import make_world

STEPS = 300
"""Steps after which a run is stopped; it counts as unfinished."""
Progress = Callable[[int, int], None]
"""Is told the number of the step and how many reports are open."""
Heard = Callable[[Message], None]
"""Is given each message of the conversation as it comes."""


@dataclass(frozen=True, slots=True)
class Sent:
    """One request: exact tokens, those of results and of reasoning in it, and its bill.

    `cleared`, `covered` and `trimmed` are the policy's places in the conversation; `summary` is
    what building it cost, `kept` and `restored` are identifiers of a new summary.
    """

    tokens: int
    results: int
    reasoning: int
    bill: Bill
    cleared: int
    covered: int
    trimmed: int
    summary: Usage = field(default=Usage())
    compacted: bool = False
    kept: int = 0
    restored: int = 0


@dataclass(frozen=True, slots=True)
class Run:
    """A run: its settings, conversation, requests, why it ended, and the service's state then.

    `prices` is the table by which it was billed.
    `ending` is "done", "limit" (of steps), "too large" or "refused"; `differing` are calls whose
    result was not the recorded one. `policy` is one of the caller's, None for that of the settings.
    """

    settings: Settings
    conversation: tuple[Message, ...]
    sent: tuple[Sent, ...]
    ending: str
    grade: Grade
    duplicates: int
    counts: Counts
    prices: PriceTable
    differing: tuple[str, ...] = ()
    policy: ContextPolicy | None = field(default=None, compare=False)

    def requests(self) -> Iterator[Request]:
        """Its requests, made again: one before each reply."""
        return requests(self.settings, self.conversation, self.policy)


def run_batch(
    settings: Settings,
    recorded: Sequence[Message] = (),
    *,
    limit: int = STEPS,
    agent: Callable[[int], TriageAgent] = TriageAgent,
    table: PriceTable | None = None,
    progress: Progress | None = None,
    policy: ContextPolicy | None = None,
    heard: Heard | None = None,
) -> Run:
    """Runs one, the replies of `recorded` first. It is stopped after `limit` steps.

    `policy` takes the place of the one that the settings name.
    """
    world = make_world(settings.world)
    with Service(world) as service:
        prices = table or price_tables()["batch"]
        loop = _Loop(settings, service, prices, recorded, policy, heard)
        loop.add(user(task_text(world)))
        ending = loop.run(agent(settings.seed), limit, progress)
        return Run(
            settings,
            tuple(loop.conversation),
            tuple(loop.sent),
            ending,
            grade(service),
            _duplicates(service),
            service.counts(),
            prices,
            tuple(loop.differing),
            policy,
        )


class _Loop:
    """The conversation as it grows, and the service that its calls work on."""

    def __init__(
        self,
        settings: Settings,
        service: Service,
        table: PriceTable,
        recorded: Sequence[Message],
        policy: ContextPolicy | None,
        heard: Heard | None,
    ) -> None:
        self.service, self.table, self.heard = service, table, heard
        self.counter = exact()
        task = task_text(service.world)
        parts = fixed_parts(service.world)
        if policy is None:
            check_room(settings, parts, self.counter)
        chain = policy or settings.chain(self.counter)
        self.running = Running(chain, parts, (task,))
        self.conversation: list[Message] = []
        self.sent: list[Sent] = []
        self.differing: list[str] = []
        self._replies = iter([m for m in recorded if m.role == "assistant"])
        self._results = {r.call_id: r.text for m in recorded for r in m.results}
        self._calls = 0
        self._last: Request | None = None

    def add(self, message: Message) -> None:
        """Appends a message to the conversation."""
        self.conversation.append(message)
        self.running.add(message)
        if self.heard is not None:
            self.heard(message)

    def run(self, agent: TriageAgent, limit: int, progress: Progress | None) -> str:
        """Goes on until a reply makes no call; why it ended."""
        for number in range(1, limit + 1):
            if progress is not None:
                progress(number, len(self.service.open_reports()))
            before = self.running.state
            try:
                built = self.running.build()
            except ContextTooLarge:
                return "too large"
            except PolicyError:
                return "refused"
            if problems(built.request):
                return "refused"
            reply = next(self._replies, None) or agent.reply(built.request.wire())
            reply = self._numbered(reply)
            self._note(built, reply, built.state.covered != before.covered)
            self.add(reply)
            for made in reply.calls:
                self.add(self._answer(made))
            if not reply.calls:
                return "done"
        return "limit"

    def _numbered(self, reply: Message) -> Message:
        """The reply with call ids that are unique in the run, as a provider gives them."""
        blocks = []
        for block in reply.blocks:
            if isinstance(block, ToolCall):
                self._calls += 1
                block = replace(block, id=f"call_{self._calls}")
            blocks.append(block)
        return replace(reply, blocks=tuple(blocks))

    def _answer(self, made: ToolCall) -> Message:
        outcome = call(self.service, made.name, made.arguments)
        if self._results.get(made.id, outcome.text) != outcome.text:
            self.differing.append(made.id)
        return result(made.id, outcome.text, outcome.error)

    def _note(self, built: Built, reply: Message, compacted: bool) -> None:
        request, counter = built.request, self.counter
        size = counter.message(reply)
        billed = bill(self.table, self._last, request, counter, encode, reply=size)
        self._last = request
        kept, restored = _identifiers(built) if compacted else (0, 0)
        self.sent.append(
            Sent(
                request.tokens(counter),
                sum(_tokens(request, counter, ToolResult)),
                sum(_tokens(request, counter, Reasoning)),
                billed,
                built.state.cleared,
                built.state.covered,
                built.state.trimmed,
                built.usage,
                compacted,
                kept,
                restored,
            )
        )


def _tokens(
    request: Request, counter: TokenCounter, kind: type[ToolResult] | type[Reasoning]
) -> Iterator[int]:
    for message in request.messages:
        yield from (counter.text(b.text) for b in message.blocks if isinstance(b, kind))


def _identifiers(built: Built) -> tuple[int, int]:
    """How many identifiers in use a new summary kept by itself, and how many code put back."""
    summary = built.state.summary
    assert summary is not None
    written, _, added = summary.text.partition("\nAdded by code")
    own = set(in_use(written))
    return len(own), len(set(in_use(added)) - own)


def _duplicates(service: Service) -> int:
    """Open issues beyond the first of each cause."""
    truth = truth_of(service.world.seed)
    owners = (owner_of(f.issue, truth) for f in service.issues() if f.issue.state == "open")
    counted = Counter(owner.id for owner in owners if owner is not None)
    return sum(number - 1 for number in counted.values())


def requests(
    settings: Settings, conversation: Sequence[Message], policy: ContextPolicy | None = None
) -> Iterator[Request]:
    """The requests of a run, made again from its conversation: one before each reply."""
    parts = fixed_parts(make_world(settings.world))
    running = Running(policy or settings.chain(exact()), parts, (conversation[0].text,))
    for message in conversation:
        if message.role == "assistant":
            yield running.build().request
        running.add(message)
