"""A builder of one's own in the widget: shown as a catalogue, and said where it cannot be."""

from __future__ import annotations

import json
import random
import re
from dataclasses import replace
from itertools import count
from typing import Any

import pytest

from patch_agent.builder import default_counter, full_request
from patch_agent.catalogue import format_state, load_catalogue, parse_state, random_state
from patch_agent.catalogue.own import own_call, own_segments
from patch_agent.catalogue.segments import build as build_state
from patch_agent.messages import Message, assistant, system, user
from patch_agent.own.build import judged
from patch_agent.policies import Built, PolicyState
from patch_agent.request import Entry, Part, Request, fixed_part
from patch_agent.task import Choices, PatchState
from tests.learner_builds import BENCH, SCENARIO, STATE, good, loses_a_result, whole
from tests.random_runs import random_case
from tests.test_widget import bundle, views
from widgets import ContextBuilder
from widgets.learner import session_of
from widgets.notebook import IN_BOOK

FIRST = "cb=1.34.drop.-.6.task"


@pytest.mark.parametrize("seed", range(6))
def test_its_catalogue_composes_what_the_large_one_does(seed: int) -> None:
    """The same request, once as a state of the recorded catalogue and once as one's own."""
    large = load_catalogue()
    draw = random.Random(seed)
    states = (random_state(draw, SCENARIO.steps) for _ in count())
    calls = ((state, build_state(SCENARIO, state)) for state in states)
    fits = ((s, r) for s, r in calls if r.tokens(default_counter()) <= BENCH.budget.limit)
    state, request = next(fits)
    link = format_state(replace(state, vs=None))
    own = own_call(SCENARIO, request)
    shown, known = views(own.catalogue | {"own": {"number": 1}}, [link])[0], views(large, [link])[0]
    assert (shown["total"], shown["sizes"]) == (known["total"], known["sizes"])
    judged = [[(a["id"], a["verdict"], a["answer"]) for a in v["answers"]] for v in (shown, known)]
    assert judged[0] == judged[1]
    assert own.verdicts == [verdict for _, verdict, _ in judged[0]]
    assert shown["cost"]["reused"] == known["cost"]["reused"]
    assert shown["offers"] == {} and shown["run"] is None


def test_quotes_stand_where_its_catalogue_says() -> None:
    own = own_call(SCENARIO, build_state(SCENARIO, parse_state("cb=1.48.drop.-.6.-")))
    spans = 0
    for probe in own.catalogue["probes"]:
        for carrier in probe["carriers"]:
            text = own.texts[carrier["segment"]].encode("utf-16-le")
            span = text[2 * carrier["start"] : 2 * carrier["end"]].decode("utf-16-le")
            assert probe["id"] == "tools" or " ".join(span.split()) == carrier["quote"]
            spans += 1
    assert spans == len(own.catalogue["probes"])


def test_equal_messages_are_two_segments() -> None:
    twice = Request((Part("history", (Entry(user("a")), Entry(user("a")))),))
    one, other = own_segments(twice, ())
    assert other.id == f"{one.id}.2"


def test_half_of_a_surrogate_pair_reaches_the_widget_as_text() -> None:
    request = whole(STATE, SCENARIO.conversation)
    odd = request.with_part(fixed_part("memory", [system("half \ud83d of it")]))
    own = own_call(SCENARIO, odd)
    json.dumps(own.catalogue, ensure_ascii=False).encode("utf-8")
    json.dumps(own.texts, ensure_ascii=False).encode("utf-8")


def test_the_widget_shows_its_call_and_each_change_calls_it_anew() -> None:
    seen: list[Any] = []

    def build(state: PatchState, conversation: tuple[Message, ...], window: int) -> Built:
        seen.append(state.choices)
        print("chosen")
        return good(state, conversation, window)

    widget = ContextBuilder(SCENARIO, build=build)
    assert widget.catalogue["own"]["state"] == FIRST and widget.catalogue["own"]["say"] == ""
    assert widget.catalogue["own"]["lines"] == ["Your build printed:", "chosen"]
    widget.state = "cb=1.6.clear.-.none.-"
    widget._own.wait()
    assert widget.catalogue["own"]["state"] == "cb=1.6.clear.-.none.-"
    chosen = [(one.recent, one.older, one.tools) for one in seen]
    assert chosen == [(34, "drop", "6"), (6, "clear", "none")]
    assert widget.catalogue["experiments"] == []
    widget.state = "nonsense"
    widget._own.wait()
    assert widget.catalogue["own"]["state"] == FIRST


def test_the_widget_keeps_the_last_good_call_and_says_why() -> None:
    widget = ContextBuilder(build=good)
    segments = widget.catalogue["segments"]
    for function, words in ((lambda *_: None, "nothing (None)"), (loses_a_result, "no result")):
        widget.build = function
        widget._own.wait()
        own = widget.catalogue["own"]
        assert words in own["say"] and own["say"].endswith("the last good call is shown.")
        assert widget.catalogue["segments"] == segments
    widget.build = good
    widget._own.wait()
    assert widget.catalogue["own"]["say"] == ""


def test_before_the_first_good_call_patchs_own_is_shown() -> None:
    widget = ContextBuilder(build=lambda *_: None)
    assert widget.catalogue["own"]["say"].endswith("the call of Patch's own builder is shown.")
    patchs = views(load_catalogue(), [FIRST])[0]
    assert sum(one["tokens"] for one in widget.catalogue["segments"]) == patchs["total"]


def test_the_exact_texts_are_those_of_the_call_that_is_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    widget = ContextBuilder(build=good)
    sent: list[dict[str, Any]] = []
    monkeypatch.setattr(widget, "send", sent.append)
    widget._answer(widget, {"kind": "text"}, [])
    assert sent[0]["sha"] == widget.catalogue["texts"]["sha"]
    assert set(sent[0]["texts"]) == {one["id"] for one in widget.catalogue["segments"]}


def test_another_conversation_may_be_shown() -> None:
    begin = SCENARIO.conversation[:21]
    widget = ContextBuilder(begin)
    assert widget.catalogue["session"]["steps"] == 10
    assert widget.catalogue["first"] == "cb=1.10.drop.-.6.task"
    assert session_of(begin).state.rules == () and session_of(None) == SCENARIO
    small = ContextBuilder((user("a"), assistant("b"), user("c")), build=good)
    assert small.catalogue["own"]["say"] == ""
    with pytest.raises(TypeError, match="a Scenario or a sequence of Messages"):
        ContextBuilder(["a"])
    with pytest.raises(TypeError, match="build: expected a function, got Request"):
        ContextBuilder(build=Request(()))
    with pytest.raises(TypeError, match="build: expected a function, got int"):
        small.build = 3
    assert small.build is good


def test_in_a_page_without_python_it_stands_still_and_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(IN_BOOK, "1")

    def build(state: PatchState, conversation: tuple[Message, ...], window: int) -> Built:
        return good(
            replace(state, choices=Choices(3, "clear", off=frozenset())), conversation, window
        )

    widget = ContextBuilder(build=build)
    html = bundle(widget)["text/html"]
    total = sum(one["tokens"] for one in widget.catalogue["segments"])
    assert f"{total:,} of 112,000 tokens" in html, "whatever the controls say, all of it is sent"
    assert "open the notebook with make lab" in html and '"still":true' in html
    assert widget.catalogue["own"]["still"] is False


def test_without_a_builder_it_is_the_recorded_one() -> None:
    widget = ContextBuilder(SCENARIO)
    assert "own" not in widget.catalogue and widget.build is None
    with pytest.raises(AttributeError, match=r"ContextBuilder\(build=…\)"):
        widget.build = good


def test_a_session_in_a_smaller_window() -> None:
    small = ContextBuilder(replace(SCENARIO, window=40_000), build=good)
    assert small.catalogue["budget"] == 24_000
    assert re.search(
        r"Largest part: history, [\d,]+; until yours is good", small.catalogue["own"]["say"]
    )


@pytest.mark.parametrize("state", ["nonsense", "cb=1.99.drop.-.6.task", "cb=1.6.drop.-.7.task"])
def test_a_state_that_cannot_be_read_is_the_first(state: str) -> None:
    assert ContextBuilder(build=good, state=state).catalogue["own"]["state"] == FIRST


def test_any_conversation_is_told_or_drawn_whole() -> None:
    """Whatever others' logs hold: a reason, or every token of it, as text that a page can take."""
    drawn = 0
    for seed in range(120):
        conversation = random_case(random.Random(seed)).messages
        start = full_request(PatchState(system="You are."), conversation)
        built, trouble = judged(start, start, PolicyState(), BENCH)
        assert (built is None) != (trouble is None)
        if built is None:
            continue
        own = own_call(replace(SCENARIO, conversation=tuple(conversation)), built.request)
        tokens = sum(one["tokens"] for one in own.catalogue["segments"])
        assert tokens == built.request.tokens(default_counter())
        json.dumps([own.catalogue, own.texts], ensure_ascii=False).encode("utf-8")
        assert {one["id"] for one in own.catalogue["segments"]} == set(own.texts)
        drawn += 1
    assert drawn > 40


def test_what_has_no_form_in_utf_8_reaches_the_page_all_the_same() -> None:
    def says(state: PatchState, conversation: tuple[Message, ...], window: int) -> Built:
        print("printed \ud800")
        return Built(whole(state, conversation), PolicyState(), notes=("noted \udc80",))

    def falls(state: PatchState, conversation: tuple[Message, ...], window: int) -> None:
        raise ValueError("fell \ud800")

    for function, words in ((says, ("printed \ufffd", "noted \ufffd")), (falls, ("fell \ufffd",))):
        own = ContextBuilder(build=function).catalogue["own"]
        sent = json.dumps(own, ensure_ascii=False).encode("utf-8").decode("utf-8")
        assert all(word in sent for word in words)
