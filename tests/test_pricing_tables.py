"""Price tables: the project's own, a learner's, and what is wrong with one, named."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from patch_agent.pricing import CHAPTER, PriceError, Tier, own_prices, price_table, price_tables

MINE = {"input": 3.0, "output": 15.0, "cache_read": 0.3}


def test_every_table_is_dated_and_says_where_it_comes_from() -> None:
    tables = price_tables()
    assert {"chapter", "batch", "unasked"} <= set(tables)
    for name, table in tables.items():
        assert table.name == name and table.source
        year, month, day = table.dated.split("-")
        assert int(year) >= 2025 and 1 <= int(month) <= 12 and 1 <= int(day) <= 31


def test_the_chapters_table_has_the_chapters_prices() -> None:
    table = price_tables()["chapter"]
    assert (table.cache_read, table.input, table.output, table.per) == (
        CHAPTER.reused,
        CHAPTER.new,
        CHAPTER.reply,
        CHAPTER.per,
    )


def test_above_a_tier_the_price_is_five_times_higher() -> None:
    table = price_tables()["batch"]
    assert table.tiers == (Tier(100_000, 5),)
    assert [table.times(tokens) for tokens in (0, 100_000, 100_001)] == [1, 1, 5]


def test_a_learners_own_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("[mine]\ninput = 3\noutput = 15\ncache_read = 0.3\nlifetime = 300\n")
    (table,) = price_tables(file).values()
    assert (table.name, table.input, table.cache_write, table.lifetime) == ("mine", 3, 3, 300)
    assert price_table("x", MINE).lifetime == math.inf


@pytest.mark.parametrize("key", ["input", "output", "cache_read"])
@pytest.mark.parametrize("value", [None, -1, "3", True, math.nan, math.inf])
def test_a_price_that_is_missing_or_none_is_named(key: str, value: object) -> None:
    data = (
        {**MINE, key: value} if value is not None else {k: v for k, v in MINE.items() if k != key}
    )
    with pytest.raises(PriceError, match=rf"^mine: {key}( is missing|: expected a number)"):
        price_table("mine", data)


@pytest.mark.parametrize(
    ("more", "named"),
    [
        ({"marks": True}, "cache_write is missing"),
        ({"marks": "yes"}, "marks: expected true or false"),
        ({"per": 0}, "per: expected a whole number from 1, got 0"),
        ({"per": 10**400}, "per: expected at most 1,000,000,000,000"),
        ({"output": 10**400}, "output: expected at most 1,000,000,000,000"),
        ({"output": 1e308}, "output: expected at most 1,000,000,000,000"),
        ({"minimum": -1}, "minimum"),
        ({"lifetime": -1}, "lifetime: expected a number of 0 or more"),
        ({"price": 3}, "price: expected one of cache_read, cache_write"),
        ({"tiers": [{"above": 5}]}, "tiers: expected {above = tokens"),
        ({"tiers": [{"above": -5, "times": 2}]}, "above"),
        ({"tiers": [{"above": 5, "times": -2}]}, "times"),
        ({"tiers": [{"above": 5, "times": 0}]}, "times: expected a number above 0, got 0"),
        ({"tiers": [{"above": 5, "times": 2}] * 2}, "tiers: above = 5 is given twice"),
        ({"tiers": 5}, "tiers: expected a list"),
        ({"unit": 5}, "unit: expected words"),
    ],
)
def test_what_else_is_wrong_is_named(more: dict[str, object], named: str) -> None:
    with pytest.raises(PriceError, match=named):
        price_table("mine", MINE | more)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", "expected at least one table"),
        ("input = 3\n", "input: expected a table of prices, got 3"),
        ("[mine\n", "line 1"),
        (f"mine = {'9' * 5_000}", "Exceeds the limit"),
        (f"mine = {'[' * 20_000}", "maximum recursion depth exceeded"),
        ("[mine]\ninput = -3\noutput = 1\ncache_read = 1\n", "mine: input: expected a number"),
    ],
)
def test_a_file_is_named_with_what_is_wrong_in_it(tmp_path: Path, text: str, named: str) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(text)
    with pytest.raises(PriceError, match=named) as caught:
        price_tables(file)
    assert "mine.toml" in str(caught.value)
    with pytest.raises(PriceError, match="cannot be read"):
        price_tables(tmp_path / "none.toml")


def test_one_table_of_your_own_is_enough_and_a_second_one_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("[mine]\ninput = 3\noutput = 15\ncache_read = 0.3\n")
    assert own_prices(file) == price_table("mine", MINE)
    with file.open("a") as more:
        more.write("[other]\ninput = 3\noutput = 15\ncache_read = 0.3\n")
    with pytest.raises(PriceError, match=r"mine\.toml: expected one table, got mine, other"):
        own_prices(file)
