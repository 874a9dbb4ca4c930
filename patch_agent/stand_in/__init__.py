"""The stand-in in the model's seat. The page "The stand-in" of the book declares what it does."""

from patch_agent.stand_in.evidence import Answer, Evidence, utf16
from patch_agent.stand_in.facts import Fact, facts, run_facts
from patch_agent.stand_in.limited import LimitedReader
from patch_agent.stand_in.model import StandIn
from patch_agent.stand_in.reader import MISSING, evidence

__all__ = [
    "MISSING",
    "Answer",
    "Evidence",
    "Fact",
    "LimitedReader",
    "StandIn",
    "evidence",
    "facts",
    "run_facts",
    "utf16",
]
