"""The shop's settings, read once at start and then handed around."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta, timezone

OFFSET = re.compile(r"UTC([+-])(\d{2}):(\d{2})")


class BadSetting(ValueError):
    """A setting that is missing or cannot be read."""


@dataclass(frozen=True)
class Settings:
    """All that differs between one installation and another.

    `zone` is the zone of the people in the office. It decides how a time is shown
    and which day a report belongs to, and nothing else.
    """

    secret: bytes
    zone: timezone = timezone(timedelta(hours=-5), "UTC-05:00")
    country: str = "US"
    currency: str = "USD"
    session_length: timedelta = timedelta(hours=12)
    remember_length: timedelta = timedelta(days=30)
    renewal_attempts: int = 3
    password_rounds: int = 600_000
    admins: frozenset[str] = field(default_factory=frozenset)


def parse_zone(text: str) -> timezone:
    """A fixed offset such as `UTC-05:00`.

    Named zones are left out on purpose: they need a database that not every
    server has.
    """
    match = OFFSET.fullmatch(text)
    if match is None:
        raise BadSetting(f"zone {text!r} should look like UTC-05:00")
    sign = -1 if match[1] == "-" else 1
    offset = sign * timedelta(hours=int(match[2]), minutes=int(match[3]))
    if abs(offset) > timedelta(hours=14):
        raise BadSetting(f"zone {text!r} is more than 14 hours from UTC")
    return timezone(offset, text)


def parse_length(text: str) -> timedelta:
    """A length of time such as `90s`, `15m`, `12h` or `30d`."""
    units = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
    number, unit = text[:-1], text[-1:]
    if unit not in units or not number.isdigit():
        raise BadSetting(f"length {text!r} should look like 90s, 15m, 12h or 30d")
    return timedelta(**{units[unit]: int(number)})


def from_environment(environment: Mapping[str, str]) -> Settings:
    """The settings in `SHOP_...` variables; only `SHOP_SECRET` has no default."""
    secret = environment.get("SHOP_SECRET", "")
    if len(secret) < 16:
        raise BadSetting("SHOP_SECRET must have at least 16 characters")
    chosen: dict[str, object] = {}
    if "SHOP_ZONE" in environment:
        chosen["zone"] = parse_zone(environment["SHOP_ZONE"])
    for name in ("session_length", "remember_length"):
        key = f"SHOP_{name.upper()}"
        if key in environment:
            chosen[name] = parse_length(environment[key])
    for name in ("country", "currency"):
        key = f"SHOP_{name.upper()}"
        if key in environment:
            chosen[name] = environment[key].upper()
    for name in ("renewal_attempts", "password_rounds"):
        key = f"SHOP_{name.upper()}"
        if key in environment:
            chosen[name] = parse_count(environment[key])
    if "SHOP_ADMINS" in environment:
        names = environment["SHOP_ADMINS"].split(",")
        chosen["admins"] = frozenset(name.strip() for name in names if name.strip())
    return Settings(secret.encode(), **chosen)


def parse_count(text: str) -> int:
    """A whole number of at least one."""
    if not text.isdigit() or int(text) < 1:
        raise BadSetting(f"count {text!r} should be a whole number of at least one")
    return int(text)
