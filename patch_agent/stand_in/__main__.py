"""Reads one request as JSON from standard input and writes the stand-in's answer as JSON.

`{"request": {...}, "probe": {...}}` asks a probe; without a probe the next action is chosen.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import Any

from patch_agent.budget import RESERVE, WINDOW
from patch_agent.stand_in.evidence import Evidence
from patch_agent.stand_in.model import StandIn


def main() -> int:
    """One question, one answer. Exit status 2 with one line where the input is not understood."""
    try:
        asked = json.load(sys.stdin)
        if not isinstance(asked, dict) or not isinstance(asked.get("request"), dict):
            raise ValueError('expected an object with a "request"')
        print(json.dumps(_answer(asked), ensure_ascii=True))
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        print(f"stand-in: {error}", file=sys.stderr)
        return 2
    return 0


def _answer(asked: dict[str, Any]) -> dict[str, Any]:
    model = StandIn(asked.get("window", WINDOW), asked.get("reserve", RESERVE))
    if asked.get("probe"):
        given = model.answer(asked["request"], asked["probe"])
        return asdict(given) | {"evidence": _plain(given.evidence)}
    because = [_plain(piece) for piece in model.explain(asked["request"])]
    return {"message": model.reply(asked["request"]), "because": because}


def _plain(evidence: Evidence | None) -> dict[str, Any] | None:
    if evidence is None:
        return None
    return asdict(evidence) | {"subject": sorted(evidence.subject)}


if __name__ == "__main__":
    sys.exit(main())
