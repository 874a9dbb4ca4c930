"""Fixtures: a shop that stands still at NOW."""

import pytest

from auth.session import Sessions
from billing.invoices import Book
from billing.plans import Plan, read_plans
from billing.renewals import Renewals
from store.catalogue import Catalogue
from store.clock import StoppedClock
from store.settings import Settings
from store.tables import Sequence
from tests.helpers import (
    FIXTURES,
    NOW,
    Bank,
    Browser,
    make_settings,
    recorded,
    recorded_catalogue,
)
from web.app import App


@pytest.fixture
def settings() -> Settings:
    return make_settings()


@pytest.fixture
def clock() -> StoppedClock:
    return StoppedClock(NOW)


@pytest.fixture
def sessions(settings: Settings, clock: StoppedClock) -> Sessions:
    return Sessions(recorded("sessions"), settings, clock, Sequence("ses", 5001))


@pytest.fixture
def plans() -> dict[str, Plan]:
    return read_plans(FIXTURES / "plans.json")


@pytest.fixture
def catalogue() -> Catalogue:
    return recorded_catalogue()


@pytest.fixture
def bank() -> Bank:
    return Bank()


@pytest.fixture
def renewals(sessions: Sessions, plans: dict[str, Plan], bank: Bank) -> Renewals:
    return Renewals(
        recorded("subscriptions"),
        sessions.table,
        plans,
        Book(),
        bank,
        sessions.settings,
        Sequence("draft", 1),
    )


@pytest.fixture
def app(sessions: Sessions, catalogue: Catalogue) -> App:
    customers = recorded("customers")
    customers.index("email")
    return App(sessions.settings, sessions.clock, customers, sessions, catalogue, Book())


@pytest.fixture
def browser(app: App) -> Browser:
    return Browser(app)
