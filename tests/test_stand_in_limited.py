"""A reader of the beginning and the end: what lies between is not there for it."""

from __future__ import annotations

import pytest

from patch_agent.stand_in import LimitedReader, StandIn
from patch_agent.tokens import estimate
from tests.stand_in_runs import recorded, request

MAY_EDIT = {"kind": "may_edit", "params": {"path": "tests/fixtures/"}}
RULE = "Do not edit tests/fixtures/."
FILLER = "A line that says nothing of interest to anybody at all.\n" * 200


def reader(head, tail):
    return LimitedReader(StandIn(counter=estimate()), head, tail, estimate())


def wire(*texts):
    return {"messages": [{"role": "user", "content": text} for text in texts]}


@pytest.mark.parametrize(
    "request_, found",
    [
        (wire(RULE, FILLER), True),
        (wire(FILLER, RULE), True),
        (wire(FILLER, RULE, FILLER), False),
        (wire(RULE + "\n" + FILLER), True),
        (wire(FILLER + RULE), True),
        (wire(FILLER + RULE + "\n" + FILLER), False),
    ],
)
def test_only_both_ends_are_read(request_, found):
    answer = reader(100, 100).answer(request_, MAY_EDIT)
    assert answer.found is found
    assert "first 100 tokens and the last 100" in answer.text, "the assumption is in every answer"
    if found:
        text = request_["messages"][answer.evidence.message]["content"]
        assert RULE in text[answer.evidence.start : answer.evidence.end]


def test_a_short_request_is_read_like_by_anybody():
    short = wire(RULE)
    assert reader(50, 50).seen(short) is short
    assert reader(50, 50).answer(short, MAY_EDIT) == StandIn(counter=estimate()).answer(
        short, MAY_EDIT
    )


@pytest.mark.parametrize("head, tail", [(0, 0), (1, 0), (300, 7), (900, 400), (2_000, 1_500)])
def test_it_reads_no_more_than_it_says(head, tail):
    scenario, conversation = recorded(1)
    whole = request(scenario, conversation)
    seen = reader(head, tail).seen(whole)
    counter = estimate()
    texts = [m["content"] for m in seen["messages"]]
    texts += [c["function"]["arguments"] for m in seen["messages"] for c in m.get("tool_calls", ())]
    read = sum(counter.text(part) for text in texts for part in text.split("  ") if part.strip())
    assert read <= head + tail + len(texts), "a cut may fall inside a word"
    for before, after in zip(whole["messages"], seen["messages"], strict=True):
        assert len(before["content"]) == len(after["content"])
        pairs = zip(before["content"], after["content"], strict=True)
        assert all(a in (b, " ") for b, a in pairs)


def test_it_is_refused_what_anybody_is_refused():
    model = LimitedReader(StandIn(17_000, 16_000, estimate()), 10, 10, estimate())
    assert model.answer(wire(FILLER), MAY_EDIT).refused


def test_bad_numbers_are_named():
    with pytest.raises(ValueError, match="got -1 and 3"):
        reader(-1, 3)
