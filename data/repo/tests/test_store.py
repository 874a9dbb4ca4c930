"""Clock, settings and tables."""

from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from store.clock import Clock, StoppedClock, add_months, month_end, system_clock
from store.settings import BadSetting, Settings, from_environment, parse_length, parse_zone
from store.tables import DuplicateKey, NoSuchRecord, Sequence, Table, dump_table, load_table
from tests.helpers import FIXTURES, NOW

SECRET = "0123456789abcdef"
TEAS = [
    {"id": "assam", "kind": "black", "grams": 250},
    {"id": "mint", "kind": "herbal", "grams": 100},
    {"id": "keemun", "kind": "black", "grams": 100},
]


@pytest.fixture
def table():
    return Table("teas", "id", TEAS)


def test_clock_gives_utc():
    zone = timezone(timedelta(hours=9))
    clock = Clock(lambda: datetime(2026, 3, 2, 3, 0, tzinfo=zone))
    assert clock.now() == datetime(2026, 3, 1, 18, 0, tzinfo=UTC)
    assert clock.now().tzinfo is UTC


def test_clock_needs_a_zone():
    with pytest.raises(ValueError, match="time zone"):
        Clock(lambda: datetime(2026, 3, 2)).now()


def test_system_clock_gives_utc():
    assert system_clock().now().tzinfo is UTC


@pytest.mark.parametrize("hours, day", [(-16, 1), (-5, 2), (0, 2), (8, 2), (9, 3), (14, 3)])
def test_today_depends_on_the_zone(hours, day):
    assert StoppedClock(NOW).today(timezone(timedelta(hours=hours))) == date(2026, 3, day)


def test_stopped_clock():
    clock = StoppedClock(NOW)
    clock.advance(hours=1, minutes=30)
    assert clock.now() - NOW == timedelta(minutes=90)


@pytest.mark.parametrize("month, last", [(1, 31), (2, 28), (4, 30), (12, 31)])
def test_month_end(month, last):
    assert month_end(date(2026, month, 15)) == date(2026, month, last)


@pytest.mark.parametrize(
    "day, months, result",
    [
        (date(2026, 1, 31), 1, date(2026, 2, 28)),
        (date(2024, 1, 31), 1, date(2024, 2, 29)),
        (date(2026, 12, 1), 1, date(2027, 1, 1)),
        (date(2026, 3, 31), -1, date(2026, 2, 28)),
        (date(2026, 5, 15), 12, date(2027, 5, 15)),
        (date(2026, 5, 15), 0, date(2026, 5, 15)),
    ],
)
def test_add_months(day, months, result):
    assert add_months(day, months) == result


@pytest.mark.parametrize(
    "typed, hours", [("UTC+00:00", 0), ("UTC-05:00", -5), ("UTC+05:30", 5.5), ("UTC-14:00", -14)]
)
def test_parse_zone(typed, hours):
    assert parse_zone(typed).utcoffset(None) == timedelta(hours=hours)


@pytest.mark.parametrize("typed", ["", "UTC", "UTC+5", "America/Lima", "UTC+15:00", "+05:00"])
def test_parse_zone_refuses(typed):
    with pytest.raises(BadSetting):
        parse_zone(typed)


@pytest.mark.parametrize(
    "typed, seconds", [("90s", 90), ("15m", 900), ("12h", 43200), ("30d", 2592000), ("0s", 0)]
)
def test_parse_length(typed, seconds):
    assert parse_length(typed) == timedelta(seconds=seconds)


@pytest.mark.parametrize("typed", ["", "90", "h", "-1h", "1.5h", "two days"])
def test_parse_length_refuses(typed):
    with pytest.raises(BadSetting):
        parse_length(typed)


def test_settings_have_defaults():
    assert from_environment({"SHOP_SECRET": SECRET}) == Settings(SECRET.encode())


@pytest.mark.parametrize(
    "key, typed, field, value",
    [
        ("SHOP_ZONE", "UTC+01:00", "zone", timezone(timedelta(hours=1))),
        ("SHOP_COUNTRY", "de", "country", "DE"),
        ("SHOP_CURRENCY", "eur", "currency", "EUR"),
        ("SHOP_SESSION_LENGTH", "8h", "session_length", timedelta(hours=8)),
        ("SHOP_REMEMBER_LENGTH", "14d", "remember_length", timedelta(days=14)),
        ("SHOP_RENEWAL_ATTEMPTS", "5", "renewal_attempts", 5),
        ("SHOP_PASSWORD_ROUNDS", "800000", "password_rounds", 800_000),
        ("SHOP_ADMINS", "a@b.co, c@d.co,", "admins", frozenset({"a@b.co", "c@d.co"})),
    ],
)
def test_setting(key, typed, field, value):
    settings = from_environment({"SHOP_SECRET": SECRET, key: typed})
    assert getattr(settings, field) == value


@pytest.mark.parametrize(
    "environment",
    [
        {},
        {"SHOP_SECRET": "short"},
        {"SHOP_SECRET": SECRET, "SHOP_RENEWAL_ATTEMPTS": "0"},
        {"SHOP_SECRET": SECRET, "SHOP_RENEWAL_ATTEMPTS": "many"},
        {"SHOP_SECRET": SECRET, "SHOP_SESSION_LENGTH": "long"},
    ],
)
def test_bad_settings(environment):
    with pytest.raises(BadSetting):
        from_environment(environment)


def test_table_basics(table):
    assert len(table) == 3
    assert "mint" in table
    assert [record["id"] for record in table] == ["assam", "mint", "keemun"]
    assert table.find("oolong") is None


def test_table_add_and_remove(table):
    table.add({"id": "oolong", "kind": "blue"})
    assert table.remove("mint")["grams"] == 100
    assert table.journal == [("add", "oolong"), ("remove", "mint")]
    assert [record["id"] for record in table] == ["assam", "keemun", "oolong"]


def test_table_key_is_unique(table):
    with pytest.raises(DuplicateKey, match="mint is taken"):
        table.add({"id": "mint"})


@pytest.mark.parametrize("action", ["get", "update", "remove"])
def test_table_unknown_key(table, action):
    with pytest.raises(NoSuchRecord, match="no oolong"):
        getattr(table, action)("oolong")


def test_table_key_does_not_change(table):
    with pytest.raises(ValueError, match="cannot change"):
        table.update("mint", id="peppermint")


def test_readers_hold_copies(table):
    table.get("mint")["grams"] = 1
    next(iter(table))["grams"] = 1
    assert [record["grams"] for record in table] == [250, 100, 100]


@pytest.mark.parametrize("indexed", [(), ("kind",), ("grams",), ("kind", "grams")])
@pytest.mark.parametrize(
    "wanted, found",
    [
        ({"kind": "black"}, ["assam", "keemun"]),
        ({"grams": 100}, ["mint", "keemun"]),
        ({"kind": "black", "grams": 100}, ["keemun"]),
        ({"kind": "white"}, []),
        ({}, ["assam", "mint", "keemun"]),
    ],
)
def test_where_with_any_index(table, indexed, wanted, found):
    for field in indexed:
        table.index(field)
    assert [record["id"] for record in table.where(**wanted)] == found


def test_index_follows_changes(table):
    table.index("kind")
    table.update("mint", kind="black")
    table.remove("assam")
    table.add({"id": "earl", "kind": "black"})
    assert [record["id"] for record in table.where(kind="black")] == ["mint", "keemun", "earl"]
    assert table.where(kind="herbal") == []


def test_select(table):
    assert [record["id"] for record in table.select(lambda tea: tea["grams"] > 100)] == ["assam"]


def test_sequence():
    ids = Sequence("inv")
    assert [ids.take(), ids.take()] == ["inv_1001", "inv_1002"]


@pytest.mark.parametrize("name", ["customers", "sessions", "plans", "subscriptions"])
def test_dump_reads_back(tmp_path, name):
    table = load_table(FIXTURES / f"{name}.json", name)
    dump_table(table, tmp_path / "copy.json")
    assert list(load_table(tmp_path / "copy.json", name)) == list(table)


def test_load_needs_a_list(tmp_path):
    (tmp_path / "bad.json").write_text("{}")
    with pytest.raises(ValueError, match="bad.json should hold a list"):
        load_table(tmp_path / "bad.json", "bad")
