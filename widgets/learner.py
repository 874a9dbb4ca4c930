"""A builder of the reader's own behind the widget ContextBuilder.

Each change of the controls calls the function in the background, under a limit. What comes of it
is sent to the widget as a catalogue of that one request; where it cannot be used, the last good
one is sent again with a sentence that says why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from patch_agent.builder import assemble
from patch_agent.catalogue import State, format_state, parse_state
from patch_agent.catalogue.build import FIRST
from patch_agent.catalogue.own import OwnCall, own_call
from patch_agent.messages import Message, replied
from patch_agent.own import LIMIT, Latest, Outcome, run_build, say
from patch_agent.own.build import Builder
from patch_agent.own.trouble import fill, own_words
from patch_agent.scenario import Scenario, load_scenario, observed
from patch_agent.task import PatchState
from patch_agent.vocabulary import clean

DETAILS = 6
"""Lines below the status line, of a request's problems."""
PRINTED = 6
"""Lines that are shown of what a build printed."""

Json = dict[str, Any]


def session_of(given: Scenario | Sequence[Message] | None) -> Scenario:
    """The session to build from: the recorded one, another one, or another conversation in it."""
    known = load_scenario()
    if given is None or isinstance(given, Scenario):
        return given or known
    conversation = tuple(given)
    if not all(isinstance(message, Message) for message in conversation):
        raise TypeError("session: expected a Scenario or a sequence of Messages")
    steps = len(replied(conversation))
    rules = tuple(rule for rule in known.state.rules if rule.step <= steps)
    state = observed(replace(known.state, rules=rules), conversation)
    return replace(known, state=state, conversation=conversation, steps=steps)


@dataclass(slots=True)
class OwnBuilds:
    """Calls a builder for states of the controls, and remembers the last good call.

    `deliver` is given the catalogue of each answer that is still wanted, from another thread.
    """

    session: Scenario
    build: Builder
    deliver: Callable[[Json], None]
    limit: float = LIMIT
    good: OwnCall | None = None
    shown: OwnCall | None = None
    _latest: Latest[str, tuple[str, Outcome]] | None = None

    def now(self, fragment: str) -> Json:
        """The catalogue for a state, made at once."""
        return self._catalogue(0, *self._run(fragment))

    def soon(self, fragment: str) -> None:
        """Has the catalogue for a state made and delivered; of several only the newest."""
        if self._latest is None:
            self._latest = Latest(self._run, self._answer)
        self._latest.ask(fragment)

    def wait(self) -> None:
        """Returns when nothing is left to be made."""
        if self._latest is not None:
            self._latest.wait()

    def texts(self) -> dict[str, str]:
        """The exact texts of the call that is shown."""
        return self.shown.texts if self.shown else {}

    def _run(self, fragment: str) -> tuple[str, Outcome]:
        state = state_of(fragment, self.session.steps)
        patch = replace(self.session.state, choices=state.choices)
        outcome = run_build(
            self.build, patch, self.session.conversation, self.session.window, limit=self.limit
        )
        return format_state(state), outcome

    def _answer(self, number: int, answer: tuple[str, Outcome]) -> None:
        self.deliver(self._catalogue(number, *answer))

    def _catalogue(self, number: int, fragment: str, outcome: Outcome) -> Json:
        if outcome.built is not None:
            self.good = own_call(self.session, outcome.built.request)
        self.shown = self.good or _patchs_own(self.session, fragment)
        words, first = own_words(), replace(FIRST, k=min(FIRST.k, self.session.steps))
        own = {
            "number": number,
            "state": fragment,
            "say": clean(sentence(outcome, self.good is not None)),
            "lines": [clean(line) for line in lines(outcome)],
            "tools": tool_counts(self.session.state),
            "running": words["widget"]["running"],
            "still": False,
        }
        catalogue = self.shown.catalogue
        instead = catalogue["words"] | words["instead"]
        return catalogue | {"own": own, "words": instead, "first": format_state(first)}


def state_of(fragment: str, steps: int) -> State:
    """The state that a fragment holds; the first one where it holds none, as the widget does."""
    first = replace(FIRST, k=min(FIRST.k, steps))
    try:
        state = parse_state(fragment) if fragment else first
    except ValueError:
        return first
    return state if state.k <= steps else first


def _patchs_own(session: Scenario, fragment: str) -> OwnCall:
    """What Patch's own builder would send."""
    choices = parse_state(fragment).choices
    patch = replace(session.state, choices=choices)
    return own_call(session, assemble(patch, session.conversation, session.window).request)


def for_page(catalogue: Json) -> Json:
    """The catalogue for a page without Python, where no call is made anew and no text fetched."""
    own = catalogue["own"] | {"running": own_words()["widget"]["kernel"], "still": True}
    return catalogue | {"own": own}


def tool_counts(state: PatchState) -> dict[str, int]:
    """How many tools each setting of the tools names."""
    few = len(state.tools)
    return {"6": few, "40": few + len(state.team_tools)}


def sentence(outcome: Outcome, has_good: bool) -> str:
    """What the status line says; nothing where all is well."""
    if outcome.trouble is None:
        return ""
    template = own_words()["widget"]["ended" if has_good else "none_yet"]
    return fill(template, {"trouble": say(outcome.trouble)})


def lines(outcome: Outcome) -> Iterator[str]:
    """What stands below it: each problem, the builder's notes, what it changed and printed."""
    words = own_words()["widget"]
    details = outcome.trouble.details[1:] if outcome.trouble else ()
    yield from _first(details, DETAILS)
    for note in outcome.built.notes if outcome.built else ():
        yield fill(words["note"], {"note": note})
    if outcome.changed:
        yield fill(words["changed"], {"what": ", ".join(outcome.changed)})
    if outcome.printed:
        yield words["printed"]
        yield from _first(outcome.printed.splitlines(), PRINTED)


def _first(texts: Sequence[str], most: int) -> Iterator[str]:
    yield from texts[:most]
    if len(texts) > most:
        yield fill(own_words()["widget"]["more"], {"count": len(texts) - most})
