"""What a triage agent is given at the start: system prompt, tool definitions and task."""

from __future__ import annotations

import json
from typing import Any

from patch_agent.data import data_path
from patch_agent.triage.texts import fill, prompts
from patch_agent.triage.world import World


def system_text(world: World) -> str:
    """The system prompt: how the service works, and how reports become issues."""
    return _filled("system", world)


def task_text(world: World) -> str:
    """What the user asks for, in one message."""
    return _filled("task", world)


def definitions() -> tuple[dict[str, Any], ...]:
    """The definitions of the ten tools as they are sent to the model."""
    return tuple(json.loads(data_path("triage", "tools.json").read_text(encoding="utf-8")))


def _filled(name: str, world: World) -> str:
    listed = sum(1 for report in world.reports if not report.archived)
    words = {
        "app": world.app,
        "about": world.about,
        "version": world.version,
        "open": str(listed),
    }
    return fill(prompts()[name].strip("\n"), words)
