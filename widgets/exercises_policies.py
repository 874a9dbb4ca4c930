"""Checks for the exercises of the notebook on policies, each one line: done, or what is missing."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise

from patch_agent.builder import default_counter
from patch_agent.own import Bench, Guarded, OwnTrouble
from patch_agent.triage.results import TIER, RunResult, measure
from patch_agent.triage.run import Run, run_batch
from patch_agent.triage.settings import WINDOW, Settings
from widgets.exercises import done, not_yet

SEEDS = (1, 2)
"""The runs of exercise 3."""
LONGEST = 60
"""Steps for which the boundary of exercise 2 is looked at."""
LAG, LEAST = 12, 4
"""How many steps it may stay behind, and how many a move has to be."""


def run_yours(policy: object, seed: int) -> Run:
    """A run under a policy of yours. Raises OwnTrouble."""
    guarded = Guarded(policy, Bench(WINDOW, default_counter()))
    return run_batch(Settings("none", seed), policy=guarded)


@lru_cache(maxsize=8)
def recorded(name: str, seed: int) -> Run:
    """A run under one of ours."""
    return run_batch(Settings(name, seed))


def check_dear(answer: object) -> str:
    """Exercise 1: the first request in the dear tier, seed 1, no policy."""
    if not isinstance(answer, int) or isinstance(answer, bool):
        return not_yet("put a whole number into `first`")
    sizes = [one.tokens for one in recorded("none", 1).sent]
    if not 1 <= answer <= len(sizes):
        return not_yet(f"expected 1 to {len(sizes)}, got {answer}")
    size = sizes[answer - 1]
    if size <= TIER:
        return not_yet(f"request {answer} has {size:,} tokens")
    if answer > 1 and sizes[answer - 2] > TIER:
        return not_yet(f"request {answer} is dear, and so is the one before")
    return done(f"request {answer} has {size:,} tokens, the one before {sizes[answer - 2]:,}")


def check_boundary(function: Callable[[int], int]) -> str:
    """Exercise 2: a boundary that moves several steps at a time, and not too late."""
    places = [function(older) for older in range(LONGEST)]
    for older, place in enumerate(places):
        if type(place) is not int or not 0 <= place <= older:
            return not_yet(f"boundary({older}): expected 0 to {older}, got {place!r}")
        if older - place > LAG:
            return not_yet(f"boundary({older}) is {place}: at most {LAG} steps behind, please")
    moves = [after - before for before, after in pairwise(places)]
    if min(moves) < 0:
        return not_yet("it moves back: what was dropped once would come again")
    small = [move for move in moves if 0 < move < LEAST]
    if small:
        return not_yet(f"it moves by {small[0]}; at least {LEAST} steps at a time, please")
    return done(f"{sum(move > 0 for move in moves)} moves instead of {LONGEST - 1}")


def check_better(policy: object) -> str:
    """Exercise 3: at most half the cost of marks alone, and no check fewer."""
    if policy is None:
        return not_yet("put a policy into `mine`")
    told = []
    for seed in SEEDS:
        try:
            run = run_yours(policy, seed)
        except OwnTrouble as error:
            return not_yet(f"seed {seed}, {error}")
        yours, marks = measure(run), measure(recorded("cache", seed))
        problem = _problem(yours, marks)
        if problem:
            return not_yet(f"seed {seed}: {problem}")
        told.append(f"${yours.cost:.2f} instead of ${marks.cost:.2f}")
    return done(" and ".join(told))


def _problem(yours: RunResult, marks: RunResult) -> str:
    if not yours.finished:
        return f"the run did not finish: {yours.ending}"
    if yours.passed < marks.passed:
        return f"{yours.passed} checks are passed, with marks alone {marks.passed}"
    if yours.cost > marks.cost / 2:
        return f"${yours.cost:.3f}, and half of marks alone is ${marks.cost / 2:.3f}"
    return ""
