"""What a policy is: a pure function from a request and a state to a request and a state.

A policy keeps nothing between calls; what it has to remember is in the `PolicyState` that it
returns, so that the same conversation and the same state give the same bytes. `Chain` runs
several in order and checks what each of them made.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeGuard

from patch_agent.budget import Budget, ContextTooLarge
from patch_agent.check import Problem, problems
from patch_agent.messages import Usage
from patch_agent.policies.state import PolicyState
from patch_agent.policies.view import View, view_of
from patch_agent.request import Request
from patch_agent.tokens import TokenCounter


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


@dataclass(frozen=True, slots=True)
class Decision:
    """What a policy decided on a view, before any request is put together."""

    view: View
    state: PolicyState
    usage: Usage = field(default=Usage())
    notes: tuple[str, ...] = ()

    @property
    def built(self) -> Built:
        """The decision carried out."""
        return Built(self.view.render(), self.state, self.usage, self.notes)


class Decides(Protocol):
    """A policy that decides on a view: in a chain its request is put together once, at the end."""

    def decide(self, view: View, state: PolicyState) -> Decision: ...


def decides(policy: object) -> TypeGuard[Decides]:
    """True for a policy that decides on a view."""
    return hasattr(policy, "decide")


class Chain:
    """Policies one after the other, each given what the one before made.

    What was already wrong with the request is not laid at their door. Raises PolicyError at
    the first policy that breaks a pair, the order or a pin, or returns no request at all.
    With a counter and a budget the final size is judged as well: ContextTooLarge. Where not
    `checked`, only policies of others are looked at: the caller checks what is sent.
    """

    def __init__(
        self,
        *policies: ContextPolicy,
        counter: TokenCounter | None = None,
        budget: Budget | None = None,
        checked: bool = True,
    ) -> None:
        self.policies = policies
        self.counter, self.budget, self.checked = counter, budget, checked

    def build(self, request: Request, state: PolicyState) -> Built:
        """The request that the last policy made. Raises PolicyError, ContextTooLarge."""
        checks = _Checks(request) if self.checked or not self._all_ours() else None
        view, sent = view_of(request, self.counter), request
        usage = Usage()
        notes: tuple[str, ...] = ()
        for policy in self.policies:
            if decides(policy):
                step = policy.decide(view, state)
                if self.checked and step.view is not view:
                    sent = step.view.render()
                    _look(checks, policy, sent)
                view, state = step.view, step.state
                usage, notes = usage + step.usage, notes + step.notes
                continue
            sent = sent if self.checked else view.render()
            built = as_built(policy, policy.build(sent, state), state)
            _look(checks, policy, built.request)
            if built.request is not sent:
                view, sent = view_of(built.request, self.counter), built.request
            state, usage, notes = built.state, usage + built.usage, notes + built.notes
        self._judge(view)
        return Built(sent if self.checked else view.render(), state, usage, notes)

    def _all_ours(self) -> bool:
        return all(map(decides, self.policies))

    def _judge(self, view: View) -> None:
        if self.counter is None or self.budget is None:
            return
        sizes = view.sizes(self.counter)
        if sum(sizes.values()) > self.budget.limit:
            raise ContextTooLarge(sum(sizes.values()), self.budget.limit, sizes)


class _Checks:
    """Looks at each request that a policy made, once, for defects that were not there before."""

    def __init__(self, request: Request) -> None:
        self._first = self._last = request

    def look(self, policy: object, request: Request) -> None:
        """Raises PolicyError for a defect that the policy made."""
        if request is self._last:
            return
        self._last = request
        found = problems(request)
        if not found:
            return
        known = Counter(one.message for one in problems(self._first))
        new = Counter(one.message for one in found) - known
        if new:
            raise PolicyError(policy, [one for one in found if one.message in new])


def _look(checks: _Checks | None, policy: object, request: Request) -> None:
    if checks is not None:
        checks.look(policy, request)


def as_built(policy: object, made: object, state: PolicyState) -> Built:
    """What a policy returned, a bare request being given the state as it was."""
    if isinstance(made, Built):
        return made
    if isinstance(made, Request):
        return Built(made, state)
    raise PolicyError(policy, (), f"expected a request, got {type(made).__name__}")
