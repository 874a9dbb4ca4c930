"""Nonsense for a limit is named where a policy is made."""

from __future__ import annotations

import pytest

from patch_agent.policies import (
    ClearResults,
    Recent,
    Summarised,
)
from tests.policy_tools import (
    COUNTER,
)


@pytest.mark.parametrize("keep", [-1, 1.5, True, "6"])
def test_nonsense_for_a_number_of_steps_is_refused(keep: object) -> None:
    for make in (Recent, lambda k: ClearResults(COUNTER, k), lambda k: Summarised(COUNTER, k)):
        with pytest.raises(ValueError, match="keep: expected a whole number"):
            make(keep)  # type: ignore[arg-type,no-untyped-call]
