"""Our policies `trim` and `default`: from nothing, again, and one step after the other.

From nothing is everything that a first request takes: the conversation read, counted and built,
a summary written and looked over, the outcome checked. Again is the same request once all is
counted and the summary is there. What was left out of that is timed by itself.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

from patch_agent.budget import Budget
from patch_agent.check import problems
from patch_agent.messages import Message
from patch_agent.policies import Built, Chain, PolicyState, Running, policy
from patch_agent.policies.demands import demands, invented, names_in
from patch_agent.policies.known import forget
from patch_agent.request import fixed_part
from patch_agent.summaries import LIMIT, Summary, careful
from patch_agent.tokens import TokenCounter, estimate
from patch_agent.wire import from_wire
from tests.benchmarks.compare.rows import Prepared
from tests.benchmarks.compare.talk import RULE, SHARE, Plain, Talk, make_talk

STEPS = 60
"""Further steps of a session, two messages each; a quarter of them with all checks on."""


def milliseconds(work: Callable[[], Any]) -> float:
    """CPU time of one call."""
    start = time.process_time()
    work()
    return (time.process_time() - start) * 1000


class Session:
    """A conversation under one of our policies."""

    def __init__(self, name: str, talk: Talk) -> None:
        self.name, self.talk = name, talk
        self.messages = tuple(map(from_wire, talk.messages))
        self.system = fixed_part("system", self.messages[:1])
        self.budget = Budget(talk.limit, 0)
        self.built: Built | None = None

    def begin(self, counter: TokenCounter | None = None) -> Running:
        """A session in which nothing has been read."""
        forget()
        chain = self.chain(counter or estimate(), careful)
        return Running(chain, (self.system,), (RULE,))

    def chain(self, counter: TokenCounter, write: Any, **options: Any) -> Chain:
        """The policy; a summary may take a quarter of the budget."""
        summary = min(LIMIT, self.budget.limit // SHARE)
        limit = self.budget.limit
        return policy(
            self.name, counter, self.budget, limit=limit, write=write, summary=summary, **options
        )

    def first(self, running: Running) -> Running:
        """All messages read and the first request built."""
        running.add(*self.messages[1:])
        self.built = running.build()
        return running

    def warm(self) -> Callable[[Any], Built]:
        """Builds the same request when all is counted, looked over and written."""
        counter = estimate()
        written: dict[int, Summary] = {}

        def write(
            messages: Sequence[Message], counter: TokenCounter, limit: int, before: Summary | None
        ) -> Summary:
            if len(messages) not in written:
                written[len(messages)] = careful(messages, counter, limit, before)
            return written[len(messages)]

        running = self.begin(counter)
        running.policy = self.chain(counter, write)
        state = self.first(running).state
        if state.summary is not None:
            written[state.covered] = state.summary
        known = self.chain(counter, write, find=None, checked=False)
        request = running.request()
        known.build(request, PolicyState())
        return lambda _: known.build(request, PolicyState())

    def more(self) -> dict[str, Any]:
        """What is timed apart, and further steps: the least, the median and the most."""
        assert self.built is not None
        built, counter = self.built, estimate()
        own = self.messages[1:]
        covered = own[: built.state.covered]
        apart = {"check": milliseconds(lambda: problems(built.request, counter, self.budget))}
        if covered:
            limit = min(LIMIT, self.budget.limit // SHARE)
            apart["write"] = milliseconds(lambda: careful(covered, counter, limit, None))
            apart["look over"] = milliseconds(lambda: self._look_over(covered, built))
        return {"apart": apart, **self._steps()}

    def _look_over(self, covered: tuple[Message, ...], built: Built) -> None:
        assert built.state.summary is not None
        demands(covered, names_in).without(built.state.summary.text)
        invented(built.state.summary, self.messages, names_in)

    def _steps(self) -> dict[str, Any]:
        """A session goes on, first without and then with all checks."""
        counter = estimate()
        running = self.begin(counter)
        running.policy = self.chain(counter, careful, checked=False)
        self.first(running)
        count, checked = len(self.talk.messages), STEPS // 4
        rest = make_talk(self.talk.shape, count + 2 * (STEPS + checked)).messages[count:]
        more = tuple(map(from_wire, rest))
        pairs = [more[place : place + 2] for place in range(0, len(more), 2)]

        def step(pair: tuple[Message, ...]) -> None:
            running.add(*pair)
            running.build()

        plain_steps = [milliseconds(lambda p=pair: step(p)) for pair in pairs[:STEPS]]
        running.policy = self.chain(counter, careful)
        checked_steps = [milliseconds(lambda p=pair: step(p)) for pair in pairs[STEPS:]]
        return {"steps": spread(plain_steps), "checked_steps": spread(checked_steps)}


def spread(taken: list[float]) -> dict[str, float]:
    """The least, the median and the most."""
    return {"least": min(taken), "middle": median(taken), "most": max(taken)}


def plain(done: Any) -> list[Plain]:
    """The request as it goes over the wire."""
    built = done.built if isinstance(done, Session) else done
    messages: list[Plain] = built.request.wire()["messages"]
    return messages


def _prepared(name: str, talk: Talk) -> Prepared:
    session = Session(name, talk)

    def run(running: Running) -> Session:
        session.first(running)
        return session

    return Prepared(session.begin, run, plain, session.warm, session.more)


def trim(talk: Talk) -> Prepared:
    """The row of this name."""
    return _prepared("trim", talk)


def default(talk: Talk) -> Prepared:
    """The row of this name."""
    return _prepared("default", talk)
