"""Signing in, staying signed in, and signing out."""

from datetime import timedelta

import pytest

from auth.limits import FREE_FAILURES, Failures, TooManyFailures, pause
from auth.session import (
    MOST_SESSIONS,
    EndedSession,
    ExpiredSession,
    SessionError,
    UnknownSession,
    is_live,
    write_stamp,
)
from auth.tokens import BadToken, make_token
from tests.helpers import NOW, PASSWORDS, session_that_ended

RECORDED = {
    "ses_1001": True,
    "ses_1002": False,
    "ses_1003": False,
    "ses_1004": True,
    "ses_1005": True,
    "ses_1006": True,
    "ses_1007": False,
    "ses_1009": False,
    "ses_1012": False,
}


@pytest.mark.parametrize("email", sorted(set(PASSWORDS) - {"emil@example.com"}))
def test_login_password(browser, email):
    assert browser.sign_in(email).status == 200
    assert browser.send("GET", "/account").data["email"] == email


@pytest.mark.parametrize(
    "password", ["", " ", "correct horse", "CORRECT HORSE 1", "ginger & lime 22"]
)
def test_login_wrong_password(browser, password):
    form = {"email": "ada@example.com", "password": password}
    assert browser.send("POST", "/login", form).status in (401, 422)
    assert browser.cookie == ""


def test_login_unknown_email(browser):
    form = {"email": "nobody@example.com", "password": "correct horse 1"}
    assert browser.send("POST", "/login", form).data == {"error": "bad_login"}


def test_login_blocked(browser):
    assert browser.sign_in("emil@example.com").status == 403


def test_login_token(browser, clock):
    browser.sign_in("ada@example.com")
    first = browser.cookie
    clock.advance(hours=6)
    assert browser.send("POST", "/login").status == 200
    assert browser.cookie != first


def test_login_expired_token(browser, sessions):
    browser.cookie = session_that_ended(sessions, "cus_1001", timedelta(hours=1))
    status = browser.send("POST", "/login").status
    assert status == 401


@pytest.mark.parametrize("days", [1, 2, 30])
def test_login_long_expired_token(browser, sessions, days):
    browser.cookie = session_that_ended(sessions, "cus_1001", timedelta(days=days))
    assert browser.send("POST", "/login").data["reason"] == "session has expired"


@pytest.mark.parametrize("token", ["", "ses_1001", "ses_1001.1.x", "a.b.c", "....", "ses_1001..x"])
def test_login_forged_token(browser, token):
    browser.cookie = token
    assert browser.send("POST", "/login").status in (401, 422)


@pytest.mark.parametrize("session", RECORDED)
def test_recorded_session(sessions, settings, session):
    assert is_live(sessions.table.get(session), NOW, settings) is RECORDED[session]


@pytest.mark.parametrize("remember, days", [(False, 0), (True, 29)])
def test_session_length(sessions, clock, remember, days):
    token = sessions.start("cus_1001", remember)
    clock.advance(days=days, hours=6)
    assert sessions.resume(token)["customer"] == "cus_1001"
    clock.advance(days=2)
    with pytest.raises(ExpiredSession):
        sessions.resume(token)


def test_extend_keeps_session(sessions, clock):
    token = sessions.start("cus_1001")
    clock.advance(hours=6)
    later = sessions.extend(token)
    clock.advance(hours=11)
    assert sessions.resume(later)["id"] == sessions.resume(token)["id"]


def test_resume_unknown(sessions, settings):
    with pytest.raises(UnknownSession):
        sessions.resume(make_token("ses_9", NOW, settings.secret))


def test_resume_other_secret(sessions):
    with pytest.raises(BadToken):
        sessions.resume(make_token("ses_1001", NOW, b"another secret of the same length"))


def test_end_twice_keeps_first_time(sessions, clock):
    sessions.end("ses_1001")
    clock.advance(hours=1)
    sessions.end("ses_1001")
    assert sessions.table.get("ses_1001")["ended_at"] == write_stamp(NOW)


def test_end_unknown(sessions):
    with pytest.raises(UnknownSession):
        sessions.end("ses_9")


def test_logout(browser, sessions):
    browser.sign_in("bo@example.com")
    token = browser.cookie
    assert browser.send("POST", "/logout").status == 204
    assert browser.cookie == ""
    with pytest.raises(EndedSession):
        sessions.resume(token)


def test_one_device_more_ends_the_oldest(sessions, clock):
    tokens = []
    for _ in range(MOST_SESSIONS + 1):
        tokens.append(sessions.start("cus_1006"))
        clock.advance(minutes=1)
    with pytest.raises(EndedSession):
        sessions.resume(tokens[0])
    assert len(sessions.live("cus_1006")) == MOST_SESSIONS


def test_devices(browser, sessions):
    browser.sign_in("ada@example.com", device="tablet")
    shown = browser.send("GET", "/sessions").data["sessions"]
    assert shown == [{"device": "tablet", "this": True}, {"device": "phone", "this": False}]
    assert sessions.devices("cus_1001") == {"phone": 1, "tablet": 1}


def test_adopt_guest(sessions):
    assert sessions.adopt("ses_1005", "cus_1002")["customer"] == "cus_1002"


@pytest.mark.parametrize(
    "session, kind",
    [("ses_9", UnknownSession), ("ses_1002", EndedSession), ("ses_1001", SessionError)],
)
def test_adopt_refused(sessions, session, kind):
    with pytest.raises(kind):
        sessions.adopt(session, "cus_1002")


def test_change_password_ends_other_sessions(browser, sessions):
    browser.sign_in("ada@example.com")
    form = {"old": PASSWORDS["ada@example.com"], "new": "battery staple 2"}
    assert browser.send("POST", "/password", form).data == {"ended": 1}
    assert [record["id"] for record in sessions.live("cus_1001")] == ["ses_5001"]


def test_change_password_needs_the_old_one(browser):
    browser.sign_in("ada@example.com")
    form = {"old": "wrong", "new": "battery staple 2"}
    assert browser.send("POST", "/password", form).status == 403


def test_old_hash_is_renewed(browser, app):
    assert "$500$" in app.customers.get("cus_1006")["password"]
    browser.sign_in("fay@example.com")
    assert "$1000$" in app.customers.get("cus_1006")["password"]


def test_too_many_failures(browser, clock):
    wrong = {"email": "ada@example.com", "password": "guess"}
    for _ in range(FREE_FAILURES):
        assert browser.send("POST", "/login", wrong).status == 401
    refused = browser.sign_in("ada@example.com")
    assert (refused.status, refused.header("Retry-After")) == (429, "60")
    clock.advance(minutes=1)
    assert browser.sign_in("ada@example.com").status == 200


@pytest.mark.parametrize("count, minutes", [(0, 0), (4, 0), (5, 1), (6, 2), (8, 8), (50, 60)])
def test_pause(count, minutes):
    assert pause(count) == timedelta(minutes=minutes)


def test_failures_are_forgotten():
    failures = Failures()
    for _ in range(7):
        failures.fail("key", NOW)
    with pytest.raises(TooManyFailures):
        failures.check("key", NOW)
    assert failures.fail("key", NOW + timedelta(days=2)) == 1
    failures.succeed("key")
    assert failures.until("key") is None
