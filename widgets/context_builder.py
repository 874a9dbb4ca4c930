"""The widget ContextBuilder for notebooks: the catalogue and the state, shown by one ES module.

In JupyterLab and Voila the module runs beside the kernel; the exact texts come from here when
they are asked for, and so do the calls of a builder of your own. In a build of the book the
widget also has a text/html form, which needs no kernel. The page "The context of one call"
explains what it shows.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import traitlets

from patch_agent.builder import assemble
from patch_agent.catalogue import load_catalogue, texts
from patch_agent.messages import Message
from patch_agent.own import LIMIT
from patch_agent.scenario import Scenario, load_scenario
from widgets.from_threads import FromThreads
from widgets.learner import Builder, OwnBuilds, for_page, session_of
from widgets.modules import module_text, style_text
from widgets.page import page_html

IN_BOOK = "PATCH_AGENT_BOOK"
"""Environment variable that is set while the book is built."""


class ContextBuilder(FromThreads):
    """Patch's next call, put together by hand.

    `session` is what to build from: the recorded session unless told otherwise, or another
    conversation in its place, such as the first messages of it. `build` is a function of yours
    with the arguments of `build_context` (patch state, conversation, window) that returns a
    `Built` or a request; it is called anew after each change of the controls, which reach it as
    ``patch_state.choices``, and may take `limit` seconds. `state` is what a link to the page
    holds, such as ``cb=1.34.drop.-.6.task``: the recent steps, what becomes of the older ones,
    the form to compare with, the tools, the parts that are off. Empty: the first frame.
    """

    _esm = traitlets.Unicode().tag(sync=True)
    _css = traitlets.Unicode().tag(sync=True)
    catalogue = traitlets.Dict().tag(sync=True)
    state = traitlets.Unicode("").tag(sync=True)

    def __init__(
        self,
        session: Scenario | Sequence[Message] | None = None,
        build: Builder | None = None,
        *,
        state: str = "",
        limit: float = LIMIT,
        **traits: Any,
    ) -> None:
        self._own: OwnBuilds | None = None
        found = session_of(session)
        if build is not None and not callable(build):
            raise TypeError(f"build: expected a function, got {type(build).__name__}")
        if build is not None or found != load_scenario():
            self._own = OwnBuilds(found, build or assemble, self.show, limit)
            traits["catalogue"] = self._own.now(state)
        super().__init__(state=state, **traits)
        self.on_msg(self._answer)

    @property
    def build(self) -> Builder | None:
        """The builder of yours; set another one, and its call is shown."""
        return self._own.build if self._own is not None else None

    @build.setter
    def build(self, function: Builder) -> None:
        if self._own is None:
            raise AttributeError("build: this widget was made without one: ContextBuilder(build=…)")
        self._own.build = function
        self._own.soon(self.state)

    @traitlets.observe("state")
    def _rebuild(self, _change: object) -> None:
        if self._own is not None and self.comm is not None:
            self._own.soon(self.state)

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
            found = texts() if self._own is None else self._own.texts()
            self.send({"kind": "text", "sha": sha, "texts": found})

    def _repr_mimebundle_(self, **options: Any) -> Any:
        bundle = super()._repr_mimebundle_(**options)
        if not os.environ.get(IN_BOOK) or bundle is None:
            return bundle
        data, *metadata = bundle if isinstance(bundle, tuple) else (bundle,)
        shown = self.catalogue if self._own is None else for_page(self.catalogue)
        html = {**data, "text/html": page_html(shown, state=self.state)}
        return (html, *metadata) if metadata else html
