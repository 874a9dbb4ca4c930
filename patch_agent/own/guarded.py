"""A policy of yours in the place of ours: each of its builds is run under a limit and judged."""

from __future__ import annotations

from collections.abc import Callable

from patch_agent.own.build import Bench, run_policy
from patch_agent.own.trouble import Trouble, say
from patch_agent.policies import Built, PolicyState
from patch_agent.request import Request


class OwnTrouble(Exception):
    """A build of yours that cannot be used: the trouble, and the request's number, from 1."""

    def __init__(self, trouble: Trouble, number: int, printed: str = "") -> None:
        self.trouble, self.number, self.printed = trouble, number, printed
        super().__init__(f"request {number}: {say(trouble)}")


class NotWanted(Exception):
    """Nobody waits for this run any more."""


class Guarded:
    """A policy that runs yours: a function of request and state, or a value with `build`.

    It keeps the requests that were made, which are those that were really sent, the first text
    that was printed and what was first changed for all. Raises OwnTrouble, and NotWanted where
    `wanted` says so.
    """

    def __init__(
        self, policy: object, bench: Bench, wanted: Callable[[], bool] = lambda: True
    ) -> None:
        self.policy, self.bench, self.wanted = policy, bench, wanted
        self.requests: list[Request] = []
        self.printed = ""
        self.changed: tuple[str, ...] = ()

    def build(self, request: Request, state: PolicyState) -> Built:
        """The request that your policy made, sound and within the budget."""
        if not self.wanted():
            raise NotWanted
        outcome = run_policy(self.policy, request, state, self.bench)
        self.printed = self.printed or outcome.printed
        self.changed = self.changed or outcome.changed
        if outcome.built is None:
            assert outcome.trouble is not None
            raise OwnTrouble(outcome.trouble, len(self.requests) + 1, outcome.printed)
        self.requests.append(outcome.built.request)
        return outcome.built
