"""Summaries of earlier steps: a careful writer, a careless one, and a ledger of what they keep."""

from patch_agent.summaries.careful import careful
from patch_agent.summaries.careless import careless
from patch_agent.summaries.ledger import LedgerRow, ledger
from patch_agent.summaries.record import Record, scan
from patch_agent.summaries.summary import LIMIT, Summary, SummaryWriter

WRITERS: dict[str, SummaryWriter] = {"careful": careful, "careless": careless}
"""The writers that need no model, by the kind of summary that they write."""

__all__ = [
    "LIMIT",
    "WRITERS",
    "LedgerRow",
    "Record",
    "Summary",
    "SummaryWriter",
    "careful",
    "careless",
    "ledger",
    "scan",
]
