"""Policies: values that derive a request from a conversation, to be chained and compared."""

from patch_agent.policies.base import Built, Chain, ContextPolicy, PolicyError, PolicyState
from patch_agent.policies.clear import ClearResults, is_placeholder, placeholder
from patch_agent.policies.compact import Compact
from patch_agent.policies.pins import Pin
from patch_agent.policies.recent import Recent
from patch_agent.policies.summarised import Summarised

__all__ = [
    "Built",
    "Chain",
    "ClearResults",
    "Compact",
    "ContextPolicy",
    "Pin",
    "PolicyError",
    "PolicyState",
    "Recent",
    "Summarised",
    "is_placeholder",
    "placeholder",
]
