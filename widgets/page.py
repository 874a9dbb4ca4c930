"""A widget as HTML for a built page: first frame, catalogue, module and host in one piece.

The page then asks for nothing more until the exact texts are opened, and works from a file. What
all widgets of a page share is marked; `once` keeps the first of what is the same.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from widgets.first_frame import first_frame
from widgets.lab_frame import lab_frame
from widgets.modules import FOLDER, module_text, style_text


@dataclass(frozen=True, slots=True)
class Face:
    """What a page needs to know of a widget.

    `module` names its files, `key` begins its states and is the name under which its state stands
    in the page's address, unless it has another one. `styles` are its style sheets in order, and
    `frame` makes the first frame of a catalogue and a state.
    """

    module: str
    key: str
    styles: tuple[str, ...]
    frame: Callable[[Mapping[str, Any], str], str]

    @property
    def widget(self) -> str:
        """Its name in a page."""
        return self.module.replace("_", "-")

    @property
    def classes(self) -> str:
        """The classes of the element that it is drawn in."""
        return " ".join(dict.fromkeys(("cb", self.key)))


CONTEXT_BUILDER = Face("context_builder", "cb", ("context_builder",), first_frame)
POLICY_LAB = Face("policy_lab", "pl", ("context_builder", "policy_lab"), lab_frame)
_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,31}")
_SHARED = re.compile(r"<!--shared-->\n.*?<!--/shared-->\n", re.DOTALL)


def page_html(
    catalogue: Mapping[str, Any], key: str = "", state: str = "", face: Face = CONTEXT_BUILDER
) -> str:
    """A widget as a piece of HTML.

    `key` is the name under which its state stands in the page's address, `state` what it shows
    first, such as ``cb=1.6.careful.-.6.task``; the catalogue's first state where it is empty.
    Raises ValueError where one of them cannot be.
    """
    key = key or face.key
    if not _KEY.fullmatch(key):
        raise ValueError(f"key: expected a letter, then letters, digits, - or _, got {key!r:.80}")
    frame = face.frame(catalogue, state)
    data = script_json({"catalogue": catalogue, "module": module_text(face.module)})
    name = f"patch-{hashlib.sha256(data.encode('utf-8')).hexdigest()[:8]}"
    own = script_json({"key": key, "own": face.key, "state": state, "data": name})
    host = (FOLDER / "page_host.js").read_text(encoding="utf-8")
    styles = (_shared(f"<style>\n{style_text(one)}</style>\n") for one in face.styles)
    return (
        "".join(styles)
        + f'<div class="{face.classes}" data-patch-widget="{face.widget}">{frame}</div>\n'
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
