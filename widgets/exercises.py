"""Checks for the exercises of the notebook. Each gives one line: done, or what is still missing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from patch_agent.builder import Choices, default_counter, full_request
from patch_agent.check import problems
from patch_agent.messages import Message, replied, system
from patch_agent.policies import PolicyState, Recent
from patch_agent.probes import Verdict, load_probes
from patch_agent.request import Entry, Part, Request, fixed_part
from patch_agent.scenario import load_scenario
from patch_agent.stand_in import StandIn

KEEP = 6
LONGEST = 40
"""Tokens of the summary of exercise 3."""


def whole_call() -> Request:
    """The running example's call with everything sent, but for the task block."""
    scenario = load_scenario()
    choices = Choices(scenario.steps, off=frozenset({"task"}))
    return full_request(replace(scenario.state, choices=choices), scenario.conversation)


def verdict(request: Request, probe_id: str) -> Verdict:
    """How the stand-in's answer to one probe is judged."""
    probe = next(probe for probe in load_probes() if probe.id == probe_id)
    return probe.grade(StandIn().answer(request.wire(), probe.asked))


def check_fewest(answer: object) -> str:
    """Exercise 1: the fewest recent steps with which the first failure is known."""
    if not isinstance(answer, int) or isinstance(answer, bool):
        return not_yet("put a whole number into `fewest`")
    if not 0 <= answer <= load_scenario().steps:
        return not_yet(f"expected 0 to {load_scenario().steps} steps, got {answer}")
    if _first_failure(answer) != "right":
        return not_yet(f"with {answer} steps the error is not in the call")
    if answer and _first_failure(answer - 1) == "right":
        return not_yet(f"{answer} steps are enough, and so are fewer")
    return done(f"{answer} steps carry it, one fewer does not")


def _first_failure(keep: int) -> Verdict:
    return verdict(Recent(keep).build(whole_call(), PolicyState()).request, "first_failure")


def check_keep_words(function: Callable[[tuple[Message, ...]], Sequence[Message]]) -> str:
    """Exercise 2: all of the user's words, the last steps whole, nothing else, no broken pair."""
    conversation = load_scenario().conversation
    sent = list(function(conversation))
    recent = {i for step in replied(conversation)[-KEEP:] for i in step.indices}
    wanted = [
        message
        for index, message in enumerate(conversation)
        if index in recent or message.role == "user"
    ]
    request = Request((Part("history", tuple(Entry(message) for message in sent)),))
    broken = problems(request)
    if broken:
        return not_yet(f"{broken[0].message} ({len(broken)} in all)")
    missing = sum(message not in sent for message in wanted)
    if missing:
        return not_yet(f"{missing} messages that should be sent are missing")
    if sent != wanted:
        return not_yet(f"expected {len(wanted)} messages in their order, got {len(sent)}")
    size = default_counter().messages(sent)
    return done(f"{len(sent)} messages, {size:,} tokens, every word of the user's")


def check_summary(text: str) -> str:
    """Exercise 3: a short summary with the rule and the goal in it."""
    if not text.strip():
        return not_yet(f"put a sentence or two into `summary`, at most {LONGEST} tokens")
    size = default_counter().text(text)
    if size > LONGEST:
        return not_yet(f"{size} tokens, at most {LONGEST} are allowed")
    recent = Recent(KEEP).build(whole_call(), PolicyState()).request
    request = recent.with_part(fixed_part("summary", [system(text, name="summary")]))
    for probe, what in (("may_edit", "the rule about tests/fixtures/"), ("goal", "the goal")):
        if verdict(request, probe) != "right":
            return not_yet(f"the call does not hold {what}")
    return done(f"rule and goal in {size} tokens")


def done(text: str) -> str:
    """The line of an exercise that is solved."""
    return f"✓ Done: {text}."


def not_yet(text: str) -> str:
    """The line of one that is not, and what is missing."""
    return f"– Not yet: {text}."
