"""What the widgets for notebooks share: one ES module, a catalogue and a state.

In JupyterLab and Voila the module runs beside the kernel, and the exact texts come from here when
they are asked for. In a build of the book a widget also has a text/html form, which needs no
kernel.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from threading import RLock
from typing import Any, ClassVar

import anywidget
import traitlets

from widgets.modules import module_text, style_text
from widgets.page import Face, page_html

IN_BOOK = "PATCH_AGENT_BOOK"
"""Environment variable that is set while the book is built."""


class NotebookWidget(anywidget.AnyWidget):  # type: ignore[misc]
    """A widget whose catalogue is also set by threads of its own, while its controls are moved.

    What comes from the page and what comes from a thread waits for each other. Without that a
    value that a thread sets while the page's are taken over might not be sent.
    """

    face: ClassVar[Face]
    _esm = traitlets.Unicode().tag(sync=True)
    _css = traitlets.Unicode().tag(sync=True)
    catalogue = traitlets.Dict().tag(sync=True)
    state = traitlets.Unicode("").tag(sync=True)

    def __init__(self, **traits: Any) -> None:
        self._turn = RLock()
        super().__init__(**traits)
        self.on_msg(self._answer)

    def texts(self, wanted: Iterable[str] | None = None) -> Mapping[str, Any]:
        """The exact texts that can be opened; those that are wanted, where a widget has many."""
        raise NotImplementedError

    def for_page(self) -> Mapping[str, Any]:
        """The catalogue for a page that has no Python behind it."""
        raise NotImplementedError

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Takes over what was changed in the page."""
        with self._turn:
            super().set_state(sync_data)

    def show(self, catalogue: dict[str, Any]) -> None:
        """Sends another catalogue; to be called from any thread."""
        with self._turn:
            self.catalogue = catalogue

    @traitlets.default("_esm")
    def _load_module(self) -> str:
        return module_text(self.face.module)

    @traitlets.default("_css")
    def _load_style(self) -> str:
        return "".join(map(style_text, self.face.styles))

    def _answer(self, _widget: object, message: Any, _buffers: object) -> None:
        if isinstance(message, Mapping) and message.get("kind") == "text":
            sha, wanted = self.catalogue["texts"]["sha"], message.get("wanted")
            names = list(map(str, wanted)) if isinstance(wanted, list) else None
            self.send({"kind": "text", "sha": sha, "texts": self.texts(names)})

    def _repr_mimebundle_(self, **options: Any) -> Any:
        bundle = super()._repr_mimebundle_(**options)
        if not os.environ.get(IN_BOOK) or bundle is None:
            return bundle
        data, *metadata = bundle if isinstance(bundle, tuple) else (bundle,)
        html = {**data, "text/html": page_html(self.for_page(), state=self.state, face=self.face)}
        return (html, *metadata) if metadata else html
