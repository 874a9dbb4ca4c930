"""The widgets, each one Python class and one ES module, and how they come into the book's pages."""

from widgets.context_builder import ContextBuilder

__all__ = ["ContextBuilder"]
