"""A widget as HTML for a built page: first frame, catalogue, module and host in one piece.

The page then asks for nothing more until the exact texts are opened, and works from a file. What
all widgets of a page share is marked; `once` keeps the first of what is the same.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any

from widgets.first_frame import first_frame
from widgets.modules import FOLDER, module_text, style_text

KEY = "cb"
"""Under this name the widget's state stands in the page's address, unless it has another one."""
_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,31}")
_SHARED = re.compile(r"<!--shared-->\n.*?<!--/shared-->\n", re.DOTALL)


def page_html(catalogue: Mapping[str, Any], key: str = KEY, state: str = "") -> str:
    """The widget ContextBuilder as a piece of HTML.

    `key` is the name under which its state stands in the page's address, `state` what it shows
    first, such as ``cb=1.6.careful.-.6.task``; the catalogue's first state where it is empty.
    Raises ValueError where one of them cannot be.
    """
    if not _KEY.fullmatch(key):
        raise ValueError(f"key: expected a letter, then letters, digits, - or _, got {key!r:.80}")
    frame = first_frame(catalogue, state)
    data = script_json({"catalogue": catalogue, "module": module_text("context_builder")})
    name = f"patch-{hashlib.sha256(data.encode('utf-8')).hexdigest()[:8]}"
    own = script_json({"key": key, "state": state, "data": name})
    host = (FOLDER / "page_host.js").read_text(encoding="utf-8")
    return (
        _shared(f"<style>\n{style_text('context_builder')}</style>\n")
        + f'<div class="cb" data-patch-widget="context-builder">{frame}</div>\n'
        + f'<script type="application/json">{own}</script>\n'
        + _shared(f'<script type="application/json" id="{name}">{data}</script>\n')
        + _shared(f"<script>\n{host}</script>\n")
        + "<script>patchWidgets.start();</script>\n"
    )


def once(html: str) -> str:
    """A page with each shared piece of its widgets where it first stands, and nowhere else."""
    seen: set[str] = set()

    def keep(piece: re.Match[str]) -> str:
        text = piece[0]
        if text in seen:
            return ""
        seen.add(text)
        return text

    return _SHARED.sub(keep, html)


def _shared(html: str) -> str:
    return f"<!--shared-->\n{html}<!--/shared-->\n"


def script_json(value: Any) -> str:
    """JSON that can stand inside a script element."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
