"""The widgets, each one Python class and one ES module, and how they come into the book's pages."""

from typing import Any

__all__ = ["ContextBuilder", "PolicyLab"]


def __getattr__(name: str) -> Any:
    """A widget, imported when it is asked for: the tables here need no notebook."""
    if name == "ContextBuilder":
        from widgets.context_builder import ContextBuilder

        return ContextBuilder
    if name == "PolicyLab":
        from widgets.policy_lab import PolicyLab

        return PolicyLab
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
