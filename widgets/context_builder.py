"""The widget ContextBuilder for notebooks: the catalogue and the state, shown by one ES module.

In JupyterLab and Voila the module runs beside the kernel; the exact texts come from here when
they are asked for. In a build of the book the widget also has a text/html form, which needs no
kernel. The page "The context of one call" explains what it shows.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import anywidget
import traitlets

from patch_agent.catalogue import load_catalogue, texts
from widgets.modules import module_text, style_text
from widgets.page import page_html

IN_BOOK = "PATCH_AGENT_BOOK"
"""Environment variable that is set while the book is built."""


class ContextBuilder(anywidget.AnyWidget):  # type: ignore[misc]
    """Patch's next call, put together by hand.

    `state` is what a link to the page holds, such as ``cb=1.34.drop.-.6.task``: the recent
    steps, what becomes of the older ones, the form to compare with, the tools, the parts
    that are off. Empty: the first frame.
    """

    _esm = traitlets.Unicode().tag(sync=True)
    _css = traitlets.Unicode().tag(sync=True)
    catalogue = traitlets.Dict().tag(sync=True)
    state = traitlets.Unicode("").tag(sync=True)

    def __init__(self, state: str = "", **traits: Any) -> None:
        super().__init__(state=state, **traits)
        self.on_msg(self._answer)

    @traitlets.default("_esm")
    def _load_module(self) -> str:
        return module_text("context_builder")

    @traitlets.default("_css")
    def _load_style(self) -> str:
        return style_text("context_builder")

    @traitlets.default("catalogue")
    def _load_catalogue(self) -> dict[str, Any]:
        return load_catalogue()

    def _answer(self, _widget: object, message: Any, _buffers: object) -> None:
        if isinstance(message, Mapping) and message.get("kind") == "text":
            sha = self.catalogue["texts"]["sha"]
            self.send({"kind": "text", "sha": sha, "texts": texts()})

    def _repr_mimebundle_(self, **options: Any) -> Any:
        bundle = super()._repr_mimebundle_(**options)
        if not os.environ.get(IN_BOOK) or bundle is None:
            return bundle
        data, *metadata = bundle if isinstance(bundle, tuple) else (bundle,)
        html = {**data, "text/html": page_html(self.catalogue, state=self.state)}
        return (html, *metadata) if metadata else html
