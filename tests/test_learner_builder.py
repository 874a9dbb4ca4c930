"""A builder of one's own: what it returned is judged, shown as a catalogue, and never trusted."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import fields, is_dataclass, replace
from itertools import product
from typing import Any

import pytest

from patch_agent.budget import Budget
from patch_agent.builder import build_context, default_counter, full_request
from patch_agent.catalogue import load_catalogue, parse_state, random_state
from patch_agent.catalogue.own import own_call, own_segments
from patch_agent.catalogue.segments import build as build_state
from patch_agent.messages import Message, ToolCall, assistant, result, system, user
from patch_agent.own import Outcome, run_build, say
from patch_agent.own.build import LONGEST_TOKEN, Bench, judged
from patch_agent.policies import Built, PolicyState, Recent
from patch_agent.request import Entry, Part, Request, fixed_part
from patch_agent.scenario import load_scenario
from patch_agent.task import Choices, PatchState
from tests.random_runs import random_case
from tests.test_widget import bundle, views
from widgets import ContextBuilder
from widgets.learner import session_of
from widgets.notebook import IN_BOOK

SCENARIO = load_scenario()
STATE = replace(SCENARIO.state, choices=Choices(34, "drop", off=frozenset({"task"})))
FIRST = "cb=1.34.drop.-.6.task"
Builder = Callable[[PatchState, tuple[Message, ...], int], Any]


def good(state: PatchState, conversation: tuple[Message, ...], window: int) -> Built:
    return build_context(state, conversation, window)


def whole(state: PatchState, conversation: tuple[Message, ...]) -> Request:
    return Recent(6).build(full_request(state, conversation), PolicyState()).request


def outcome(function: Builder) -> Outcome:
    return run_build(function, STATE, SCENARIO.conversation, SCENARIO.window)


def told(function: Builder) -> str:
    found = outcome(function)
    assert found.built is None and found.trouble is not None
    return say(found.trouble)


@pytest.mark.parametrize("bare", [False, True])
def test_a_built_and_a_bare_request_are_both_taken(bare: bool) -> None:
    def build(*given: Any) -> Any:
        return good(*given).request if bare else good(*given)

    found = outcome(build)
    assert found.trouble is None and found.built is not None
    assert found.built.request == build_context(STATE, SCENARIO.conversation, 128_000).request
    assert isinstance(found.built.state, PolicyState)


def loses_a_result(state: PatchState, conversation: tuple[Message, ...], window: int) -> Request:
    request = whole(state, conversation)
    entries = request.part("history").entries
    lost = next(i for i, e in enumerate(entries) if e.message.results)
    return request.with_part(Part("history", entries[:lost] + entries[lost + 1 :]))


def turns_around(state: PatchState, conversation: tuple[Message, ...], window: int) -> Request:
    request = whole(state, conversation)
    return replace(request, parts=request.parts[::-1])


def drops_the_request(state: PatchState, conversation: tuple[Message, ...], window: int) -> Request:
    request = whole(state, conversation)
    return replace(request, parts=request.parts[:-1], pins=())


def sends_too_much(state: PatchState, conversation: tuple[Message, ...], window: int) -> Request:
    request = whole(state, conversation)
    return request.with_part(fixed_part("memory", [system("many words " * 100_000)]))


def sends_a_library(state: PatchState, conversation: tuple[Message, ...], window: int) -> Request:
    request = whole(state, conversation)
    return request.with_part(fixed_part("memory", [system("x" * LONGEST_TOKEN * 200_000)]))


@pytest.mark.parametrize(
    "function, words",
    [
        (lambda *_: None, "Your build returned nothing (None)."),
        (lambda *_: [], "Your build returned list."),
        (lambda *_: Built([], PolicyState()), "Your build returned list."),
        (lambda *_: Built(Request(()), {}), "state: expected PolicyState"),
        (lambda *_: Request(p for p in ()), "parts: expected a tuple of Part, got generator"),
        (lambda *_: Request(("a",)), "parts[0]: expected Part, got str"),
        (lambda *_: Request((Part("history", (user("a"),)),)), "entries[0]: expected Entry"),
        (lambda *_: Request((Part("user", (Entry(user(3)),)),)), "text: expected str, got int"),
        (lambda *_: Request((Part("tools", tools=({"a": {1}},)),)), "tools[0]: no JSON"),
        (lambda *_: Request((fixed_part("user", [Message("me")]),)), "role: expected one of"),
        (lambda *_: Request((), marks=(0,)), "marks"),
        (loses_a_result, "has no result"),
        (
            turns_around,
            "Your call cannot be sent, for 20 reasons. part files: files stands after user",
        ),
        (drops_the_request, "request: pinned text is not sent"),
        (sends_too_much, "tokens over the budget of 112,000; largest part: memory"),
        (sends_a_library, "over the budget of 112,000 by 88,"),
        (lambda a, b: None, "Your build raised TypeError: "),
        (lambda s, c, w: c.append(1), "Your build raised AttributeError at line "),
    ],
)
def test_what_cannot_be_sent_is_told(function: Builder, words: str) -> None:
    assert words in told(function)


def test_each_problem_has_its_place() -> None:
    found = outcome(turns_around)
    assert found.trouble and len(found.trouble.details) == found.trouble.values["count"]
    assert all(one.startswith(("part ", "message ", "request: ")) for one in found.trouble.details)


def edits_message(state: PatchState, conversation: tuple[Message, ...], window: int) -> Built:
    object.__setattr__(conversation[12], "blocks", ())
    return good(state, conversation[13:], window)


def edits_raw(state: PatchState, conversation: tuple[Message, ...], window: int) -> Built:
    conversation[3].raw["message"]["content"] = "new"
    return good(state, conversation, window)


def edits_tools(state: PatchState, conversation: tuple[Message, ...], window: int) -> Built:
    state.tools[0]["name"] = "other"
    return good(state, conversation, window)


def edits_state(state: PatchState, conversation: tuple[Message, ...], window: int) -> Built:
    object.__setattr__(state, "agents_md", "")
    return good(state, conversation, window)


@pytest.mark.parametrize(
    "function, name",
    [
        (edits_message, "message 12"),
        (edits_raw, "message 3"),
        (edits_tools, "patch_state.tools"),
        (edits_state, "patch_state.agents_md"),
    ],
)
def test_what_it_edits_is_named_and_stays_as_it_was(function: Builder, name: str) -> None:
    before = json.dumps(full_request(STATE, SCENARIO.conversation).wire())
    assert f"edited what it was given: {name}." in told(function)
    assert json.dumps(full_request(STATE, SCENARIO.conversation).wire()) == before
    assert outcome(good).trouble is None


def test_a_line_of_its_own_is_named_without_the_function_and_a_helpers_with() -> None:
    def helper() -> None:
        raise KeyError("k")

    def build(*_: Any) -> None:
        helper()

    def direct(*_: Any) -> None:
        raise KeyError("k")

    assert "raised KeyError at line " in told(direct) and "direct()" not in told(direct)
    assert " of helper(): 'k'" in told(build)


@pytest.mark.parametrize("seed", range(6))
def test_its_catalogue_composes_what_the_large_one_does(seed: int) -> None:
    """The same request, once as a state of the recorded catalogue and once as one's own."""
    large = load_catalogue()
    state = random_state(random.Random(seed), SCENARIO.steps)
    link = f"cb=1.{state.k}.{state.older}.-.{state.tools}.{','.join(sorted(state.off)) or '-'}"
    request = build_state(SCENARIO, parse_state(link))
    if request.tokens(default_counter()) > 112_000:
        pytest.skip("not sent")
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


BENCH = Bench(Budget(128_000), default_counter())


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


JUNK = (None, 3, "text", b"bytes", [], (), {}, object(), iter("abc"), (None,), [3], ("a", "b"))


def inner(value: object) -> Iterator[object]:
    """A request and all that it is made of."""
    yield value
    if isinstance(value, tuple):
        for one in value:
            yield from inner(one)
    elif is_dataclass(value):
        for field in fields(value):
            yield from inner(getattr(value, field.name))


def test_whatever_stands_in_a_field_it_is_judged() -> None:
    """Each field of each kind of value in a request takes each kind of junk: never a crash."""
    counted: Counter[str] = Counter()
    call = ToolCall("c1", "read", "{}")
    conversation = (user("a"), assistant("b", call), result("c1", "d"), user("e"))
    start = full_request(replace(STATE, tools=STATE.tools[:1], choices=None), conversation)
    whole_count = sum(is_dataclass(value) for value in inner(start))
    for place, junk in product(range(whole_count), JUNK):
        target = [value for value in inner(deepcopy(start)) if is_dataclass(value)][place]
        for field in fields(target):
            request = deepcopy(start)
            spoilt = [value for value in inner(request) if is_dataclass(value)][place]
            object.__setattr__(spoilt, field.name, junk)
            built, trouble = judged(request, start, PolicyState(), BENCH)
            assert (built is None) != (trouble is None)
            counted[trouble.kind if trouble else "good"] += 1
    assert counted["misshapen"] > 500 and counted["good"] > 10 and counted["invalid"] > 10


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


def test_late_and_unpaired_messages_are_found_too() -> None:
    def build(state: PatchState, conversation: tuple[Message, ...], window: int) -> Request:
        request = whole(state, conversation)
        return request.with_part(Part("summary", (Entry(result("call_x", "late")),)))

    assert "result 'call_x' has no call before it" in told(build)
