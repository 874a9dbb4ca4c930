"""Prefix reuse to the token, and what a call costs."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from patch_agent.messages import Image, Message, Text, ToolCall, assistant, result, system, user
from patch_agent.pricing import CHAPTER, Prices, Reuse, cost, reuse
from patch_agent.request import Part, Request, fixed_part, history_part
from patch_agent.tokens import FRAMING, exact
from patch_agent.vocabulary import load_encoder
from tests.conversations import conversations

COUNTER = exact()
ENCODE = load_encoder().encode


def found(previous: Request | None, request: Request) -> Reuse:
    return reuse(previous, request, COUNTER, ENCODE)


def request_of(*messages: Message) -> Request:
    tools = Part("tools", tools=({"name": "read_file"}, {"name": "run_tests"}))
    parts = (fixed_part("system", [system("You are Patch.", "system")]), tools)
    return Request((*parts, history_part(messages)), tuple(messages))


def test_the_first_call_reuses_nothing() -> None:
    request = request_of(user("hello"))
    assert found(None, request) == Reuse(0, request.tokens(COUNTER), 0, "system", 0)


def test_the_same_call_again_reuses_everything() -> None:
    request = request_of(user("hello"), assistant("hi"))
    assert found(request, request) == Reuse(request.tokens(COUNTER), 0, 0)


def test_what_is_added_at_the_end_is_new_and_invalidates_nothing() -> None:
    before, more = request_of(user("hello")), (assistant("hi"), user("and now?"))
    after = request_of(user("hello"), *more)
    expected = Reuse(before.tokens(COUNTER), COUNTER.messages(more), 0, "history", 2)
    assert found(before, after) == expected


def test_the_tokens_with_which_the_changed_text_begins_are_reused() -> None:
    before, after = request_of(user("a b c d e")), request_of(user("a b c X e f"))
    same = before.tokens(COUNTER) - COUNTER.message(user("a b c d e")) + FRAMING + 3
    assert found(before, after) == Reuse(
        same, after.tokens(COUNTER) - same, before.tokens(COUNTER) - same, "history", 1
    )


def test_a_text_that_differs_at_once_does_not_even_share_its_frame() -> None:
    before, after = request_of(user("one")), request_of(user("two"))
    assert found(before, after).tokens == before.tokens(COUNTER) - COUNTER.message(user("one"))


def test_a_frame_is_counted_once_for_a_message_of_several_texts() -> None:
    def calls(arguments: str) -> Request:
        return request_of(assistant("I read.", ToolCall("call_1", "read_file", arguments)))

    one = found(calls('{"path": "a.py"}'), calls('{"path": "b.py"}'))
    before = request_of().tokens(COUNTER) + FRAMING
    texts = sum(map(COUNTER.text, ("I read.", "call_1", "read_file", '{"path": "')))
    assert one.tokens == before + texts


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (result("a", "same"), result("a", "same", error=True)),
        (user("same"), assistant("same")),
        (
            Message("user", (Image("image/png", "aaa", 85),)),
            Message("user", (Image("image/png", "aab", 85),)),
        ),
        (Message("user"), Message("assistant")),
    ],
)
def test_messages_that_only_look_alike_break_the_prefix(before: Message, after: Message) -> None:
    broken = found(request_of(before), request_of(after))
    assert (broken.part, broken.index) == ("history", 1)
    assert broken.tokens < request_of(after).tokens(COUNTER)


def test_other_tools_break_the_prefix_at_their_place() -> None:
    # anthropics/claude-code#92033, #90584; can1357/oh-my-pi PR#890
    before = request_of(user("hello"))
    names = ({"name": "run_tests"}, {"name": "read_file"})
    after = before.with_part(Part("tools", tools=names))
    broken = found(before, after)
    assert (broken.part, broken.index) == ("tools", 0)
    assert broken.tokens < COUNTER.message(system("You are Patch.", "system")) + COUNTER.tool(
        names[0]
    )


def test_what_is_left_out_at_the_end_is_invalidated() -> None:
    before, after = request_of(user("hello"), assistant("hi")), request_of(user("hello"))
    gone = COUNTER.message(assistant("hi"))
    assert found(before, after) == Reuse(after.tokens(COUNTER), 0, gone, "history", 2)


@settings(max_examples=100)
@given(conversations(most=5), conversations(most=5))
def test_reused_and_new_add_up(one: tuple[Message, ...], other: tuple[Message, ...]) -> None:
    before, after = request_of(*one), request_of(*one, *other)
    grown = found(before, after)
    assert grown.tokens == before.tokens(COUNTER) and grown.invalidated == 0
    mixed = found(request_of(*other), before)
    assert mixed.tokens + mixed.new == before.tokens(COUNTER)
    assert mixed.tokens + mixed.invalidated == request_of(*other).tokens(COUNTER)


def test_an_image_counts_what_its_provider_says() -> None:
    picture = Message("user", (Text("look"), Image("image/png", "aGk=", 85)))
    request = request_of(picture)
    assert found(request, request).tokens == request.tokens(COUNTER)


def test_the_kinds_of_tokens_are_priced_apart() -> None:
    price = cost(CHAPTER, 94_830, 1_930, 1_000)
    assert (round(price.reused, 3), price.new, price.reply) == (9.483, 1.93, 4)
    assert round(price.total) == 15
    assert "chapter 4" in CHAPTER.source


@pytest.mark.parametrize("prices", [{"reused": -1}, {"new": "1"}, {"per": 0}, {"reply": True}])
def test_a_price_that_is_none_is_refused(prices: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=next(iter(prices))):
        Prices(**{"reused": 0.1, "new": 1, "reply": 4, **prices})  # type: ignore[arg-type]
