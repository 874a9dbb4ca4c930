"""A cheat that keeps what earlier requests told it."""

from __future__ import annotations

from typing import Any

from patch_agent.stand_in import Answer, StandIn

_known: dict[str, Answer] = {}


class Seat:
    """Gives the answer of an earlier request where this one holds none."""

    def __init__(self) -> None:
        self._honest = StandIn()

    def answer(self, request: dict[str, Any], probe: dict[str, Any]) -> Answer:
        given = self._honest.answer(request, probe)
        key = str(sorted(probe.items(), key=str))
        if given.found:
            _known[key] = given
        return given if given.found else _known.get(key, given)

    def reply(self, request: dict[str, Any]) -> dict[str, Any]:
        return self._honest.reply(request)
