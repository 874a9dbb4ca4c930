"""A widget whose traits are also set by threads of its own, while its controls are moved."""

from __future__ import annotations

from threading import RLock
from typing import Any

import anywidget


class FromThreads(anywidget.AnyWidget):  # type: ignore[misc]
    """What comes from the page and what comes from a thread waits for each other.

    Without that a value that a thread sets while the page's are taken over might not be sent.
    """

    def __init__(self, **traits: Any) -> None:
        self._turn = RLock()
        super().__init__(**traits)

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Takes over what was changed in the page."""
        with self._turn:
            super().set_state(sync_data)

    def show(self, catalogue: dict[str, Any]) -> None:
        """Sends another catalogue; to be called from any thread."""
        with self._turn:
            self.catalogue = catalogue
