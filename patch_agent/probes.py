"""The probes: fixed questions about one request, and how an answer is judged.

The truth is known here and never in a request; the stand-in is given a probe's kind and
parameters alone. Order in the file is order of importance.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast

from patch_agent.data import DataError, data_path, read_toml
from patch_agent.stand_in import MISSING, Answer

Verdict = Literal["right", "wrong", "absent"]
"""absent: the answer says that it is not in the context."""
_FIELDS = {"id": str, "kind": str, "question": str, "truth": str, "want": list}


@dataclass(frozen=True, slots=True)
class Probe:
    """A question with its true answer.

    A right answer, or the words that it rests on, holds each string of `want`, in any case of
    letters; "a|b" is either of two. `missing` judges the answer that is given without evidence:
    wrong where silence makes the agent go ahead.
    """

    id: str
    kind: str
    question: str
    truth: str
    want: tuple[str, ...]
    params: Mapping[str, Any] = field(default_factory=dict)
    missing: Verdict = "absent"

    @property
    def asked(self) -> dict[str, Any]:
        """What the stand-in is given."""
        return {"kind": self.kind, "params": dict(self.params)}

    @property
    def missing_answer(self) -> str:
        """The answer where the request holds no evidence."""
        return MISSING[self.kind]

    def grade(self, answer: Answer) -> Verdict:
        """Judges one answer; a refused request holds no answer."""
        if answer.refused:
            return "absent"
        if not answer.found:
            return self.missing
        quote = answer.evidence.quote if answer.evidence else ""
        said = f"{answer.text}\n{quote}".casefold()
        right = all(any(w.casefold() in said for w in want.split("|")) for want in self.want)
        return "right" if right else "wrong"


def load_probes(path: Path | None = None) -> tuple[Probe, ...]:
    """The probes of a file, of the running example unless told otherwise. Raises DataError."""
    path = path or data_path("scenario", "probes.toml")
    records = read_toml(path).get("probe")
    if not isinstance(records, list) or not records:
        raise DataError(f"{path}: expected [[probe]]")
    return tuple(_probe(path, record) for record in records)


def _probe(path: Path, record: Any) -> Probe:
    if not isinstance(record, dict):
        raise DataError(f"{path}: probe: expected a table, got {record!r:.80}")
    for key, kind in _FIELDS.items():
        if key not in record:
            raise DataError(f"{path}: probe {record.get('id')!r} has no {key}")
        if not isinstance(record[key], kind):
            raise DataError(f"{path}: probe {record.get('id')!r}: {key}: got {record[key]!r:.80}")
    probe = Probe(
        record["id"],
        record["kind"],
        record["question"],
        record["truth"],
        tuple(record["want"]),
        record.get("params", {}),
        cast(Verdict, record.get("missing", "absent")),
    )
    if probe.kind not in MISSING:
        raise DataError(f"{path}: kind: expected one of {', '.join(MISSING)}, got {probe.kind!r}")
    if probe.missing not in ("wrong", "absent"):
        raise DataError(f"{path}: missing: expected wrong or absent, got {probe.missing!r}")
    return probe
