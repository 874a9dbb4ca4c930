"""A widget as HTML for a built page: first frame, catalogue, module and host in one piece.

The page then asks for nothing more until the exact texts are opened, and works from a file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from widgets.first_frame import first_frame
from widgets.modules import FOLDER, module_text, style_text

KEY = "cb"
"""Under this name the widget's state stands in the page's address."""


def page_html(catalogue: Mapping[str, Any]) -> str:
    """The widget ContextBuilder as a piece of HTML."""
    data = {"key": KEY, "catalogue": catalogue, "module": module_text("context_builder")}
    host = (FOLDER / "page_host.js").read_text(encoding="utf-8")
    return (
        f"<style>\n{style_text('context_builder')}</style>\n"
        f'<div class="cb" data-patch-widget="context-builder">{first_frame(catalogue)}</div>\n'
        f'<script type="application/json">{script_json(data)}</script>\n'
        f"<script>\n{host}</script>\n"
    )


def script_json(value: Any) -> str:
    """JSON that can stand inside a script element."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
