"""How long the context builder takes for the call after the 48 recorded steps."""

from dataclasses import replace
from statistics import median

import pytest

from patch_agent.builder import build_context, default_counter
from patch_agent.scenario import load_scenario
from patch_agent.task import Choices
from patch_agent.tokens import exact
from tests.benchmarks.conftest import Say, percentile_95, timed

BOUND = 2.0
CHOICES = {
    "as a run builds it": None,
    "34 steps, older ones left out": Choices(34, "drop"),
    "6 steps, older outputs cleared": Choices(6, "clear"),
    "6 steps, a careful summary": Choices(6, "careful"),
    "6 steps, a careless summary": Choices(6, "careless"),
}


@pytest.mark.parametrize("name", CHOICES)
def test_one_call_is_built(say: Say, name: str) -> None:
    scenario, counter = load_scenario(), default_counter()
    state = replace(scenario.state, choices=CHOICES[name])

    def build() -> None:
        build_context(state, scenario.conversation, scenario.window, counter=counter)

    build()
    taken = timed(build, 300)
    say(f"build_context, {name}: median", median(taken), "ms", BOUND)
    say(f"build_context, {name}: 95th percentile", percentile_95(taken), "ms")


def test_each_message_is_counted_once(say: Say) -> None:
    """The same call with a counter that knows its texts, and with a new one each time."""
    scenario, known = load_scenario(), exact()

    def build(again: bool) -> None:
        counter = exact() if again else known
        build_context(scenario.state, scenario.conversation, scenario.window, counter=counter)

    build(again=False)
    once = median(timed(lambda: build(again=False), 50))
    each = median(timed(lambda: build(again=True), 20))
    say("build_context, every text counted anew: median", each, "ms")
    say("  as many times the median of what is counted once", each / once, "x")
