"""Subscription plans and what changing between them costs.

The shop sells coffee, tea and spices by subscription. A plan has a price per
period. Whoever changes plan in the middle of a period gets back what is left of
the old one and pays for what is left of the new one.
"""

import json
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

from billing.money import Money
from store.clock import add_months

PERIODS = {"monthly": 1, "quarterly": 3, "yearly": 12}


@dataclass(frozen=True)
class Plan:
    """A plan as it is offered; `tier` orders plans from small to large."""

    id: str
    name: str
    price: Money
    period: str
    tier: int
    trial_days: int = 0
    retired: bool = False

    @property
    def months(self) -> int:
        return PERIODS[self.period]

    @property
    def per_month(self) -> Money:
        return self.price.prorate(1, self.months)


@dataclass(frozen=True)
class Change:
    """What moving from one plan to another means for the customer."""

    credit: Money
    charge: Money
    starts: date

    @property
    def due(self) -> Money:
        """What is to be paid now; negative where we owe the customer."""
        return self.charge - self.credit


def read_plans(path: Path) -> dict[str, Plan]:
    """Plans by id from a JSON file."""
    plans = {}
    for row in json.loads(path.read_text(encoding="utf-8")):
        if row["period"] not in PERIODS:
            raise ValueError(f"{row['id']}: no period {row['period']!r}")
        price = Money(row["cents"], row.get("currency", "USD"))
        plans[row["id"]] = Plan(
            row["id"],
            row["name"],
            price,
            row["period"],
            row["tier"],
            row.get("trial_days", 0),
            row.get("retired", False),
        )
    return plans


def on_offer(plans: dict[str, Plan], period: str | None = None) -> list[Plan]:
    """The plans that can be bought, small to large."""
    offered = [
        plan
        for plan in plans.values()
        if not plan.retired and (period is None or plan.period == period)
    ]
    return sorted(offered, key=lambda plan: (plan.tier, plan.months))


def period_end(start: date, plan: Plan) -> date:
    """The first day that a period which begins on `start` no longer covers."""
    return add_months(start, plan.months)


def first_charge(start: date, plan: Plan) -> date:
    """The day of the first payment: after the trial, if there is one."""
    return start + timedelta(days=plan.trial_days)


def unused(day: date, start: date, plan: Plan) -> Money:
    """What is left of a period that was paid for, on the morning of `day`."""
    end = period_end(start, plan)
    if not start <= day <= end:
        raise ValueError(f"{day} is not in the period from {start} to {end}")
    return plan.price.prorate((end - day).days, (end - start).days)


def change(day: date, start: date, old: Plan, new: Plan) -> Change:
    """Move from `old` to `new` on `day`, in the period that began on `start`.

    A larger plan begins at once. A smaller one begins when the period that was
    paid for ends, and then costs nothing today.
    """
    if new.retired:
        raise ValueError(f"{new.id} is no longer offered")
    if new.id == old.id:
        raise ValueError(f"{new.id} is the plan already")
    zero = Money(0, old.price.currency)
    if new.tier < old.tier:
        return Change(zero, zero, period_end(start, old))
    credit = unused(day, start, old)
    if new.period != old.period:
        return Change(credit, new.price, day)
    return Change(credit, unused(day, start, new), day)


def yearly_saving(plans: dict[str, Plan], tier: int) -> Money:
    """What twelve months of a tier cost less when they are paid at once."""
    offered = {plan.period: plan for plan in on_offer(plans) if plan.tier == tier}
    if not {"monthly", "yearly"} <= offered.keys():
        raise KeyError(f"tier {tier} is not sold both ways")
    return offered["monthly"].price * 12 - offered["yearly"].price
