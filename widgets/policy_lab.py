"""The widget PolicyLab for notebooks: runs of the batch, the recorded ones and your own.

The page "Policies as values" explains what it shows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

import traitlets

from patch_agent.own import LIMIT as OWN_LIMIT
from patch_agent.request import Request
from patch_agent.triage.lab import curve
from patch_agent.triage.lab_catalogue import VERSION, with_run, without_policy
from patch_agent.triage.lab_data import SEEDS, load_lab, typical_requests
from patch_agent.triage.lab_text import texts
from patch_agent.triage.results import measure
from patch_agent.triage.run import Run
from patch_agent.triage.settings import LIMIT, POLICIES
from widgets.lab_learner import OwnPolicies, Runs
from widgets.notebook import NotebookWidget
from widgets.page import POLICY_LAB, Face

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,31}")


class PolicyLab(NotebookWidget):
    """Runs of the batch, request by request, beside the figures of all runs.

    `runs` are results of `run_batch`, shown beside the recorded ones. `policies` are yours by
    name: each is a policy, or a function that is given a request and a state and returns a
    request or a `Built`. It does the runs of the first `seeds` in the background and may take
    `limit` seconds for each request; what goes wrong is said in the widget. `state` is what a
    link to the page holds, such as ``pl=1.none:all.clear:all.22.cost``: two choices of runs, the
    request, the figure. Empty: the first frame. Raises ValueError for seeds or a limit that
    make no sense.
    """

    face: ClassVar[Face] = POLICY_LAB

    def __init__(
        self,
        runs: Iterable[Run] = (),
        policies: Mapping[str, object] | None = None,
        *,
        seeds: Iterable[int] = SEEDS,
        limit: float = OWN_LIMIT,
        state: str = "",
        **traits: Any,
    ) -> None:
        self._own: dict[str, tuple[Request, ...]] = {}
        self._changes = 0
        self._policies = OwnPolicies(self._show, tuple(seeds), limit)
        super().__init__(state=state, **traits)
        self.add(*runs)
        if policies:
            self.run(**policies)

    def run(self, /, **policies: object) -> None:
        """Runs policies of yours, by name, in the place of those of the same name.

        The last good runs stay until the first new one is there. Raises ValueError for a name
        that is recorded and TypeError for what is no policy.
        """
        for name, policy in policies.items():
            if not _NAME.fullmatch(name) or name in POLICIES:
                raise ValueError(f"policies: expected a name that is not taken, got {name!r}")
            if not callable(getattr(policy, "build", policy)):
                raise TypeError(f"policies: {name}: expected a policy or a function")
        self._policies.run(policies)

    def _show(self, name: str, runs: Runs, notice: str) -> None:
        """The runs of a policy of the reader's, instead of those that it had."""
        with self._turn:
            catalogue = {**self.catalogue, "notice": notice}
            self.show(self._instead(catalogue, name, runs) if runs else catalogue)

    def _instead(self, catalogue: dict[str, Any], name: str, runs: Runs) -> dict[str, Any]:
        catalogue = without_policy(catalogue, name)
        self._own = {k: made for k, made in self._own.items() if not k.startswith(f"{name}:")}
        for run, made in runs:
            catalogue = self._with(catalogue, name, run, tuple(made))
        catalogue["first"] = f"pl={VERSION}.clear:all.{name}:all.1.cost"
        return self._with_texts(catalogue)

    def add(self, *runs: Run, name: str = "") -> None:
        """Shows more runs, under a policy's name or that of their settings, `own` for your own.

        A run of the same name and seed is replaced. Raises ValueError.
        """
        if name and not _NAME.fullmatch(name):
            raise ValueError(f"name: expected a letter, then letters, digits, - or _, got {name!r}")
        with self._turn:
            catalogue = self.catalogue
            for run in runs:
                catalogue = self._with(catalogue, name or _name_of(run), run, tuple(run.requests()))
            if runs:
                self.show(self._with_texts(catalogue))

    def _with(
        self, catalogue: Mapping[str, Any], name: str, run: Run, made: tuple[Request, ...]
    ) -> dict[str, Any]:
        self._own[f"{name}:{run.settings.seed}"] = made
        return with_run(catalogue, curve(run, made, name), measure(run).as_json())

    def _with_texts(self, catalogue: Mapping[str, Any]) -> dict[str, Any]:
        """The catalogue with the names of all runs whose texts can be had here."""
        self._changes += 1
        names = [*dict.fromkeys((*load_lab()["texts"]["runs"], *self._own))]
        given = {**catalogue["texts"], "sha": f"own-{self._changes}", "runs": names}
        return {**catalogue, "texts": given}

    def texts(self, wanted: Iterable[str] | None = None) -> dict[str, Any]:
        """The exact texts of some runs by name, of all that can be opened unless told which.

        A recorded run is made again when it is first asked for.
        """
        names = self.catalogue["texts"]["runs"]
        if wanted is not None:
            asked = set(wanted)
            names = [name for name in names if name in asked]
        return texts({name: self._own.get(name) or typical_requests(name) for name in names})

    @traitlets.default("catalogue")
    def _load_catalogue(self) -> dict[str, Any]:
        return load_lab()

    def for_page(self) -> Mapping[str, Any]:
        """The catalogue with all runs done, and no texts but those that a page has."""
        self._policies.wait()
        return {**self.catalogue, "texts": load_lab()["texts"]}


def _name_of(run: Run) -> str:
    """The name of a run's policy; where its settings are not the recorded ones, with them."""
    at = run.settings
    name = at.policy if run.policy is None else "own"
    own = [f"world-{at.world}"] if at.world != 1 else []
    own += [f"limit-{at.limit}"] if at.limit != LIMIT else []
    return "-".join([name, *own])
