"""Who can sit in the model's seat."""

from patch_agent.models.protocol import Model, ModelError
from patch_agent.models.scripted import ScriptedModel, ScriptEnded

__all__ = ["Model", "ModelError", "ScriptEnded", "ScriptedModel"]
