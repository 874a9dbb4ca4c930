"""Runs a builder or a policy of yours under a limit, and says in words what became of it."""

from patch_agent.own.build import Bench, Outcome, run_build, run_policy
from patch_agent.own.guarded import Guarded, OwnTrouble
from patch_agent.own.latest import Latest
from patch_agent.own.timed import GRACE, LIMIT, Ran, run
from patch_agent.own.trouble import Trouble, say

__all__ = [
    "GRACE",
    "LIMIT",
    "Bench",
    "Guarded",
    "Latest",
    "Outcome",
    "OwnTrouble",
    "Ran",
    "Trouble",
    "run",
    "run_build",
    "run_policy",
    "say",
]
