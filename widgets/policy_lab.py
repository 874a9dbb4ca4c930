"""The widget PolicyLab for notebooks: runs of the batch, the recorded ones and your own.

In JupyterLab and Voila the module runs beside the kernel; the exact texts come from here when
they are asked for. In a build of the book the widget also has a text/html form, which needs no
kernel. The page "Policies as values" explains what it shows.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from typing import Any

import anywidget
import traitlets

from patch_agent.request import Request
from patch_agent.triage.lab import curve
from patch_agent.triage.lab_catalogue import with_run
from patch_agent.triage.lab_data import lab_texts, load_lab, typical_requests
from patch_agent.triage.lab_text import texts
from patch_agent.triage.results import measure
from patch_agent.triage.run import Run
from patch_agent.triage.settings import LIMIT
from widgets.context_builder import IN_BOOK
from widgets.modules import module_text, style_text
from widgets.page import POLICY_LAB, page_html

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,31}")


class PolicyLab(anywidget.AnyWidget):  # type: ignore[misc]
    """Runs of the batch, request by request, beside the figures of all runs.

    `runs` are results of `run_batch`, shown beside the recorded ones. `state` is what a link to
    the page holds, such as ``pl=1.none:all.clear:all.22.cost``: two choices of runs, the request,
    the figure. Empty: the first frame.
    """

    _esm = traitlets.Unicode().tag(sync=True)
    _css = traitlets.Unicode().tag(sync=True)
    catalogue = traitlets.Dict().tag(sync=True)
    state = traitlets.Unicode("").tag(sync=True)

    def __init__(self, runs: Iterable[Run] = (), *, state: str = "", **traits: Any) -> None:
        self._own: dict[str, tuple[Request, ...]] = {}
        self._changes = 0
        super().__init__(state=state, **traits)
        self.add(*runs)
        self.on_msg(self._answer)

    def add(self, *runs: Run, name: str = "") -> None:
        """Shows more runs, under a policy's name or under that of their settings.

        A run of the same name and seed is replaced. Raises ValueError.
        """
        if name and not _NAME.fullmatch(name):
            raise ValueError(f"name: expected a letter, then letters, digits, - or _, got {name!r}")
        catalogue = self.catalogue
        for run in runs:
            own = name or _name_of(run)
            made = tuple(run.requests())
            figures = measure(run).as_json()
            catalogue = with_run(catalogue, curve(run, made, own), figures)
            self._own[f"{own}:{run.settings.seed}"] = made
        if runs:
            self._changes += 1
            names = [*dict.fromkeys((*catalogue["texts"]["runs"], *self._own))]
            given = {**catalogue["texts"], "sha": f"own-{self._changes}", "runs": names}
            self.catalogue = {**catalogue, "texts": given}

    def texts(self) -> dict[str, Any]:
        """The exact texts that can be opened: of recorded runs, and of those that were added."""
        return texts({**typical_requests(), **self._own}) if self._own else lab_texts()

    @traitlets.default("_esm")
    def _load_module(self) -> str:
        return module_text(POLICY_LAB.module)

    @traitlets.default("_css")
    def _load_style(self) -> str:
        return "".join(map(style_text, POLICY_LAB.styles))

    @traitlets.default("catalogue")
    def _load_catalogue(self) -> dict[str, Any]:
        return load_lab()

    def _answer(self, _widget: object, message: Any, _buffers: object) -> None:
        if isinstance(message, Mapping) and message.get("kind") == "text":
            sha = self.catalogue["texts"]["sha"]
            self.send({"kind": "text", "sha": sha, "texts": self.texts()})

    def _repr_mimebundle_(self, **options: Any) -> Any:
        bundle = super()._repr_mimebundle_(**options)
        if not os.environ.get(IN_BOOK) or bundle is None:
            return bundle
        data, *metadata = bundle if isinstance(bundle, tuple) else (bundle,)
        page = page_html(self.catalogue, state=self.state, face=POLICY_LAB)
        html = {**data, "text/html": page}
        return (html, *metadata) if metadata else html


def _name_of(run: Run) -> str:
    """The name of a run's policy; where its settings are not the recorded ones, with them."""
    at = run.settings
    own = [f"world-{at.world}"] if at.world != 1 else []
    own += [f"limit-{at.limit}"] if at.limit != LIMIT else []
    return "-".join([at.policy, *own])
