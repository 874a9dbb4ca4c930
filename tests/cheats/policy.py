"""A cheat that tells from the wording of a placeholder which policy made the request."""

from __future__ import annotations

from typing import Any

from patch_agent.stand_in import Answer, StandIn


class Seat:
    """Takes it that under clearing the user's rule must have been somewhere."""

    def __init__(self) -> None:
        self._honest = StandIn()

    def answer(self, request: dict[str, Any], probe: dict[str, Any]) -> Answer:
        given = self._honest.answer(request, probe)
        cleared = any(" cleared: " in str(m.get("content")) for m in request["messages"])
        if probe["kind"] == "may_edit" and cleared and not given.found:
            return Answer("No. It is off limits.", True)
        return given

    def reply(self, request: dict[str, Any]) -> dict[str, Any]:
        return self._honest.reply(request)
