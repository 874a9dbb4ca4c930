"""What a policy is: a pure function from a request and a state to a request and a state.

A policy keeps nothing between calls; what it has to remember is in the `PolicyState` that it
returns, so that the same conversation and the same state give the same bytes. `Chain` runs
several in order and checks what each of them made.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from patch_agent.budget import Budget
from patch_agent.check import Problem, problems
from patch_agent.messages import Usage
from patch_agent.request import Request
from patch_agent.summaries import Summary
from patch_agent.tokens import TokenCounter


@dataclass(frozen=True, slots=True)
class PolicyState:
    """What policies remember: places in the conversation, each meaning "messages before this".

    `cleared`: their results are cleared; `covered`: `summary` stands for their steps;
    `trimmed`: their steps are left out.
    """

    cleared: int = 0
    summary: Summary | None = None
    covered: int = 0
    trimmed: int = 0


@dataclass(frozen=True, slots=True)
class Built:
    """What a policy made: the request, the next state, the tokens that making it cost.

    `notes` say in words what was refused or came to nothing, such as a summary that failed.
    """

    request: Request
    state: PolicyState
    usage: Usage = field(default=Usage())
    notes: tuple[str, ...] = ()


class ContextPolicy(Protocol):
    """Derives a request. It may raise ContextTooLarge."""

    def build(self, request: Request, state: PolicyState) -> Built: ...


class PolicyError(Exception):
    """A policy made a request that a provider would refuse, or that lost a pin."""

    def __init__(self, policy: object, found: Sequence[Problem], text: str = "") -> None:
        self.policy, self.problems = policy, tuple(found)
        name = type(policy).__name__
        details = text or "; ".join(f"{one.where}: {one.message}" for one in found[:3])
        super().__init__(f"{name}: {details}")


class Chain:
    """Policies one after the other, each given what the one before made.

    What was already wrong with the request is not laid at their door. Raises PolicyError at
    the first policy that breaks a pair, the order or a pin, or returns no request at all;
    with a counter and a budget the final size is judged as well.
    """

    def __init__(
        self,
        *policies: ContextPolicy,
        counter: TokenCounter | None = None,
        budget: Budget | None = None,
    ) -> None:
        self.policies = policies
        self.counter, self.budget = counter, budget

    def build(self, request: Request, state: PolicyState) -> Built:
        usage = Usage()
        notes: tuple[str, ...] = ()
        known = Counter(found.message for found in problems(request))
        for policy in self.policies:
            built = as_built(policy, policy.build(request, state), state)
            if built.request is not request:
                _check(policy, built.request, known)
            request, state, usage = built.request, built.state, usage + built.usage
            notes += built.notes
        built = Built(request, state, usage, notes)
        if self.counter is not None and self.budget is not None:
            found = [p for p in problems(request, self.counter, self.budget) if p.kind == "fit"]
            if found:
                raise PolicyError(self, found)
        return built


def _check(policy: object, request: Request, known: Counter[str]) -> None:
    found = problems(request)
    new = Counter(one.message for one in found) - known
    if new:
        raise PolicyError(policy, [one for one in found if one.message in new])


def as_built(policy: object, made: object, state: PolicyState) -> Built:
    """What a policy returned, a bare request being given the state as it was."""
    if isinstance(made, Built):
        return made
    if isinstance(made, Request):
        return Built(made, state)
    raise PolicyError(policy, (), f"expected a request, got {type(made).__name__}")
