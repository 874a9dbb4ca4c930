"""Cases from the field: counts that are wrong, and what follows from them.

Each test cites the public threads in which users of other agents and libraries met it.
"""

from __future__ import annotations

import base64
import random

import pytest

from patch_agent.budget import Budget, ContextTooLarge
from patch_agent.estimates import kinds_of_text
from patch_agent.messages import system, user
from patch_agent.policies import policy
from patch_agent.pricing import price_tables
from patch_agent.request import Part, fixed_part
from patch_agent.tokens import by_kind, estimate, exact
from tests.policy_tools import COUNTER, START, big, request_of, short

EXACT = exact()


def test_the_budget_counts_tool_definitions_and_the_system_prompt() -> None:
    # langchain-ai/langchain#34664
    tools = tuple({"name": f"tool_{n}", "description": "what it does " * 30} for n in range(20))
    request = request_of(user("hello")).with_part(Part("tools", tools=tools))
    request = request.with_part(fixed_part("system", [system("rule " * 900, "system")]))
    with pytest.raises(ContextTooLarge) as caught:
        policy("trim", COUNTER, Budget(2_000, 0)).build(request, START)
    assert caught.value.parts["tools"] > 1_500 and caught.value.parts["system"] > 1_000


@pytest.mark.parametrize("counter", [estimate(), by_kind(), EXACT])
def test_a_han_character_is_no_quarter_of_a_token(counter: object) -> None:
    # openclaw/openclaw#70052; cymoo/lovia#91
    text = "用户登录会话到期时间测试失败" * 30
    assert 0.6 <= counter.text(text[:400]) / 400 <= 1  # type: ignore[attr-defined]


def test_base64_as_text_is_not_counted_by_four_bytes() -> None:
    # code-yeongyu/senpi PR#233
    text = base64.b64encode(random.Random(1).randbytes(784_590)).decode()
    assert len(text) >= 1_046_118
    real = EXACT.text(text)
    assert by_kind().text(text) >= real * 2 / 3
    assert estimate().text(text) < real / 2


@pytest.mark.parametrize("kind", list(kinds_of_text()))
def test_an_estimate_by_kind_is_never_below_the_exact_count_by_more_than_a_third(kind: str) -> None:
    # code-yeongyu/senpi PR#233
    text = kinds_of_text()[kind]
    assert 2 / 3 <= by_kind().text(text) / EXACT.text(text) <= 3 / 2


@pytest.mark.parametrize("name", ["clear", "trim", "compact"])
def test_the_window_that_was_declared_holds_whatever_a_table_says(name: str) -> None:
    # aaif-goose/goose#11049
    assert not any(hasattr(table, "window") for table in price_tables().values())
    budget = Budget(32_768, 4_000)
    request = request_of(user("u"), *big(200))
    assert request.tokens(COUNTER) > 2 * budget.limit
    chain = policy(name, COUNTER, budget, write=short)
    assert chain.build(request, START).request.tokens(COUNTER) <= 28_768
