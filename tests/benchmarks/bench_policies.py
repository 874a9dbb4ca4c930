"""How long our policies take: a conversation read for the first time, again, and one step more.

The budget is a quarter of the conversation. Writing a summary, checking what it holds and
checking the request are measured apart. `clear` has its limit there, and no budget: in a chat
there is nothing to clear.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence

import pytest

from patch_agent.budget import Budget
from patch_agent.check import problems
from patch_agent.messages import Message, system
from patch_agent.policies import Built, Chain, PolicyState, Running, policy
from patch_agent.policies.demands import demands
from patch_agent.request import fixed_part
from patch_agent.summaries import Summary, careful
from patch_agent.tokens import TokenCounter, estimate
from tests.benchmarks.conftest import timed
from tests.benchmarks.talks import RULE, SHAPES, talk

PARTS = (fixed_part("system", [system("You are Patch.", "system")]),)
STEPS = 60
NAMES = ("clear", "trim", "compact")


def brief(
    messages: Sequence[Message], counter: TokenCounter, limit: int, previous: Summary | None
) -> Summary:
    """A summary that takes no time to write."""
    return Summary("What came before, in short.", 0, 0, "brief")


def chain(name: str, counter: TokenCounter, messages: Sequence[Message]) -> Chain:
    """The policy of this name with a budget of a quarter of the messages."""
    quarter = Budget(counter.messages(messages) // 4, 0)
    budget = Budget(10**9, 0) if name == "clear" else quarter
    limit = quarter.limit * 4 // 5
    return policy(name, counter, budget, limit=limit, write=brief, find=None, checked=False)


@pytest.mark.parametrize("shape", list(SHAPES))
@pytest.mark.parametrize("count", [100, 1_000, 10_000, 100_000])
@pytest.mark.parametrize("name", NAMES)
def test_a_policy(name: str, count: int, shape: str, say: Callable[..., None]) -> None:
    messages = talk(shape, count)
    more = talk(shape, count + 2 * STEPS)[len(messages) :]
    counter = estimate()
    running = Running(chain(name, counter, messages), PARTS, (RULE,))
    (read,) = timed(lambda: running.add(*messages), 1)
    (first,) = timed(running.build, 1)
    what = f"{name}, {shape}, {count:,} messages"
    bound = 10 if count == 10_000 else None
    say(f"{what}: read, counted, built", read + first, "ms")
    request = running.request()
    again = timed(lambda: running.policy.build(request, PolicyState()), 20)
    say(f"{what}: built, all counted", statistics.median(again), "ms", bound)
    taken = list(_steps(running, more))
    bound = 0.3 if count <= 10_000 else None
    say(f"{what}: one step more", statistics.median(taken), "ms", bound)
    sent = running.build().request
    say(f"{what}: check of the request", timed(lambda: problems(sent), 3)[0], "ms")


def _steps(running: Running, more: Sequence[Message]) -> Sequence[float]:
    """The time of each further step: its messages added and its request built."""
    taken = []
    for place in range(0, len(more) - 1, 2):
        pair = more[place : place + 2]

        def step(pair: Sequence[Message] = pair) -> Built:
            running.add(*pair)
            return running.build()

        taken += timed(step, 1)
    return taken


@pytest.mark.parametrize("count", [1_000, 10_000])
def test_a_summary(count: int, say: Callable[..., None]) -> None:
    messages, counter = talk("one turn", count), estimate()
    (written,) = timed(lambda: careful(messages, counter), 1)
    say(f"careful summary, {count:,} messages: written", written, "ms")
    (checked,) = timed(lambda: demands(messages), 1)
    say(f"careful summary, {count:,} messages: what it has to hold", checked, "ms")


def test_a_thousand_long_messages(say: Callable[..., None]) -> None:
    # run-llama/llama_index#12264 waited 60 s
    messages = tuple(talk("chat", 1_000))
    long = tuple(Message(m.role, m.blocks * 3) for m in messages)
    counter = estimate()
    trim = policy("trim", counter, Budget(16_000, 0))

    def work() -> None:
        running = Running(trim, PARTS)
        running.add(*long)
        running.build()

    say("trim, 1,000 long messages to 16,000 tokens, all told", timed(work, 1)[0], "ms", 100)
