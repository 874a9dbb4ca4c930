"""Policies of one's own on the batch: the same runs as ours do, and every fault told."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from threading import Event
from typing import Any

import pytest

from patch_agent.messages import Message, Usage, system
from patch_agent.own.build import Bench
from patch_agent.own.guarded import Guarded, OwnTrouble
from patch_agent.policies import Built, PolicyState
from patch_agent.request import Part, Request, fixed_part
from patch_agent.tokens import exact
from patch_agent.triage.agent import TriageAgent
from patch_agent.triage.results import measure
from patch_agent.triage.run import run_batch
from patch_agent.triage.settings import WINDOW, Settings
from tests.test_widget import bundle
from widgets import ContextBuilder, PolicyLab
from widgets.notebook import IN_BOOK

COUNTER = exact()


def whole(request: Request, state: PolicyState) -> Request:
    return request


def guarded(policy: object) -> Guarded:
    return Guarded(policy, Bench(WINDOW, COUNTER))


@pytest.mark.parametrize("name", ["none", "compact"])
def test_our_policy_run_as_yours_makes_the_very_same_run(name: str) -> None:
    """Each build is given copies, and still every request is the same."""
    ours = run_batch(Settings(name, 1))
    guard = guarded(Settings(name, 1).chain(COUNTER))
    yours = run_batch(Settings(name, 1), policy=guard)
    assert yours.conversation == ours.conversation
    assert measure(yours) == measure(ours)
    assert [one.wire() for one in guard.requests] == [one.wire() for one in ours.requests()]


def loses(request: Request, state: PolicyState) -> Request:
    entries = request.part("history").entries
    return request.with_part(Part("history", entries[:-1])) if len(entries) > 3 else request


def edits(request: Request, state: PolicyState) -> Request:
    if len(request.conversation) > 3:
        object.__setattr__(request.conversation[2], "blocks", ())
    return request


def edits_tools(request: Request, state: PolicyState) -> Request:
    request.tools[0]["name"] = "other"  # type: ignore[index]
    return request


def keeps_a_state(request: Request, state: PolicyState) -> Built:
    object.__setattr__(state, "cleared", 5)
    return Built(request, state)


def deep() -> dict[str, Any]:
    """An object within an object, and so on, further than JSON can be written."""
    found: dict[str, Any] = {}
    for _ in range(5_000):
        found = {"a": found}
    return found


@pytest.mark.parametrize(
    "policy, words",
    [
        (lambda r, s: None, "request 1: Your build returned nothing (None)"),
        (lambda r, s: r.wire(), "request 1: Your build returned dict"),
        (lambda r: r, "request 1: Your build raised TypeError"),
        (lambda r, s: replace(r, parts=()), "request 1: Your call cannot be sent. request: pinned"),
        (loses, " has no result"),
        (edits, "Your build edited what it was given: message 2."),
        (edits_tools, "Your build edited what it was given: request.parts.tools."),
        (keeps_a_state, "Your build edited what it was given: state.cleared."),
        (lambda r, s: Built(r, {}), "state: expected PolicyState, got dict"),
        (
            lambda r, s: Built(r, replace(s, cleared="3")),
            "cleared: expected a whole number, got '3'",
        ),
        (lambda r, s: Built(r, replace(s, trimmed=-1)), "trimmed: expected a whole number, got -1"),
        (lambda r, s: Built(r, replace(s, trimmed=2**60)), "state: trimmed: expected a whole"),
        (lambda r, s: Built(r, replace(s, summary="text")), "state: summary: expected Summary"),
        (lambda r, s: Built(r, replace(s, covered=1)), "state: covered: expected a summary"),
        (lambda r, s: Built(r, s, None), "usage: expected Usage, got NoneType"),
        (lambda r, s: Built(r, s, Usage(output=0.5)), "usage: output: expected a whole number"),
        (lambda r, s: Built(r, s, Usage(2**60)), "usage: input: expected a whole number"),
        (lambda r, s: r.with_part(Part("tools", tools=(deep(),))), "tools[0]: no JSON (maximum"),
        (lambda r, s: Built(r, s, notes="text"), "notes: expected a tuple of str, got str"),
        (lambda r, s: Built(r, s, notes=(3,)), "notes[0]: expected str, got int"),
    ],
)
def test_what_cannot_be_used_ends_the_run_and_is_told(policy: Any, words: str) -> None:
    with pytest.raises(OwnTrouble) as told:
        run_batch(Settings("none", 1), policy=guarded(policy))
    assert words in str(told.value)


def followed(lab: PolicyLab) -> Iterator[dict[str, Any]]:
    """The catalogues that a lab shows until its policies have run."""
    seen: list[dict[str, Any]] = []
    lab.observe(lambda change: seen.append(change["new"]), "catalogue")
    lab._policies.wait()
    yield from seen


def runs_of(catalogue: dict[str, Any], name: str) -> list[int]:
    return [curve["seed"] for curve in catalogue["curves"] if curve["policy"] == name]


def told(lab: PolicyLab, **policies: Callable[..., Any]) -> str:
    lab.run(**policies)
    lab._policies.wait()
    return str(lab.catalogue["notice"])


def test_a_policy_of_yours_is_drawn_beside_the_recorded_ones() -> None:
    lab = PolicyLab(policies={"mine": whole}, seeds=(1, 2))
    *_, last = followed(lab)
    assert runs_of(last, "mine") == [1, 2] and last["notice"] == ""
    assert last["first"] == "pl=1.clear:all.mine:all.1.cost"
    assert [one["policy"] for one in last["curves"]].count("none") == 5
    steps = last["figures"]["mine"]["steps"]
    assert steps == last["figures"]["none"]["steps"][:2], "the same work as without a policy"
    assert len(lab._own["mine:2"]) == steps[1] and "mine:1" in last["texts"]["runs"]


def test_it_lives_on_whatever_the_policy_does() -> None:
    lab = PolicyLab(policies={"mine": lambda request, state: None}, seeds=(1, 2))
    *_, last = followed(lab)
    assert "Your policy “mine”, seed 1, request 1. Your build returned nothing" in last["notice"]
    assert last["notice"].endswith("no run of it is shown.") and runs_of(last, "mine") == []
    assert told(lab, mine=whole) == "" and runs_of(lab.catalogue, "mine") == [1, 2]
    notice = told(lab, mine=loses)
    assert "request 3. Your call cannot be sent. " in notice
    assert notice.endswith("its last good runs are shown.")
    assert runs_of(lab.catalogue, "mine") == [1, 2]


def test_a_new_policy_takes_the_place_of_all_runs_of_the_old_one() -> None:
    lab = PolicyLab(policies={"mine": whole}, seeds=(1, 2))
    lab._policies.wait()
    count = 0

    def for_one_run(request: Request, state: PolicyState) -> Request | None:
        nonlocal count
        count += len(request.conversation) == 1
        return request if count < 2 else None

    assert "seed 2, request 1. Your build returned nothing" in told(lab, mine=for_one_run)
    assert runs_of(lab.catalogue, "mine") == [1]
    assert list(lab._own) == ["mine:1"] and "mine:2" not in lab.catalogue["texts"]["runs"]


def test_one_that_is_guarded_already_may_be_given_too() -> None:
    lab = PolicyLab(seeds=(1,))
    assert told(lab, mine=guarded(whole)) == "" and runs_of(lab.catalogue, "mine") == [1]
    notice = told(lab, mine=guarded(lambda request, state: None))
    assert "Your build raised OwnTrouble: request 1: Your build returned nothing" in notice


def test_what_it_prints_is_shown_once() -> None:
    def talks(request: Request, state: PolicyState) -> Request:
        print("so many:", len(request.conversation))
        return request

    assert told(PolicyLab(seeds=(1,)), mine=talks) == "“mine” printed: so many: 1"


def test_what_it_changes_for_all_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINE", "before")

    def changes(request: Request, state: PolicyState) -> Request:
        os.environ["MINE"] = "after"
        print("set")
        return request

    told_of_it = "“mine” changed what everything in this process shares: os.environ['MINE']."
    assert told(PolicyLab(seeds=(1,)), mine=changes) == f"{told_of_it} “mine” printed: set"

    def falls(request: Request, state: PolicyState) -> None:
        os.environ["MINE"] = "last"

    assert told(PolicyLab(seeds=(1,)), mine=falls).endswith(f"no run of it is shown. {told_of_it}")


def test_an_agent_that_cannot_go_on_is_told_and_the_next_policy_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def reply(self: TriageAgent, request: object) -> Message:
        raise KeyError("reports")

    lab = PolicyLab(seeds=(12,))
    with monkeypatch.context() as patch:
        patch.setattr(TriageAgent, "reply", reply)
        said = told(lab, mine=whole)
    assert said == (
        "With your policy “mine”, seed 12, the agent could not go on from request 1"
        " (KeyError: 'reports'); no run of it is shown."
    )
    assert told(lab, mine=whole) == ""
    assert [one["seed"] for one in lab.catalogue["curves"] if one["policy"] == "mine"] == [12]


def test_what_has_no_form_in_utf_8_reaches_the_page_all_the_same() -> None:
    def adds(request: Request, state: PolicyState) -> Request:
        print("printed \ud800")
        return request.with_part(fixed_part("memory", [system("added \ud800")]))

    lab = PolicyLab(seeds=(1,))
    assert told(lab, mine=adds) == "“mine” printed: printed \ufffd"
    texts = json.dumps(lab.texts(["mine:1"]), ensure_ascii=False).encode("utf-8").decode("utf-8")
    assert "added \ufffd" in texts


def test_a_run_that_nobody_waits_for_is_given_up() -> None:
    begun, go = Event(), Event()

    def waits(request: Request, state: PolicyState) -> Request:
        begun.set()
        go.wait()
        return request

    lab = PolicyLab(policies={"mine": waits}, seeds=(1,), limit=60)
    begun.wait()
    lab.run(mine=lambda request, state: None)
    go.set()
    lab._policies.wait()
    assert "returned nothing" in lab.catalogue["notice"]
    assert runs_of(lab.catalogue, "mine") == []


@pytest.mark.parametrize("name", ["none", "early", "a b", ""])
def test_a_name_that_is_taken_or_none_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="policies: expected a name that is not taken"):
        PolicyLab(policies={name: whole})


def test_any_other_name_may_be_given() -> None:
    lab = PolicyLab(policies={"self": whole}, seeds=(1,))
    assert list(followed(lab))[-1]["notice"] == "" and runs_of(lab.catalogue, "self") == [1]


@pytest.mark.parametrize("limit", [0, -1, float("nan"), float("inf"), "2", None])
def test_a_limit_that_makes_no_sense_is_refused_at_once(limit: Any) -> None:
    with pytest.raises(ValueError, match="limit: expected seconds above 0"):
        PolicyLab(limit=limit)
    with pytest.raises(ValueError, match="limit: expected seconds above 0"):
        ContextBuilder(build=lambda *_: None, limit=limit)


@pytest.mark.parametrize("seeds", [(), (-1,), ("1",), (1, 0.5)])
def test_seeds_that_make_no_sense_are_refused_at_once(seeds: Any) -> None:
    with pytest.raises(ValueError, match=r"seeds?: expected"):
        PolicyLab(seeds=seeds)


def test_a_run_without_a_request_is_refused() -> None:
    with pytest.raises(ValueError, match="expected one request at least; it ended with 'limit'"):
        PolicyLab([run_batch(Settings("none"), limit=0)])


def test_what_is_no_policy_is_refused_at_once() -> None:
    with pytest.raises(TypeError, match="policies: mine: expected a policy or a function"):
        PolicyLab(policies={"mine": object()})


def test_the_book_shows_it_when_it_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(IN_BOOK, "1")
    lab = PolicyLab(policies={"mine": whole}, seeds=(1,))
    html = bundle(lab)["text/html"]
    assert '"policy":"mine","seed":1' in html and "own-1" not in html
