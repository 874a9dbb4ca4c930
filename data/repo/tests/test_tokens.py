"""Signed tokens and one-time codes."""

from datetime import timedelta

import pytest

from auth.tokens import (
    CLOCK_SKEW,
    OLDEST,
    PURPOSES,
    BadToken,
    UsedCodes,
    fingerprint,
    is_signed,
    make_code,
    make_token,
    read_code,
    read_token,
    sign,
)
from tests.helpers import NOW

SECRET = b"a secret for these tests only"
HOUR = timedelta(hours=1)


@pytest.mark.parametrize("session", ["ses_1", "ses_1001", "guest-7", "ünïcode", "x" * 60])
def test_token_round_trip(session):
    claims = read_token(make_token(session, NOW, SECRET), SECRET, NOW)
    assert (claims.session, claims.issued_at) == (session, NOW)


def test_token_is_stable():
    assert make_token("ses_1", NOW, SECRET) == make_token("ses_1", NOW, SECRET)
    assert make_token("ses_1", NOW, SECRET).startswith("ses_1.1772463600.")


def test_token_without_dots():
    with pytest.raises(ValueError, match="must not hold a dot"):
        make_token("ses.1", NOW, SECRET)


@pytest.mark.parametrize(
    "token", ["", "ses_1", "ses_1.1772463600", "a.b.c.d", "..", "ses_1.1772463600.x.y"]
)
def test_token_malformed(token):
    with pytest.raises(BadToken):
        read_token(token, SECRET, NOW)


@pytest.mark.parametrize("place", range(0, 44, 4))
def test_token_changed_anywhere(place):
    token = make_token("ses_1", NOW, SECRET)
    other = "A" if token[place] != "A" else "B"
    with pytest.raises(BadToken):
        read_token(token[:place] + other + token[place + 1 :], SECRET, NOW)


@pytest.mark.parametrize("secret", [b"", b"another secret", SECRET + b"!"])
def test_token_of_another_secret(secret):
    with pytest.raises(BadToken, match="signature"):
        read_token(make_token("ses_1", NOW, secret), SECRET, NOW)


@pytest.mark.parametrize("ahead", [timedelta(seconds=1), timedelta(minutes=5), HOUR])
def test_token_from_the_future(ahead):
    token = make_token("ses_1", NOW + CLOCK_SKEW + ahead, SECRET)
    with pytest.raises(BadToken, match="issued in the future"):
        read_token(token, SECRET, NOW)


@pytest.mark.parametrize("ahead", [-HOUR, timedelta(seconds=-1), timedelta(0)])
def test_token_within_the_skew(ahead):
    token = make_token("ses_1", NOW + CLOCK_SKEW + ahead, SECRET)
    assert read_token(token, SECRET, NOW).session == "ses_1"


@pytest.mark.parametrize(
    "age, fine", [(1, True), (30, True), (89, True), (91, False), (400, False)]
)
def test_token_age(age, fine):
    token = make_token("ses_1", NOW - timedelta(days=age), SECRET)
    if fine:
        assert read_token(token, SECRET, NOW).session == "ses_1"
    else:
        with pytest.raises(BadToken, match="too old"):
            read_token(token, SECRET, NOW)


def test_token_of_the_greatest_age():
    token = make_token("ses_1", NOW - OLDEST, SECRET)
    assert read_token(token, SECRET, NOW).issued_at == NOW - OLDEST


@pytest.mark.parametrize("purpose", PURPOSES)
@pytest.mark.parametrize("subject", ["cus_1001", "ada@example.com", "Zoë", "a.b.c"])
def test_code_round_trip(purpose, subject):
    code = make_code(purpose, subject, NOW + HOUR, SECRET)
    read = read_code(code, purpose, SECRET, NOW)
    assert (read.purpose, read.subject, read.expires_at) == (purpose, subject, NOW + HOUR)


def test_code_of_unknown_purpose():
    with pytest.raises(ValueError, match="unknown purpose"):
        make_code("party", "cus_1001", NOW, SECRET)


@pytest.mark.parametrize("made", PURPOSES)
@pytest.mark.parametrize("asked", PURPOSES)
def test_code_only_for_its_purpose(made, asked):
    code = make_code(made, "cus_1001", NOW + HOUR, SECRET)
    if made == asked:
        assert read_code(code, asked, SECRET, NOW).purpose == made
    else:
        with pytest.raises(BadToken, match="purpose"):
            read_code(code, asked, SECRET, NOW)


@pytest.mark.parametrize("seconds, fine", [(-3600, False), (-1, False), (0, False), (1, True)])
def test_code_expiry(seconds, fine):
    code = make_code("reset", "cus_1001", NOW + timedelta(seconds=seconds), SECRET)
    if fine:
        assert read_code(code, "reset", SECRET, NOW).subject == "cus_1001"
    else:
        with pytest.raises(BadToken, match="expired"):
            read_code(code, "reset", SECRET, NOW)


@pytest.mark.parametrize("code", ["", "reset", "reset.a.b", "reset.a.b.c", "reset.a.1.c.d"])
def test_code_malformed(code):
    with pytest.raises(BadToken):
        read_code(code, "reset", SECRET, NOW)


def test_code_works_once():
    used = UsedCodes()
    code = make_code("reset", "cus_1001", NOW + HOUR, SECRET)
    read = read_code(code, "reset", SECRET, NOW)
    used.redeem(code, read, NOW)
    with pytest.raises(BadToken, match="used"):
        used.redeem(code, read, NOW)


def test_used_codes_are_forgotten():
    used = UsedCodes()
    for hours in (1, 2, 3):
        code = make_code("confirm", "cus_1001", NOW + HOUR * hours, SECRET)
        used.redeem(code, read_code(code, "confirm", SECRET, NOW), NOW)
    assert len(used) == 3
    assert used.forget(NOW + HOUR * 2) == 2
    assert len(used) == 1


@pytest.mark.parametrize("text", ["", "a", "ses_1.1772463600", "ü" * 100])
def test_signature(text):
    assert len(sign(text, SECRET)) == 27
    assert is_signed(text, sign(text, SECRET), SECRET)
    assert not is_signed(text + " ", sign(text, SECRET), SECRET)
    assert not is_signed(text, "ü", SECRET)


def test_fingerprint_hides_the_token():
    token = make_token("ses_1", NOW, SECRET)
    assert fingerprint(token) not in token
    assert len(fingerprint(token)) == 8
