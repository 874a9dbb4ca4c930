"""The catalogue of one request that a builder of yours made.

It has the shape of the large one, so that the widget draws it alike. Each of its segments is
always sent, and the stand-in's answers are given for this request alone. Neither the ten steps
nor what other states would send is in it: only your function could tell.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from patch_agent.budget import Budget
from patch_agent.builder import Choices, default_counter, full_request
from patch_agent.catalogue.build import load_catalogue
from patch_agent.catalogue.costs import begins_alike
from patch_agent.catalogue.segments import Segment, as_data
from patch_agent.messages import Message, replied, steps
from patch_agent.probes import Probe, load_probes
from patch_agent.request import Request
from patch_agent.scenario import Scenario
from patch_agent.stand_in import Answer, reader, utf16
from patch_agent.stand_in.evidence import TOOLS_ARRAY
from patch_agent.vocabulary import clean, load_encoder


@dataclass(frozen=True, slots=True)
class OwnCall:
    """A request as the widget draws it, and the exact text of each of its segments."""

    catalogue: dict[str, Any]
    texts: dict[str, str]

    @property
    def verdicts(self) -> list[str]:
        """How each probe's answer is judged."""
        probes = self.catalogue["probes"]
        return [(p["carriers"] or [p["missing"]])[0]["verdict"] for p in probes]


def own_call(session: Scenario, request: Request) -> OwnCall:
    """The catalogue of a request, and its texts. The request has to be sound and to fit."""
    segments = own_segments(request, session.conversation)
    texts = {segment.id: clean(segment.text) for segment in segments}
    counter, base = default_counter(), own_frame(session)
    rows = [as_data(segment, counter) for segment in segments]
    catalogue = base | {
        "segments": [row | {"head": clean(row["head"])} for row in rows],
        "probes": list(_probes(base["probes"], request, segments)),
        **_costs(session, segments),
        "texts": {"sha": _sha(texts), "file": ""},
    }
    return OwnCall(catalogue, texts)


def own_frame(session: Scenario) -> dict[str, Any]:
    """What is the same in every catalogue of a session: sizes, words, parts; and nothing sent."""
    known, budget = load_catalogue(), Budget(session.window)
    return known | {
        "session": {"steps": session.steps},
        "window": budget.window,
        "reserve": budget.reserve,
        "budget": budget.limit,
        "segments": [],
        "facts": [],
        "runs": {},
        "ledger": [],
        "previous": [],
        "shared": {},
        "experiments": [],
    }


def own_segments(request: Request, conversation: Sequence[Message]) -> tuple[Segment, ...]:
    """The request's messages and tool definitions as segments, named after what they hold."""
    home = {index: step.number for step in steps(conversation) for index in step.indices}
    seen: Counter[str] = Counter()
    found = []
    for segment in _pieces(request, home):
        text = json.dumps([segment.part, segment.wire], sort_keys=True)
        name = hashlib.sha256(text.encode("utf-8")).hexdigest()[:12]
        seen[name] += 1
        again = f".{seen[name]}" if seen[name] > 1 else ""
        found.append(replace(segment, id=f"own.{name}{again}"))
    return tuple(found)


def _pieces(request: Request, home: Mapping[int, int]) -> Iterator[Segment]:
    for part in request.parts:
        for tool in part.tools:
            yield Segment("", part.id, tool=tool)
        for entry in part.entries:
            step = None if entry.index is None or part.id == "user" else home.get(entry.index)
            yield Segment("", part.id, entry.message, step=step)


def _probes(
    known: Sequence[Mapping[str, Any]], request: Request, segments: Sequence[Segment]
) -> Iterator[dict[str, Any]]:
    wire = request.wire()
    messages = [segment for segment in segments if segment.message is not None]
    tools = [segment for segment in segments if segment.tool is not None]
    for row, probe in zip(known, load_probes(), strict=True):
        answer = reader.answer(probe.asked, wire)
        missing = {"answer": answer.text, "verdict": probe.grade(answer)}
        carriers = []
        if answer.evidence is not None:
            in_tools = answer.evidence.message == TOOLS_ARRAY
            segment = tools[0] if in_tools else messages[answer.evidence.message]
            carriers = [_carrier(probe, answer, segment)]
        yield {**row, "missing": missing, "carriers": carriers}


def _carrier(probe: Probe, answer: Answer, segment: Segment) -> dict[str, Any]:
    piece = answer.evidence
    assert piece is not None
    whole = piece.message == TOOLS_ARRAY
    return {
        "segment": segment.id,
        "start": 0 if whole else utf16(segment.text, piece.start),
        "end": utf16(segment.text, len(segment.text) if whole else piece.end),
        "quote": clean(" ".join(piece.quote.split())),
        "answer": clean(answer.text),
        "verdict": probe.grade(answer),
    }


def _costs(session: Scenario, segments: Sequence[Segment]) -> dict[str, Any]:
    """The call before with everything sent, as in the large catalogue, and what this one shares."""
    before = own_segments(_call_before(session), session.conversation)
    pairs = enumerate(zip(before, segments, strict=False))
    breaks = next(((at, old, new) for at, (old, new) in pairs if old.id != new.id), None)
    shared: dict[str, dict[str, int]] = {}
    if breaks is not None:
        at, old, new = breaks
        tokens = begins_alike(old, new, default_counter(), load_encoder().encode)
        shared = {str(at): {new.id: tokens}}
    return {"previous": [segment.id for segment in before], "shared": shared}


def _call_before(session: Scenario) -> Request:
    """The call that gave the last step, with every step before it and without the task block."""
    last = replied(session.conversation)[-1:]
    end = last[0].assistant if last else 0
    state = replace(session.state, choices=Choices(0, off=frozenset({"task"})))
    return full_request(state, session.conversation[:end])


def _sha(texts: Mapping[str, str]) -> str:
    return hashlib.sha256(json.dumps(texts).encode("utf-8")).hexdigest()[:12]
