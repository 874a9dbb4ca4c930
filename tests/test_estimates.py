"""Estimates by the kind of text against exact counts; a counter calibrated by what was billed."""

from __future__ import annotations

from random import Random
from string import punctuation

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patch_agent.estimates import estimate_by_kind, kinds_of_text
from patch_agent.messages import Image, Message, Text, Usage, assistant, user
from patch_agent.request import Part, Request, history_part
from patch_agent.tokens import CalibratedCounter, by_kind, estimate, exact
from tests.policy_tools import big

EXACT = exact()
OTHERS = {
    "hexadecimal": "%064x" % (3**160) * 20,
    "records": "".join(f'{{"id": {n}, "ok": true, "score": 0.{n * 7919}}}\n' for n in range(90)),
    "a server's log": "".join(
        f"2026-11-29T12:{n % 60:02}:07.{n:03}Z INFO [worker-{n % 7}] GET /orders/{n * 7919}\n"
        for n in range(90)
    ),
    "minified code": "var a=function(b,c){return b?c[b.d]:null};" * 40,
    "Cyrillic": "Пользователь вошёл с просроченным токеном, сервер вернул двести. " * 12,
    "Arabic": "سجل المستخدم الدخول برمز منتهي الصلاحية " * 12,
    "Thai": "ผู้ใช้เข้าสู่ระบบด้วยโทเค็นที่หมดอายุ" * 12,
    "Thai with spaces": "เซิร์ฟเวอร์ควรปฏิเสธโทเค็นที่หมดอายุ " * 40,
    "Amharic": "ሰላም ለዓለም ሁሉ ይሁን ዛሬ " * 60,
    "Cherokee": "ᎣᏏᏲ ᎠᏂᏴᏫᏯ " * 60,
    "cuneiform": "".join(map(chr, range(0x12000, 0x12300))),
    "digits": str(3**9000),
    "signs": "".join(Random(1).choices(punctuation, k=3000)),
    "emoji": "🙂🚀🎉" * 60,
    "capitals": "THE QUICK BROWN FOX JUMPS " * 12,
    "a ruled table": "=========== ----- ~~~~~ ***** \n" * 12,
}


@pytest.mark.parametrize("kind", list(OTHERS))
def test_other_kinds_of_text_are_within_a_third_too(kind: str) -> None:
    assert 2 / 3 <= estimate_by_kind(OTHERS[kind]) / EXACT.text(OTHERS[kind]) <= 3 / 2


def test_four_bytes_to_a_token_is_right_for_prose_and_code_alone() -> None:
    ratio = {
        kind: estimate().text(text) / EXACT.text(text) for kind, text in kinds_of_text().items()
    }
    assert 0.85 < ratio["code"] < 1.2 and 0.85 < ratio["prose"] < 1.2
    assert ratio["base64"] < 0.5 and ratio["crash reports"] < 0.8


@given(st.text(max_size=200))
def test_any_text_has_an_estimate(text: str) -> None:
    tokens = estimate_by_kind(text)
    assert 0 <= tokens <= 2 * len(text.encode("utf-8", "surrogatepass"))
    assert tokens > 0 or len(text) < 3 or not text.strip()


@pytest.mark.parametrize("piece", ["a", "aB1", "=", " ", "\n", "語", "é", "1", "🙂", "ab cd "])
def test_a_very_long_run_of_one_piece_is_estimated_to_its_end(piece: str) -> None:
    """A pattern that goes back over what it has read would not come to an end here."""
    short, long = (estimate_by_kind(piece * count) for count in (20_000, 2_000_000))
    assert 0 < long <= 101 * short


def test_a_calibrated_counter_counts_the_last_request_as_it_was_billed() -> None:
    messages = (user("u"), *big(20), Message("user", (Text("x"), Image("image/png", "a", 85))))
    tools = Part("tools", tools=({"name": "read", "description": "reads " * 40},))
    request = Request((tools, history_part(messages)), messages)
    for base in (estimate(), by_kind()):
        raw = request.tokens(base)
        for share in (0.6, 1.0, 1.75):
            usage = Usage(input=100, cache_read=round(raw * share) - 100, output=9_999)
            counter = CalibratedCounter(base).fed(request, usage)
            assert request.tokens(counter) == pytest.approx(usage.prompt, abs=len(messages) + 30)


def test_feeding_changes_no_counter_and_needs_a_bill() -> None:
    request = Request((history_part([user("hello there")]),), (user("hello there"),))
    counter = CalibratedCounter(estimate())
    fed = counter.fed(request, Usage(input=40))
    assert counter.ratio == 1 and fed.ratio > 1 and fed.base is counter.base
    for usage in (None, Usage(), Usage(output=50), Usage(input=3)):
        assert fed.fed(request, usage) is fed
    assert counter.fed(Request(()), Usage(input=40)) is counter
    assert "bytes / 4 ×" in fed.name


def test_two_feeds_are_one() -> None:
    messages = (user("u"), assistant("a " * 400))
    request = Request((history_part(messages),), messages)
    once = CalibratedCounter(estimate()).fed(request, Usage(input=500))
    twice = once.fed(request, Usage(input=500))
    assert once.ratio == twice.ratio
