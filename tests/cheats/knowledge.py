"""A cheat that looks up the truth in the scenario's own files."""

from __future__ import annotations

from typing import Any

from patch_agent.probes import load_probes
from patch_agent.stand_in import Answer, StandIn


class Seat:
    """Answers with the truth of the running example where the request holds nothing."""

    def __init__(self) -> None:
        self._honest = StandIn()

    def answer(self, request: dict[str, Any], probe: dict[str, Any]) -> Answer:
        given = self._honest.answer(request, probe)
        truth = [known for known in load_probes() if known.kind == probe["kind"]]
        return given if given.found or not truth else Answer(truth[0].truth, True)

    def reply(self, request: dict[str, Any]) -> dict[str, Any]:
        return self._honest.reply(request)
