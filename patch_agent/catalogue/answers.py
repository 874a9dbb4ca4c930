"""Which segments carry the evidence for a probe or a fact, the one that decides first.

The stand-in reads each message by itself, so its evidence can be laid down once for each
segment; a state's answer is then that of the first carrier that is sent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from patch_agent.catalogue.segments import Segment
from patch_agent.probes import Probe
from patch_agent.stand_in import Answer, Evidence, Fact, evidence, utf16
from patch_agent.stand_in.evidence import ordered
from patch_agent.stand_in.reader import FIRST
from patch_agent.stand_in.wants import tools as tool_evidence


@dataclass(frozen=True, slots=True)
class Carrier:
    """A segment with evidence, and where in its text the evidence stands."""

    segment: Segment
    evidence: Evidence


def probe_carriers(probe: Probe, segments: Sequence[Segment]) -> tuple[Carrier, ...]:
    """The carriers of a probe's evidence, the first one that is sent decides."""
    if probe.kind == "tools":
        return tuple(_tool_lists(segments))
    found = (
        replace(piece, message=index)
        for index, segment in enumerate(segments)
        if segment.message is not None
        for piece in evidence(probe.asked, segment.wire)
    )
    return _in_order(found, segments, probe.kind in FIRST)


def fact_carriers(fact: Fact, segments: Sequence[Segment]) -> tuple[Carrier, ...]:
    """The carriers of a fact's value, the first one that is sent decides."""
    found = [
        replace(piece, message=index)
        for index, segment in enumerate(segments)
        if (segment.message is None) == fact.of_tools
        for piece in fact.read(segment.wire)
    ]
    if fact.of_tools:
        return tuple(Carrier(segments[piece.message], piece) for piece in found)
    return _in_order(found, segments, fact.first)


def _in_order(
    found: Iterable[Evidence], segments: Sequence[Segment], first: bool
) -> tuple[Carrier, ...]:
    """One carrier for each segment: of several statements in one, the first in order decides."""
    decides: dict[int, Evidence] = {}
    for piece in ordered(found, first):
        decides.setdefault(piece.message, piece)
    return tuple(Carrier(segments[index], piece) for index, piece in decides.items())


def _tool_lists(segments: Sequence[Segment]) -> Iterator[Carrier]:
    """For each setting of the tools, the definition that only it and larger ones send."""
    definitions = [segment for segment in segments if segment.tool is not None]
    for setting in ("40", "6"):
        sent = [segment for segment in definitions if setting in segment.when["tools"]]
        own = [segment for segment in sent if segment.when["tools"][0] == setting]
        for piece in tool_evidence([segment.wire for segment in sent]):
            yield Carrier(own[0], replace(piece, start=0, end=len(own[0].text)))


def probe_data(
    probe: Probe, segments: Sequence[Segment], words: Mapping[str, Any]
) -> dict[str, Any]:
    """The probe as the catalogue holds it."""
    missing = Answer(probe.missing_answer)
    return {
        "id": probe.id,
        "question": probe.question,
        "short": words["short"][probe.id],
        "missing": {"answer": missing.text, "verdict": probe.grade(missing)},
        "carriers": [_carrier_data(probe, c, words) for c in probe_carriers(probe, segments)],
    }


def _carrier_data(probe: Probe, carrier: Carrier, words: Mapping[str, Any]) -> dict[str, Any]:
    piece, segment = carrier.evidence, carrier.segment
    holds = piece.holds
    answer = Answer(piece.answer, True, piece) if holds else Answer(probe.missing_answer)
    data = {
        "segment": segment.id,
        "start": utf16(segment.text, piece.start),
        "end": utf16(segment.text, piece.end),
        "quote": " ".join(piece.quote.split()),
        "answer": answer.text,
        "verdict": probe.grade(answer),
    }
    if data["verdict"] == "right":
        data["lost"] = _lost(segment, words)
    return data


def _lost(segment: Segment, words: Mapping[str, Any]) -> str:
    """What is said of evidence that is not sent; the widget fills in what became of old steps."""
    if segment.step is not None:
        text: str = words["lost"][segment.role]
        return text.replace("{step}", str(segment.step))
    text = words["lost"]["tools" if segment.part == "tools" else "part"]
    return text.replace("{part}", words["parts"][segment.part])


def fact_data(fact: Fact, segments: Sequence[Segment]) -> dict[str, Any]:
    """The fact as the catalogue holds it."""
    return {
        "id": fact.id,
        "missing": fact.missing,
        "carriers": [
            {
                "segment": c.segment.id,
                "value": c.evidence.answer if c.evidence.holds else fact.missing,
            }
            for c in fact_carriers(fact, segments)
        ],
    }
