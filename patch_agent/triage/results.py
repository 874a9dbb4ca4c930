"""What a run came to, in figures, as data and as JSON."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from patch_agent.messages import Message, Usage
from patch_agent.pricing import PriceTable
from patch_agent.triage.run import Run

TIER = 100_000
"""Tokens above which a request is dear."""
LOOK = 10
"""The step at which the share of results is looked at, as the book does."""


@dataclass(frozen=True, slots=True)
class RunResult:
    """One run in figures: tokens exact, cost in the unit of its price table, shares from 0 to 1.

    `input` are the tokens of all requests, `cached` those of them that were read from the cache,
    `summary` those that writing summaries took; `dear` is the share of requests above TIER;
    `results` and `reasoning` are the share of results in request LOOK, and reasoning per token
    of results in the last one. `rereads` are reads with arguments that were used before.
    """

    policy: str
    seed: int
    world: int
    limit: int
    steps: int
    ending: str
    input: int
    cached: int
    reply: int
    summary: int
    cost: float
    dear: float
    results: float
    reasoning: float
    rereads: int
    duplicates: int
    compactions: int
    kept: int
    restored: int
    passed: int
    total: int
    missed: tuple[str, ...]
    note_writes: int
    note_reads: int
    reproductions: int

    @property
    def finished(self) -> bool:
        """Whether the agent said that it was done."""
        return self.ending == "done"

    @property
    def cached_share(self) -> float:
        """The part of the input that was read from the cache."""
        return self.cached / self.input if self.input else 0.0

    def as_json(self) -> dict[str, Any]:
        """The figures as plain JSON."""
        flat = asdict(self) | {"missed": list(self.missed), "finished": self.finished}
        flat["checks"] = {"passed": flat.pop("passed"), "total": flat.pop("total")}
        names = ("input", "cached", "reply", "summary")
        flat["tokens"] = {name: flat.pop(name) for name in names}
        flat["identifiers"] = {name: flat.pop(name) for name in ("kept", "restored")}
        flat["cached_share"] = round(self.cached_share, 4)
        return flat


def measure(run: Run) -> RunResult:
    """The figures of a run. Raises ValueError for one that made no request."""
    sent = run.sent
    if not sent:
        raise ValueError(f"run: expected one request at least; it ended with {run.ending!r}")
    at, last = sent[min(LOOK, len(sent)) - 1], sent[-1]
    summaries = [one.summary for one in sent]
    cost = sum(one.bill.cost for one in sent)
    cost += sum(summary_cost(usage, run.prices) for usage in summaries)
    return RunResult(
        policy=run.settings.policy,
        seed=run.settings.seed,
        world=run.settings.world,
        limit=run.settings.limit,
        steps=len(sent),
        ending=run.ending,
        input=sum(one.tokens for one in sent),
        cached=sum(one.bill.read for one in sent),
        reply=sum(one.bill.reply for one in sent),
        summary=sum(usage.input + usage.output for usage in summaries),
        cost=round(cost, 6),
        dear=round(sum(one.tokens > TIER for one in sent) / len(sent), 4),
        results=round(at.results / at.tokens, 4),
        reasoning=round(last.reasoning / last.results, 4) if last.results else 0.0,
        rereads=rereads(run.conversation),
        duplicates=run.duplicates,
        compactions=sum(one.compacted for one in sent),
        kept=sum(one.kept for one in sent),
        restored=sum(one.restored for one in sent),
        passed=run.grade.passed,
        total=run.grade.total,
        missed=tuple(check.id for check in run.grade.missed),
        note_writes=run.counts.note_writes,
        note_reads=run.counts.note_reads,
        reproductions=run.counts.reproductions,
    )


def summary_cost(usage: Usage, prices: PriceTable) -> float:
    """What writing a summary cost, in the table's unit; nothing where none was written."""
    spent = usage.input * prices.input + usage.output * prices.output
    return prices.times(usage.input) * spent / prices.per


def rereads(conversation: Iterable[Message]) -> int:
    """Reads of a report or a file that had been made before with equal arguments."""
    reads = [
        (made.name, made.arguments)
        for message in conversation
        for made in message.calls
        if made.name in ("read_report", "read_file")
    ]
    return len(reads) - len(set(reads))
