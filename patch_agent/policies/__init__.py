"""Policies: values that derive a request from a conversation, to be chained and compared."""

from patch_agent.policies.base import Built, Chain, ContextPolicy, PolicyError
from patch_agent.policies.cache_marks import CacheMarks
from patch_agent.policies.clear import ClearResults
from patch_agent.policies.clip import Clip
from patch_agent.policies.compact import Compact
from patch_agent.policies.names import NAMES, policy
from patch_agent.policies.pins import Pin
from patch_agent.policies.placeholders import is_placeholder, placeholder
from patch_agent.policies.recent import Recent
from patch_agent.policies.running import Running, resumed
from patch_agent.policies.state import PolicyState, StateError, load_state, save_state
from patch_agent.policies.summarised import Summarised
from patch_agent.policies.trim import Trim
from patch_agent.policies.worth import Worth

__all__ = [
    "NAMES",
    "Built",
    "CacheMarks",
    "Chain",
    "ClearResults",
    "Clip",
    "Compact",
    "ContextPolicy",
    "Pin",
    "PolicyError",
    "PolicyState",
    "Recent",
    "Running",
    "StateError",
    "Summarised",
    "Trim",
    "Worth",
    "is_placeholder",
    "load_state",
    "placeholder",
    "policy",
    "resumed",
    "save_state",
]
