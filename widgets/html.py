"""Pieces of HTML for the first frames of widgets: everything that comes from data is escaped."""

from __future__ import annotations

from html import escape
from typing import Any


def fill(template: str, **values: Any) -> str:
    """A template filled as the module fills it, escaped; whole numbers get their commas."""
    shown = {name: f"{v:,}" if isinstance(v, int) else v for name, v in values.items()}
    text = template
    for name, value in shown.items():
        text = text.replace(f"{{{name}}}", str(value))
    return escape(text)


def tag(name: str, content: str, kind: str = "", **attributes: Any) -> str:
    """An element with its content as HTML; `kind` are its classes."""
    if kind:
        attributes = {"class": kind, **attributes}
    written = "".join(
        f' {key.replace("_", "-")}="{escape(str(value))}"' for key, value in attributes.items()
    )
    return f"<{name}{written}>" + ("" if name == "input" else f"{content}</{name}>")
