"""Estimates of tokens that look at what kind of text it is.

Four bytes to a token holds for English prose and most code. It is far too low for text without
words (base64, hexadecimal, records full of numbers) and too high for scripts of several bytes a
letter. So runs of characters are told apart, each kind with its own rate. The rates were read
off the o200k_base vocabulary; tests compare the estimate with the exact count for many kinds of
text, and for none of them is it below by more than a third. What is left out is which words and
which Chinese characters are rare, which only the vocabulary knows: a text of nothing but rare
ones takes nearly three times the estimate.
"""

from __future__ import annotations

import base64
import random
import re

_SIGNS = r"!-/:-@\[-`{-~"
_RUNS = re.compile(
    r"([A-Za-z0-9+/=_\-]{20,})"  # 1 long run: a path, a name, or text without words
    r"|( ?[A-Z]?[a-z]+)"  # 2 word
    r"|( ?[A-Z]+)"  # 3 capitals
    r"|(\d+)"  # 4 number
    r"|([ \t]+|[\r\n]+)"  # 5 white space
    rf"|( ?([{_SIGNS}])\7{{3,}})"  # 6, 7 a line of the same sign
    rf"|( ?[{_SIGNS}]{{7,}}| ?[{_SIGNS}]{{1,2}})"  # 8 signs
    r"|([\u1100-\u11ff\u2e80-\ud7ff\uf900-\ufaff\uff00-\uffef]+)"  # 9 Chinese, Japanese, Korean
    r"|([^\W\d_a-zA-Z]+[\u0300-\u036f\u0900-\u0dff\u0e00-\u0eff]*)"  # 10 other letters
    r"|(.)",  # 11 the rest, emoji among it
    re.DOTALL,
)
_PIECES = re.compile(r"[A-Z]?[a-z]{2,}|[A-Z]{2,}|\d+|[A-Za-z]|[+/=_\-]+")
_LETTERS = (
    ("\U00010000", 3.5),
    ("\ua000", 2),
    ("\u1d00", 0.33),
    ("\u13a0", 3),
    ("\u1200", 2),
    ("\u1000", 0.33),
    ("\u0e00", 0.5),
    ("", 0.33),
)
"""Tokens of a letter from a code point on: what is written seldom was seldom learned."""
_DENSE = 3.6
"""Characters: where the pieces of a long run are shorter on average, it has no words."""


def estimate_by_kind(text: str) -> int:
    """Tokens of a text, estimated run by run.

    >>> estimate_by_kind("an expired token still logs in"), estimate_by_kind("用户登录" * 100)
    (6, 280)
    """
    return round(sum(_rate(m.lastindex or 0, m.group()) for m in _RUNS.finditer(text)))


def _rate(kind: int, run: str) -> float:
    size = len(run)
    match kind:
        case 1:
            pieces = _PIECES.findall(run)
            if size < _DENSE * len(pieces):
                return size / 1.5
            return sum(map(_piece, pieces))
        case 2:
            return 1 + max(0, size - 9) / 5
        case 3:
            return size / 3 + 0.4
        case 4:
            return _piece(run)
        case 5:
            return 0.35 if size < 2 else 0.9
        case 6 | 7:
            return 1 + size / 16
        case 8:
            return 0.85 if size < 7 else size * 0.6
        case 9:
            return size * 0.7
        case 10:
            return max(1.0, size * next(rate for first, rate in _LETTERS if run >= first))
    return 1.5


def _piece(piece: str) -> float:
    if piece.isdigit():
        return (len(piece) + 2) // 3
    return 1 if len(piece) < 9 else len(piece) / 4.5


def kinds_of_text() -> dict[str, str]:
    """A sample of each kind of text for which an estimate is compared with the exact count."""
    draw = random.Random(8)
    return {
        "prose": _PROSE * 8,
        "code": _CODE * 8,
        "crash reports": "".join(_crash(draw) for _ in range(12)),
        "Chinese": "用户用过期的令牌登录,服务器应当拒绝,却返回了二百。请检查会话的到期时间。" * 12,
        "Japanese": "期限切れのトークンでログインすると、サーバーは四〇一を返すはずです。" * 12,
        "Korean": "만료된 토큰으로 로그인하면 서버는 거절해야 하지만 그대로 받아들입니다. " * 12,
        "base64": base64.b64encode(draw.randbytes(6_000)).decode(),
    }


_PROSE = (
    "A call sends the model everything that it will know. What code holds and does not send is"
    " not there, however well it is kept. So the question for each part is a plain one: would"
    " it change what happens next?\n"
)
_CODE = '''
def expires_at(stamp: str, now: datetime) -> datetime:
    """The moment at which a session ends, in UTC."""
    moment = datetime.fromisoformat(stamp)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return min(moment, now + MAX_AGE)
'''


def _crash(draw: random.Random) -> str:
    build, line, thread = draw.randrange(10**6), draw.randrange(400), draw.randrange(90)
    return (
        f"Fatal Exception: java.lang.IllegalStateException: cursor 0x{draw.randrange(2**40):x}\n"
        f"    at com.shop.cart.CartStore.load(CartStore.kt:{line})\n"
        f"    at com.shop.cart.CartViewModel$refresh$1.invoke(CartViewModel.kt:{line // 3})\n"
        f"thread-{thread}; Pixel 7; Android 14; app 5.{thread}.{line % 9}+{build}; 2026-03-0"
        f"{draw.randrange(1, 10)}T{draw.randrange(10, 24)}:{draw.randrange(10, 60)}:07.{line}Z\n"
    )
