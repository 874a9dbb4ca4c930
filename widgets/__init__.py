"""The widgets, each one Python class and one ES module, and how they come into the book's pages."""

from typing import Any

__all__ = ["ContextBuilder"]


def __getattr__(name: str) -> Any:
    """ContextBuilder, imported when it is asked for: the tables here need no notebook."""
    if name == "ContextBuilder":
        from widgets.context_builder import ContextBuilder

        return ContextBuilder
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
