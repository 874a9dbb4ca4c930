"""The widget ContextBuilder for notebooks: Patch's next call, or one that a builder of yours makes.

The page "The context of one call" explains what it shows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

import traitlets

from patch_agent.builder import assemble
from patch_agent.catalogue import load_catalogue, texts
from patch_agent.messages import Message
from patch_agent.own import LIMIT
from patch_agent.scenario import Scenario, load_scenario
from widgets.learner import Builder, OwnBuilds, for_page, session_of
from widgets.notebook import NotebookWidget
from widgets.page import CONTEXT_BUILDER, Face


class ContextBuilder(NotebookWidget):
    """Patch's next call, put together by hand.

    `session` is what to build from: the recorded session unless told otherwise, or another
    conversation in its place, such as the first messages of it. `build` is a function of yours
    with the arguments of `build_context` (patch state, conversation, window) that returns a
    `Built` or a request; it is called anew after each change of the controls, which reach it as
    ``patch_state.choices``, and may take `limit` seconds. `state` is what a link to the page
    holds, such as ``cb=1.34.drop.-.6.task``: the recent steps, what becomes of the older ones,
    the form to compare with, the tools, the parts that are off. Empty: the first frame.
    """

    face: ClassVar[Face] = CONTEXT_BUILDER

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
        if build is not None:
            _check_callable(build)
        if build is not None or found != load_scenario():
            self._own = OwnBuilds(found, build or assemble, self.show, limit)
            traits["catalogue"] = self._own.now(state)
        super().__init__(state=state, **traits)

    @property
    def build(self) -> Builder | None:
        """The builder of yours; set another one, and its call is shown."""
        return self._own.build if self._own is not None else None

    @build.setter
    def build(self, function: Builder) -> None:
        if self._own is None:
            raise AttributeError("build: this widget was made without one: ContextBuilder(build=…)")
        _check_callable(function)
        self._own.build = function
        self._own.soon(self.state)

    @traitlets.observe("state")
    def _rebuild(self, _change: object) -> None:
        if self._own is not None and self.comm is not None:
            self._own.soon(self.state)

    @traitlets.default("catalogue")
    def _load_catalogue(self) -> dict[str, Any]:
        return load_catalogue()

    def texts(self, wanted: Iterable[str] | None = None) -> Mapping[str, Any]:
        """The exact texts that can be opened: of every state, or of the call of your own."""
        return texts() if self._own is None else self._own.texts()

    def for_page(self) -> Mapping[str, Any]:
        """The catalogue for a page, where no call is made anew."""
        return self.catalogue if self._own is None else for_page(self.catalogue)


def _check_callable(build: object) -> None:
    if not callable(build):
        raise TypeError(f"build: expected a function, got {type(build).__name__}")
