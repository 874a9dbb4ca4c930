"""The daily job that charges subscriptions.

The sessions and subscriptions are the recorded ones that the auth tests read
as well.
"""

from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from billing.money import Money
from billing.renewals import (
    RETRY_DAYS,
    Renewal,
    billing_day,
    is_due,
    notices,
    summary,
    takings,
)
from tests.helpers import assert_charged

FIRST = date(2026, 3, 1)
FIFTH = date(2026, 3, 5)
OUTCOMES = {
    "sub_1001": ("charged", ""),
    "sub_1002": ("charged", ""),
    "sub_1003": ("charged", ""),
    "sub_1004": ("failed", "session of the saved card is over"),
    "sub_1005": ("ended", "cancelled by the customer"),
    "sub_1006": ("failed", "session of the saved card is over"),
    "sub_1007": ("ended", "plan is no longer offered"),
    "sub_1008": ("skipped", "not due"),
    "sub_1009": ("skipped", "not due"),
    "sub_1010": ("failed", "declined by the bank"),
    "sub_1011": ("ended", "declined by the bank"),
}


@pytest.mark.parametrize("subscription", OUTCOMES)
def test_renew_on_the_fifth(renewals, subscription):
    renewal = renewals.renew(subscription, FIFTH)
    assert (renewal.outcome, renewal.reason) == OUTCOMES[subscription]


def test_renew_on_the_first_of_the_month(renewals):
    renewal = renewals.renew("sub_1004", FIRST)
    assert_charged(renewal, renewals, FIRST)


def test_renew_all(renewals):
    done = renewals.renew_all(FIFTH)
    assert summary(done) == {"charged": 3, "failed": 3, "ended": 3}
    assert takings(done) == Money(1900 + 5400 + 12900 + 903)
    assert takings(done, "EUR") == Money(0, "EUR")


def test_renew_all_twice_charges_once(renewals, bank):
    renewals.renew_all(FIFTH)
    before = len(bank.charges)
    assert renewals.renew_all(FIFTH) == []
    assert len(bank.charges) == before


@pytest.mark.parametrize(
    "subscription, start, following",
    [
        ("sub_1001", "2026-03-03", "2026-04-03"),
        ("sub_1002", "2026-03-05", "2026-06-05"),
        ("sub_1003", "2026-03-04", "2027-03-04"),
    ],
)
def test_next_period(renewals, subscription, start, following):
    renewals.renew(subscription, FIFTH)
    record = renewals.subscriptions.get(subscription)
    assert (record["period_start"], record["next_charge"]) == (start, following)


@pytest.mark.parametrize(
    "subscription, text",
    [
        ("sub_1001", "Coffee, 500 g, 2026-03-03 to 2026-04-02"),
        ("sub_1002", "Coffee, 500 g, 2026-03-05 to 2026-06-04"),
        ("sub_1003", "Tea, small box, 2026-03-04 to 2027-03-03"),
    ],
)
def test_invoice_of_a_renewal(renewals, subscription, text):
    invoice = renewals.renew(subscription, FIFTH).invoice
    assert [line.text for line in invoice.lines] == [text]
    assert invoice.state == "paid"


@pytest.mark.parametrize("subscription", ["sub_1006", "sub_1010"])
def test_failure_is_tried_again(renewals, subscription):
    outcomes = []
    day = FIFTH
    for _ in range(4):
        outcomes.append(renewals.renew(subscription, day).outcome)
        day += timedelta(days=RETRY_DAYS)
    assert outcomes == ["failed", "failed", "ended", "skipped"]


def test_retry_waits(renewals):
    renewals.renew("sub_1010", FIFTH)
    assert renewals.renew("sub_1010", FIFTH + timedelta(days=RETRY_DAYS - 1)).outcome == "skipped"


def test_success_clears_the_attempts(renewals):
    renewals.subscriptions.update("sub_1011", card="visa-9999")
    assert renewals.renew("sub_1011", FIFTH).outcome == "charged"
    record = renewals.subscriptions.get("sub_1011")
    assert (record["status"], record["attempts"]) == ("active", 0)


@pytest.mark.parametrize("session", ["ses_9", "ses_1001", "ses_1012"])
def test_session_must_be_the_customers_and_live(renewals, bank, session):
    renewals.subscriptions.update("sub_1003", session=session)
    assert renewals.renew("sub_1003", FIFTH).outcome == "failed"
    assert bank.charges == []


@pytest.mark.parametrize(
    "days_left, outcome", [(-20, "failed"), (-2, "failed"), (2, "charged"), (20, "charged")]
)
def test_session_lasts_or_not(renewals, days_left, outcome):
    ends = datetime(2026, 3, 5, 12) + timedelta(days=days_left)
    renewals.sessions.update("ses_1004", expires_at=ends.isoformat())
    assert renewals.renew("sub_1002", FIFTH).outcome == outcome


def test_signed_out_session_is_not_charged(renewals, sessions):
    sessions.end("ses_1004")
    assert renewals.renew("sub_1002", FIFTH).outcome == "failed"


@pytest.mark.parametrize(
    "status, day, due",
    [
        ("active", date(2026, 3, 4), False),
        ("active", date(2026, 3, 5), True),
        ("past_due", date(2026, 3, 9), True),
        ("ended", date(2026, 3, 9), False),
    ],
)
def test_is_due(status, day, due):
    assert is_due({"status": status, "next_charge": "2026-03-05"}, day) is due


@pytest.mark.parametrize(
    "hour, offset, day",
    [(0, 0, 5), (23, 0, 5), (23, -5, 6), (18, -5, 5), (19, -5, 6), (0, 9, 4), (9, 9, 5)],
)
def test_billing_day(hour, offset, day):
    zone = timezone(timedelta(hours=offset))
    assert billing_day(datetime(2026, 3, 5, hour, 30, tzinfo=zone)) == date(2026, 3, day)


def test_billing_day_of_a_bare_time():
    with pytest.raises(ValueError, match="time zone"):
        billing_day(datetime(2026, 3, 5))
    assert billing_day(datetime(2026, 3, 5, tzinfo=UTC)) == FIFTH


@pytest.mark.parametrize(
    "day, found",
    [
        (date(2026, 2, 22), ["sub_1004"]),
        (date(2026, 2, 24), ["sub_1001"]),
        (date(2026, 2, 25), ["sub_1003"]),
        (date(2026, 2, 26), ["sub_1002", "sub_1006", "sub_1007", "sub_1010"]),
        (date(2026, 3, 5), ["sub_1008"]),
        (date(2026, 3, 6), []),
    ],
)
def test_notices(renewals, day, found):
    assert [record["id"] for record in notices(renewals.subscriptions, day)] == found


@pytest.mark.parametrize("day", [28, 29, 30, 31])
@pytest.mark.parametrize("plan", ["coffee-m", "coffee-q", "coffee-y"])
def test_next_charge_at_the_end_of_a_month(renewals, plan, day):
    start = f"2026-01-{day}"
    renewals.subscriptions.update("sub_1002", plan=plan, period_start=start)
    renewals.renew("sub_1002", FIFTH)
    record = renewals.subscriptions.get("sub_1002")
    assert start < record["period_start"] < record["next_charge"]


def test_summary_of_nothing():
    assert summary([]) == {}
    assert summary([Renewal("sub_1", "charged")]) == {"charged": 1}
