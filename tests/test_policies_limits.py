"""Nonsense for a limit is named where a policy is made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from patch_agent.budget import Budget
from patch_agent.messages import ToolCall, assistant, result, user
from patch_agent.policies import (
    ClearResults,
    Clip,
    Compact,
    Pin,
    Recent,
    StateError,
    Summarised,
    Trim,
    Worth,
    load_state,
)
from patch_agent.policies.demands import demands
from tests.policy_tools import (
    COUNTER,
)


@pytest.mark.parametrize("keep", [-1, 1.5, True, "6"])
def test_nonsense_for_a_number_of_steps_is_refused(keep: object) -> None:
    for make in (Recent, lambda k: ClearResults(COUNTER, k), lambda k: Summarised(COUNTER, k)):
        with pytest.raises(ValueError, match="keep: expected a whole number"):
            make(keep)  # type: ignore[arg-type,no-untyped-call]


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"threshold": 0}, "threshold: expected a share of the budget, got 0"),
        ({"threshold": 1.5}, "threshold"),
        ({"threshold": True}, "threshold"),
        ({"threshold": None}, "threshold: expected a share of the budget, got None"),
        ({"threshold": 0.5, "target": 0.6}, r"target: expected at most the threshold of 0\.5, got"),
        ({"target": -0.1}, "target: expected a share"),
        ({"progress": 1}, "progress: expected a share"),
        ({"progress": None}, "progress: expected a share of the budget, got None"),
        ({"pause": -1}, "pause: expected a whole number of steps"),
        ({"keeps": (6, -1)}, "keep: expected a whole number of steps, got -1"),
        ({"limit": 0}, "limit: expected a whole number of tokens above 0, got 0"),
        ({"limit": None}, "limit: expected a whole number of tokens above 0, got None"),
    ],
)
def test_nonsense_for_a_compaction_is_refused(given: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        Compact(COUNTER, Budget(1_000, 0), **given)


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: ClearResults(COUNTER, every=0), "every: expected a whole number of steps, at lea"),
        (lambda: ClearResults(COUNTER, limit=-1), "limit: expected a whole number of tokens"),
        (lambda: Trim(COUNTER, None), "limit: expected a whole number of tokens above 0, got None"),  # type: ignore[arg-type]
        (lambda: Trim(COUNTER, 100, 0), "target: expected a whole number of tokens above 0, got 0"),
        (lambda: Clip(COUNTER, 0), "cap: expected a whole number of tokens above 0, got 0"),
        (lambda: Worth(-1, 1, 5), "reused: expected 0 or more, got -1"),
        (lambda: Worth(float("nan"), 1, 5), "reused: expected 0 or more, got nan"),
        (lambda: Pin("text"), "texts: expected a tuple of texts, got 'text'"),  # type: ignore[arg-type]
        (lambda: Pin((3,)), "texts: expected a tuple of texts"),  # type: ignore[arg-type]
        (lambda: Worth(1, 1, "5"), "calls: expected 0 or more, got '5'"),  # type: ignore[arg-type]
    ],
)
def test_other_nonsense_is_refused(make: Callable[[], object], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        make()


def test_what_is_nested_too_deep_to_be_read_is_told_or_left_aside() -> None:
    deep = "[" * 100_000
    with pytest.raises(StateError, match="policy state: not JSON"):
        load_state(deep)
    messages = (user("Go on."), assistant("", ToolCall("c1", "read_file", deep)), result("c1", "x"))
    assert demands(messages).names == ()
