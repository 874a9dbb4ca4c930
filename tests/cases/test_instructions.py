"""Cases from the field: the user's words and rules, which no compaction may lose.

More are in test_policies and test_summaries. Each test cites the public threads.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from patch_agent.budget import Budget
from patch_agent.messages import Message, Text, ToolResult, assistant, result, system, user
from patch_agent.policies import (
    Built,
    Chain,
    Compact,
    Pin,
    PolicyError,
    PolicyState,
    Running,
    policy,
)
from patch_agent.request import Part, Request, fixed_part
from patch_agent.summaries import Summary, SummaryWriter, careful, careless
from patch_agent.summaries.asked import TEMPLATE, Answer, asked
from patch_agent.tokens import TokenCounter, message_texts
from tests.conversations import RULE, patch_like
from tests.policy_tools import (
    COUNTER,
    LONG,
    START,
    big,
    history,
    read,
    request_of,
    short,
)

ACTING = ("clear", "trim", "compact")
TODO = "Todo: rename the flag; then the docs. Only what is on this list!"


class DropOldest:
    """Somebody's policy that keeps the last messages and knows no pins."""

    def build(self, request: Request, state: PolicyState) -> Built:
        kept = Part("history", request.part("history").entries[-4:])
        return Built(request.with_part(kept), state)


@pytest.mark.parametrize("name", ACTING)
@pytest.mark.parametrize("write", [careless, short])
def test_a_pinned_rule_is_there_byte_for_byte_after_every_policy(name: str, write: object) -> None:
    # anthropics/claude-code#4017, #6354, #19471, #24460; openai/codex#3975, #5772;
    # anomalyco/opencode#16960
    request = request_of(user(RULE), *patch_like(), pins=(RULE,))
    chain = policy(name, COUNTER, Budget(9_000, 0), limit=6_000, write=write)  # type: ignore[arg-type]
    assert user(RULE) in chain.build(request, START).request.messages


@pytest.mark.parametrize("write", [careless, short])
def test_a_rule_that_a_summary_lost_is_appended_by_code(write: object) -> None:
    # anthropics/claude-code#4017
    request = request_of(*patch_like())
    built = Compact(COUNTER, Budget(9_000, 0), write, 0.5).build(request, START)  # type: ignore[arg-type]
    assert built.state.summary is not None
    for sentence in ("tests/fixtures/ is off limits.", "do not edit anything in there."):
        assert sentence in built.state.summary.text
    assert any("rules" in note and "appended" in note for note in built.notes)


def test_a_todo_list_and_the_rule_that_limits_it_are_pinned_together() -> None:
    # NousResearch/hermes-agent#84718
    request = request_of(user(RULE), user(TODO), *big(9))
    pinned = Pin((RULE, TODO))
    for name in ACTING:
        chain = Chain(pinned, *policy(name, COUNTER, Budget(1_400, 0), write=short).policies)
        assert history(chain.build(request, START))[:2] == [user(RULE), user(TODO)]
    with pytest.raises(PolicyError, match=r"DropOldest: .*pinned text is not sent: 'One thing"):
        Chain(pinned, DropOldest()).build(request, START)


@pytest.mark.parametrize("name", ACTING)
@pytest.mark.parametrize("place", [0, 9, 30])
def test_a_system_message_stays_wherever_it_stands(name: str, place: int) -> None:
    # microsoft/semantic-kernel#12612
    messages = [
        message for n in range(25) for message in (user(f"q{n} " * 9), assistant("a " * 40))
    ]
    messages.insert(place, system("the house rules"))
    chain = policy(name, COUNTER, Budget(900, 0), limit=700, write=short)
    if name == "clear":  # nothing to clear in a chat without tools
        chain = policy(name, COUNTER, Budget(9_000, 0), limit=700, write=short)
    assert system("the house rules") in history(chain.build(request_of(*messages), START))


@pytest.mark.parametrize("name", ACTING)
def test_the_latest_request_survives_though_many_results_come_after_it(name: str) -> None:
    # langchain-ai/langmem#77, #111; anthropics/claude-code#22376; letta-ai/letta#2512
    latest = user("And now the second login bug, but leave the tests alone.")
    messages = [user("Fix the first bug."), *big(3), latest, *big(20)]
    chain = policy(name, COUNTER, Budget(4_200, 0), limit=2_000, write=short)
    built = chain.build(request_of(*messages), START)
    assert latest in history(built) and built.request.tokens(COUNTER) <= 4_200


def test_without_words_of_a_user_a_summary_is_written_all_the_same() -> None:
    # langchain-ai/langchain#39261
    built = Compact(COUNTER, Budget(2_000, 0), careful, 0.5, (2,)).build(request_of(*big(9)), START)
    assert built.state.summary is not None
    text = built.state.summary.text
    assert "steps 1 to 7" in text and "a.py" in text and "user's words of step" not in text


def test_the_template_that_was_used_is_recorded_with_the_summary() -> None:
    # anthropics/claude-code#89797
    given: list[dict[str, object]] = []

    def ask(wire: dict[str, object], limit: int) -> Answer:
        given.append(wire)
        return Answer(assistant("Record of earlier steps."), "done")

    template = f"{TEMPLATE}\nName every ticket."
    compact = Compact(COUNTER, Budget(2_000, 0), asked(ask, template), 0.5, (2,))
    built = compact.build(request_of(*big(9)), START)
    assert built.state.summary is not None and built.state.summary.template == template
    assert template in str(given[0]["messages"][0]["content"])  # type: ignore[index]


@pytest.mark.parametrize(
    ("reply", "ending", "note"),
    [
        (assistant(""), "done", "the summary was empty"),
        (assistant("", read("x")), "done", "the summary was empty"),
        (assistant("I sum up and read on.", read("x")), "done", "the summary was empty"),
        (assistant("It began with"), "cut", "cut at the output cap"),
        (assistant("I'm sorry, I can't help with that."), "done", "the writer refused"),
        (assistant("No."), "refused", "the writer refused"),
    ],
)
def test_a_reply_that_is_no_summary_changes_nothing(reply: Message, ending: str, note: str) -> None:
    # CodebuffAI/freebuff#1166; open-webui/open-webui#29308
    write = asked(lambda wire, limit: Answer(reply, ending))  # type: ignore[arg-type]
    request = request_of(*big(9))
    built = Compact(COUNTER, Budget(2_000, 0), write, 0.5, (2,)).build(request, START)
    assert built.request == request and built.state == START
    assert note in built.notes[0]


def test_what_asking_cost_is_told_even_where_nothing_came_of_it() -> None:
    from patch_agent.messages import Usage

    reply = Message("assistant", (), usage=Usage(700, 3))
    write = asked(lambda wire, limit: Answer(reply, "done"))
    built = Compact(COUNTER, Budget(2_000, 0), write, 0.5, (2,)).build(request_of(*big(9)), START)
    assert built.usage == Usage(700, 3)


def test_identifiers_that_a_summary_lost_are_appended_and_invented_ones_reported() -> None:
    filed = [assistant("I file it.", read("f")), result("f", "filed as #4711")]
    run = [
        assistant("See auth/session.py and OPS-412.", read("g", "lib/api.py")),
        result("g", "ok"),
    ]

    def write(
        messages: Sequence[Message], counter: TokenCounter, limit: int, previous: Summary | None
    ) -> Summary:
        return Summary("Some work on auth/session.py and lib/ghost.py.", 0, 0, "test")

    request = request_of(*filed, *run, *big(9))
    built = Compact(COUNTER, Budget(2_400, 0), write, 0.5, (2,)).build(request, START)
    assert built.state.summary is not None
    for name in ("#4711", "OPS-412", "lib/api.py"):
        assert f"`{name}`" in built.state.summary.text
    assert "`auth/session.py`" not in built.state.summary.text
    assert "keep 2: no step names lib/ghost.py, which the summary does" in built.notes
    assert "keep 2: 1 of 5 identifiers kept" in built.notes


def test_open_questions_that_a_summary_lost_are_appended() -> None:
    talk = [
        user("Which Python do you want?"),
        assistant("The newest. The serializer is still unchecked."),
        assistant("Shall I drop the old API?"),
    ]
    built = Compact(COUNTER, Budget(2_400, 0), short, 0.5, (2,)).build(
        request_of(*talk, *big(9)), START
    )
    assert built.state.summary is not None
    text = built.state.summary.text
    assert 'Open: "The serializer is still unchecked."' in text
    assert 'Open: "Shall I drop the old API?"' in text
    assert "Which Python" not in text


def test_names_that_do_not_fit_are_counted_and_the_ones_used_last_are_kept() -> None:
    steps = [
        message
        for n in range(400)
        for message in (assistant("", read(f"c{n}", f"src/module_{n}.py")), result(f"c{n}", "ok"))
    ]
    built = Compact(COUNTER, Budget(1_500, 0), short, 0.5, (2,)).build(request_of(*steps), START)
    assert built.state.summary is not None and built.request.tokens(COUNTER) <= 1_500
    assert "src/module_397.py" in built.state.summary.text
    assert "src/module_3.py" not in built.state.summary.text
    assert any("identifiers did not fit" in note for note in built.notes)


def test_what_another_part_sends_anyway_is_not_appended() -> None:
    rule = "Never touch tests/fixtures/."
    request = request_of(user(rule), *big(9)).with_part(fixed_part("task", [system(rule, "task")]))
    built = Compact(COUNTER, Budget(2_000, 0), short, 0.5, (2,)).build(request, START)
    assert built.state.summary is not None and rule not in built.state.summary.text


@pytest.mark.parametrize("write", [short, careless, careful])
@pytest.mark.parametrize("name", ["trim", "compact"])
def test_the_latest_words_stay_where_they_were_said_beside_a_result(
    name: str, write: SummaryWriter
) -> None:
    words = "Stop. Now the second login bug, and leave data/raw/ alone."
    said = Message("user", (ToolResult("x", LONG), Text(words)))
    begin = [user("Fix the first bug."), *big(3), assistant("", read("x")), said]
    chain = policy(name, COUNTER, Budget(4_200, 0), limit=2_000, write=write)
    running, later = Running(chain), big(60)
    running.add(*begin)
    for call, done in zip(later[::2], later[1::2], strict=True):
        built = running.build()
        texts = [text for message in built.request.messages for text in message_texts(message)]
        assert any(words in text for text in texts)
        running.add(call, done)
    assert max(built.state.trimmed, built.state.covered) > len(begin)
