"""A cheat that knows the running example by heart: its test, its folder, its edits."""

from __future__ import annotations

from typing import Any

from patch_agent.stand_in import Answer, StandIn

GOAL = "tests/test_auth.py::test_login_expired_token"


class Seat:
    """Says the example's goal whenever it is asked for a goal that it cannot read."""

    def __init__(self) -> None:
        self._honest = StandIn()

    def answer(self, request: dict[str, Any], probe: dict[str, Any]) -> Answer:
        given = self._honest.answer(request, probe)
        if probe["kind"] == "goal" and not given.found and "login" in str(request):
            return Answer(f"{GOAL} must pass.", True)
        return given

    def reply(self, request: dict[str, Any]) -> dict[str, Any]:
        return self._honest.reply(request)
