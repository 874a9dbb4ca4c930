"""Plans, and changes between them."""

from datetime import date
from itertools import permutations

import pytest

from billing.money import Money
from billing.plans import (
    change,
    first_charge,
    on_offer,
    period_end,
    read_plans,
    unused,
    yearly_saving,
)

START = date(2026, 3, 1)
OFFERED = ["tea-small-m", "tea-small-y", "coffee-m", "coffee-q", "coffee-y", "pantry-m"]


def test_recorded_plans(plans):
    assert len(plans) == 7
    assert plans["coffee-m"].price == Money(1900)
    assert plans["spice-m"].retired


@pytest.mark.parametrize(
    "period, ids",
    [
        ("monthly", ["tea-small-m", "coffee-m", "pantry-m"]),
        ("quarterly", ["coffee-q"]),
        ("yearly", ["tea-small-y", "coffee-y"]),
        (None, OFFERED),
    ],
)
def test_on_offer(plans, period, ids):
    assert [plan.id for plan in on_offer(plans, period)] == ids


@pytest.mark.parametrize(
    "start, plan, end",
    [
        (START, "coffee-m", date(2026, 4, 1)),
        (START, "coffee-q", date(2026, 6, 1)),
        (START, "coffee-y", date(2027, 3, 1)),
        (date(2026, 1, 31), "coffee-m", date(2026, 2, 28)),
        (date(2026, 11, 30), "coffee-q", date(2027, 2, 28)),
        (date(2024, 2, 29), "coffee-y", date(2025, 2, 28)),
        (date(2026, 12, 15), "coffee-m", date(2027, 1, 15)),
    ],
)
def test_period_end(plans, start, plan, end):
    assert period_end(start, plans[plan]) == end


@pytest.mark.parametrize("plan, day", [("coffee-m", date(2026, 3, 15)), ("pantry-m", START)])
def test_first_charge(plans, plan, day):
    assert first_charge(START, plans[plan]) == day


@pytest.mark.parametrize(
    "plan, cents", [("coffee-m", 1900), ("coffee-q", 1800), ("coffee-y", 1700)]
)
def test_per_month(plans, plan, cents):
    assert plans[plan].per_month == Money(cents)


@pytest.mark.parametrize(
    "day, cents",
    [
        (date(2026, 3, 1), 1900),
        (date(2026, 3, 2), 1839),
        (date(2026, 3, 16), 981),
        (date(2026, 3, 31), 61),
        (date(2026, 4, 1), 0),
    ],
)
def test_unused(plans, day, cents):
    assert unused(day, START, plans["coffee-m"]) == Money(cents)


@pytest.mark.parametrize("day", [date(2026, 2, 28), date(2026, 4, 2)])
def test_unused_outside_the_period(plans, day):
    with pytest.raises(ValueError, match="is not in the period"):
        unused(day, START, plans["coffee-m"])


def test_larger_plan_begins_at_once(plans):
    moved = change(date(2026, 3, 16), START, plans["coffee-m"], plans["pantry-m"])
    assert moved.starts == date(2026, 3, 16)
    assert (moved.credit, moved.charge) == (Money(981), Money(2323))
    assert moved.due == Money(1342)


def test_smaller_plan_waits(plans):
    moved = change(date(2026, 3, 16), START, plans["pantry-m"], plans["tea-small-m"])
    assert moved.starts == date(2026, 4, 1)
    assert moved.due == Money(0)


def test_other_period_pays_in_full(plans):
    moved = change(date(2026, 3, 16), START, plans["coffee-m"], plans["coffee-y"])
    assert moved.charge == Money(20400)
    assert moved.due == Money(19419)


@pytest.mark.parametrize("day", [date(2026, 3, day) for day in (1, 8, 15, 22, 31)])
def test_change_never_costs_more_than_the_new_plan(plans, day):
    moved = change(day, START, plans["coffee-m"], plans["pantry-m"])
    assert moved.due <= plans["pantry-m"].price


@pytest.mark.parametrize(
    "old, new, reason",
    [("coffee-m", "spice-m", "no longer offered"), ("coffee-m", "coffee-m", "the plan already")],
)
def test_change_refused(plans, old, new, reason):
    with pytest.raises(ValueError, match=reason):
        change(START, START, plans[old], plans[new])


@pytest.mark.parametrize("old, new", list(permutations(OFFERED, 2)))
def test_change_between_any_two_plans(plans, old, new):
    moved = change(date(2026, 3, 16), START, plans[old], plans[new])
    assert START < moved.starts <= period_end(START, plans[old])
    assert moved.credit <= plans[old].price
    assert moved.charge <= plans[new].price


@pytest.mark.parametrize("tier, cents", [(1, 1500), (2, 2400)])
def test_yearly_saving(plans, tier, cents):
    assert yearly_saving(plans, tier) == Money(cents)


@pytest.mark.parametrize("tier", [3, 9])
def test_no_yearly_plan(plans, tier):
    with pytest.raises(KeyError):
        yearly_saving(plans, tier)


def test_unknown_period(tmp_path):
    path = tmp_path / "plans.json"
    path.write_text('[{"id": "x", "name": "x", "cents": 1, "period": "daily", "tier": 1}]')
    with pytest.raises(ValueError, match="no period 'daily'"):
        read_plans(path)
