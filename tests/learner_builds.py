"""The recorded session, and builders of one's own that the tests run on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from patch_agent.budget import Budget
from patch_agent.builder import build_context, default_counter, full_request
from patch_agent.messages import Message
from patch_agent.own.build import Bench
from patch_agent.policies import Built, PolicyState, Recent
from patch_agent.request import Part, Request
from patch_agent.scenario import load_scenario
from patch_agent.task import Choices, PatchState

SCENARIO = load_scenario()
STATE = replace(SCENARIO.state, choices=Choices(34, "drop", off=frozenset({"task"})))
Builder = Callable[[PatchState, tuple[Message, ...], int], Any]
BENCH = Bench(Budget(128_000), default_counter())


def good(state: PatchState, conversation: tuple[Message, ...], window: int) -> Built:
    return build_context(state, conversation, window)


def whole(state: PatchState, conversation: tuple[Message, ...]) -> Request:
    return Recent(6).build(full_request(state, conversation), PolicyState()).request


def loses_a_result(state: PatchState, conversation: tuple[Message, ...], window: int) -> Request:
    request = whole(state, conversation)
    entries = request.part("history").entries
    lost = next(i for i, e in enumerate(entries) if e.message.results)
    return request.with_part(Part("history", entries[:lost] + entries[lost + 1 :]))
