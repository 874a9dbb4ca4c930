"""Patch's tools: six of them, working in one folder and nowhere else."""

from patch_agent.tools.errors import ToolError
from patch_agent.tools.outputs import SavedOutputs, cut
from patch_agent.tools.paths import inside
from patch_agent.tools.workspace import (
    TOOLS,
    Outcome,
    Tool,
    Workspace,
    definitions,
    effect,
    fresh_copy,
)

__all__ = [
    "TOOLS",
    "Outcome",
    "SavedOutputs",
    "Tool",
    "ToolError",
    "Workspace",
    "cut",
    "definitions",
    "effect",
    "fresh_copy",
    "inside",
]
