"""Policies of the reader's own behind the widget PolicyLab: run in the background, on the batch.

Each policy does the same runs as the recorded ones, with the first seeds. The stand-in acts on
the very requests that the policy makes. At the first build that cannot be used a policy's runs
end, and the reader is told which request it was and why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from patch_agent.own import LIMIT, Latest, say
from patch_agent.own.build import Bench
from patch_agent.own.guarded import Guarded, NotWanted, OwnTrouble
from patch_agent.own.timed import check_limit
from patch_agent.own.trouble import fill, own_words
from patch_agent.request import Request
from patch_agent.tokens import exact
from patch_agent.triage.run import Run, run_batch
from patch_agent.triage.settings import WINDOW, Settings
from patch_agent.vocabulary import clean

PRINTED = 200
"""Characters of what a policy printed that are shown."""

Runs = Sequence[tuple[Run, Sequence[Request]]]
Show = Callable[[str, Runs, str], None]
"""Is given a policy's name, all of its runs so far with their requests, and what is to be said."""


@dataclass(slots=True)
class OwnPolicies:
    """Runs policies by name, one after the other, and shows what comes of them.

    `limit` is in seconds for each request. `show` is called from another thread.
    """

    show: Show
    seeds: Sequence[int]
    limit: float = LIMIT
    _waiting: dict[str, object] = field(default_factory=dict)
    _said: dict[str, str] = field(default_factory=dict)
    _shown: set[str] = field(default_factory=set)
    _bench: Bench | None = None
    _latest: Latest[None, None] | None = None

    def __post_init__(self) -> None:
        check_limit(self.limit)
        if not self.seeds:
            raise ValueError("seeds: expected one at least")
        for seed in self.seeds:
            Settings("none", seed)

    def run(self, policies: Mapping[str, object]) -> None:
        """Has these policies run; each takes the place of one of the same name, and of its runs."""
        self._waiting |= policies
        if self._bench is None or self._latest is None:
            self._bench = Bench(WINDOW, exact(), self.limit)
            self._latest = Latest(self._work, lambda number, answer: None)
        self._latest.ask(None)

    def wait(self) -> None:
        """Returns when all runs are done."""
        if self._latest is not None:
            self._latest.wait()

    @property
    def notice(self) -> str:
        """What is to be said of the policies, first of those that still run."""
        words = own_words()["lab"]
        running = [fill(words["running"], {"names": ", ".join(self._waiting)})]
        said = [text for text in self._said.values() if text]
        return clean(" ".join((running if self._waiting else []) + said))

    def _work(self, _job: None) -> None:
        while self._waiting:
            name, policy = next(iter(self._waiting.items()))
            try:
                self._run_one(name, policy)
            except NotWanted:
                continue

    def _run_one(self, name: str, policy: object) -> None:
        """The runs of one policy: shown after the first one, and when they are done."""
        done: list[tuple[Run, Sequence[Request]]] = []
        self._said[name] = ""
        for seed in self.seeds:
            made = self._run_seed(name, policy, seed)
            if made is None:
                break
            done.append(made)
            if len(done) == 1:
                self._show(name, done)
        if self._is_wanted(name, policy):
            del self._waiting[name]
        self._show(name, done)

    def _run_seed(
        self, name: str, policy: object, seed: int
    ) -> tuple[Run, Sequence[Request]] | None:
        """One run and its requests; None where a build could not be used."""
        assert self._bench is not None
        guard = Guarded(policy, self._bench, lambda: self._is_wanted(name, policy))
        try:
            run = run_batch(Settings("none", seed), policy=guard)
        except OwnTrouble as trouble:
            ended = self._filled(
                "ended", name, seed, trouble.number, {"trouble": say(trouble.trouble)}
            )
            self._said[name] = " ".join([ended, *_told(name, trouble.printed, guard.changed)])
            return None
        except NotWanted:
            raise
        except Exception as error:  # the agent reads what the policy made of words and calls
            values = {"error": type(error).__name__, "message": str(error)}
            ended = self._filled("agent", name, seed, len(guard.requests), values)
            self._said[name] = " ".join([ended, *_told(name, "", guard.changed)])
            return None
        if not self._said[name]:
            self._said[name] = " ".join(_told(name, guard.printed, guard.changed))
        return run, guard.requests

    def _is_wanted(self, name: str, policy: object) -> bool:
        return self._waiting.get(name) is policy

    def _show(self, name: str, runs: Runs) -> None:
        if runs:
            self._shown.add(name)
        self.show(name, tuple(runs), self.notice)

    def _filled(
        self, key: str, name: str, seed: int, request: int, values: Mapping[str, str]
    ) -> str:
        words = own_words()["lab"]
        kept = words["kept" if name in self._shown else "none_yet"]
        at = {"name": name, "seed": seed, "request": request, "kept": kept}
        return fill(words[key], {**at, **values})


def _told(name: str, printed: str, changed: Sequence[str]) -> Iterator[str]:
    """What there is to tell of runs besides how they ended."""
    words = own_words()["lab"]
    if changed:
        yield fill(words["changed"], {"name": name, "what": ", ".join(changed)})
    if printed:
        text = " ".join(printed.split())
        shown = text if len(text) <= PRINTED else f"{text[: PRINTED - 1]}…"
        yield fill(words["printed"], {"name": name, "text": shown})
