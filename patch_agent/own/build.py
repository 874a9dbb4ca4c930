"""A builder or a policy of yours run once, and what it made judged before anybody uses it.

A builder is called like `build_context`, with the patch state, the conversation and the window; a
policy like any other, with a request and a state. Both may return a `Built` or a bare `Request`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from patch_agent.budget import RESERVE, Budget
from patch_agent.builder import default_counter, full_request
from patch_agent.check import Problem, problems
from patch_agent.messages import Message
from patch_agent.own.given import copied, edited
from patch_agent.own.printed import MOST
from patch_agent.own.shape import misshapen, misshapen_rest
from patch_agent.own.timed import GRACE, LIMIT, run
from patch_agent.own.trouble import Trouble, of_problems, of_ran
from patch_agent.policies import Built, PolicyState
from patch_agent.request import Request
from patch_agent.task import PatchState
from patch_agent.tokens import TokenCounter, message_texts, tool_text

LONGEST_TOKEN = 128
"""Characters that no token exceeds: a text over this many a token need not be counted."""

Builder = Callable[[PatchState, Sequence[Message], int], object]
"""Returns a Built or a Request."""


@dataclass(frozen=True, slots=True)
class Bench:
    """What a build is judged by, and what it may take.

    `limit` and `grace` are seconds, `most` characters that it may print.
    """

    budget: Budget
    counter: TokenCounter
    limit: float = LIMIT
    grace: float = GRACE
    most: int = MOST


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a build came to: `built` or `trouble`, one of the two; what it printed; and `changed`,
    what it left changed in the whole process."""

    built: Built | None
    trouble: Trouble | None
    printed: str = ""
    changed: tuple[str, ...] = ()


def run_build(
    build: Builder,
    state: PatchState,
    conversation: Sequence[Message],
    window: int,
    *,
    reserve: int = RESERVE,
    limit: float = LIMIT,
) -> Outcome:
    """Runs a builder of yours for the next call, `limit` seconds at most."""
    messages = tuple(conversation)
    given = copied((state, messages))
    bench = Bench(Budget(window, reserve), default_counter(), limit)
    return _run(
        build,
        (*given, window),
        bench,
        full_request(state, messages),
        state.policy,
        lambda: (
            edited("patch_state", given[0], state) or edited("conversation", given[1], messages)
        ),
    )


def run_policy(policy: object, request: Request, state: PolicyState, bench: Bench) -> Outcome:
    """Runs a policy of yours once: a function of request and state, or a value with `build`."""
    given = copied((request, state))
    function = getattr(policy, "build", policy)
    return _run(
        function,
        given,
        bench,
        request,
        state,
        lambda: edited("request", given[0], request) or edited("state", given[1], state),
    )


def _run(
    function: Any,
    arguments: tuple[Any, ...],
    bench: Bench,
    start: Request,
    state: PolicyState,
    find_edit: Callable[[], str],
) -> Outcome:
    ran = run(partial(function, *arguments), bench.limit, bench.grace, bench.most)
    trouble = of_ran(ran, getattr(function, "__name__", ""), bench.limit, bench.most)
    built = None
    if trouble is None and (what := find_edit()):
        trouble = Trouble("edited", {"what": what})
    if trouble is None:
        built, trouble = judged(ran.value, start, state, bench)
    return Outcome(built, trouble, ran.printed, ran.changed)


def judged(
    made: object, start: Request, state: PolicyState, bench: Bench
) -> tuple[Built | None, Trouble | None]:
    """What was returned as a Built, or why it cannot be sent; `start` is the request with
    everything, whose pins and conversation hold for it too."""
    if made is None:
        return None, Trouble("nothing")
    if type(made) is Request:
        made = Built(made, state)
    if type(made) is not Built or type(made.request) is not Request:
        inside = made.request if type(made) is Built else made
        return None, Trouble("other", {"type": type(inside).__name__})
    if fault := misshapen_rest(made) or misshapen(made.request):
        return None, Trouble("misshapen", {"what": fault})
    pins = tuple(dict.fromkeys((*start.pins, *made.request.pins)))
    request = replace(made.request, conversation=start.conversation, pins=pins)
    if found := _found(request, bench):
        return None, of_problems(found)
    return replace(made, request=request), None


def _found(request: Request, bench: Bench) -> Sequence[Problem]:
    least = _characters(request) // LONGEST_TOKEN
    if least <= bench.budget.limit:
        return problems(request, bench.counter, bench.budget)
    over = f"over the budget of {bench.budget.limit:,} by {least - bench.budget.limit:,} at least"
    return (*problems(request), Problem("fit", over, "request"))


def _characters(request: Request) -> int:
    texts = sum(len(text) for message in request.messages for text in message_texts(message))
    return texts + sum(len(tool_text(tool)) for tool in request.tools)
