"""The soak test finds nothing in the engine, and finds what is planted in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from patch_agent.policies import ClearResults, PolicyError, base, compact, history, sent, trim, view
from patch_agent.policies.index import Index
from patch_agent.tokens import estimate
from tests.soak import run_case

COUNTER = estimate()


@pytest.mark.parametrize("first", range(0, 2_000, 500))
def test_random_runs_are_sound(first: int) -> None:
    for seed in range(first, first + 500):
        run_case(seed, COUNTER)


def no_pairs(patch: pytest.MonkeyPatch) -> None:
    def unpaired(entries: Any, keep: list[bool]) -> Any:
        return tuple(entry for entry, stays in zip(entries, keep, strict=True) if stays)

    patch.setattr(history, "_paired", unpaired)


def no_latest(patch: pytest.MonkeyPatch) -> None:
    for module in (trim, compact):
        patch.setattr(module, "sparing_latest", lambda one: one)


def no_pins(patch: pytest.MonkeyPatch) -> None:
    def bare(request: Any, counter: Any = None) -> Any:
        return replace(view.view_of(request, counter), spared=frozenset())

    patch.setattr(base, "view_of", bare)


def clears_all(self: object, one: view.View) -> int:
    return len(one.index.messages)


def small(self: sent.Sent) -> int:
    return 7 if self.gone else 10


def blind_cut(self: Index, number: int, unseen: bool = False) -> tuple[int, int]:
    return number, self.start(number)


PLANTED: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "steps are always sliced": lambda m: m.setattr(sent, "is_tangled", lambda *given: False),
    "nothing is held": lambda m: m.setattr(Index, "held", lambda self: set()),
    "results without their call stay": no_pairs,
    "the latest request goes": no_latest,
    "what nobody has seen is cleared": lambda m: m.setattr(ClearResults, "_boundary", clears_all),
    "a size is too small": lambda m: m.setattr(sent.Sent, "tokens", small),
    "pins are forgotten": no_pins,
    "the cut ignores late results": lambda m: m.setattr(Index, "cut", blind_cut),
}


@pytest.mark.parametrize("name", list(PLANTED))
def test_what_is_planted_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    PLANTED[name](monkeypatch)
    with pytest.raises((AssertionError, PolicyError)):
        for seed in range(3_000):
            run_case(seed, COUNTER)
