"""Checks of what comes in, with messages that name the field."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

EMAIL = re.compile(r"[^@\s]{1,64}@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+")
Check = Callable[[object], object]


class Invalid(ValueError):
    """A value that fails its check; the text says what was expected."""


class InvalidForm(ValueError):
    """One or more fields failed; `errors` has a message for each."""

    def __init__(self, errors: dict[str, str]) -> None:
        super().__init__(", ".join(f"{name}: {text}" for name, text in errors.items()))
        self.errors = errors


def text(shortest: int = 1, longest: int = 200) -> Check:
    """A string, trimmed, of a length between two limits."""

    def check(value: object) -> object:
        if not isinstance(value, str):
            raise Invalid("should be text")
        trimmed = value.strip()
        if len(trimmed) < shortest:
            raise Invalid(f"should have at least {shortest} characters")
        if len(trimmed) > longest:
            raise Invalid(f"should have at most {longest} characters")
        return trimmed

    return check


def number(least: int, most: int) -> Check:
    """A whole number between two limits; `True` is not a number here."""

    def check(value: object) -> object:
        if isinstance(value, bool) or not isinstance(value, int):
            raise Invalid("should be a whole number")
        if not least <= value <= most:
            raise Invalid(f"should be between {least} and {most}")
        return value

    return check


def email(value: object) -> object:
    """An e-mail address, with its domain in lower case."""
    if not isinstance(value, str) or not EMAIL.fullmatch(value.strip()):
        raise Invalid("should be an e-mail address")
    name, _, domain = value.strip().rpartition("@")
    return f"{name}@{domain.lower()}"


def flag(value: object) -> object:
    """True or false."""
    if not isinstance(value, bool):
        raise Invalid("should be true or false")
    return value


def choice(*allowed: str) -> Check:
    """One of some words."""

    def check(value: object) -> object:
        if value not in allowed:
            raise Invalid(f"should be one of {', '.join(allowed)}")
        return value

    return check


@dataclass(frozen=True)
class Form:
    """Required and optional fields with their checks."""

    required: Mapping[str, Check] = field(default_factory=dict)
    optional: Mapping[str, Check] = field(default_factory=dict)

    def read(self, data: Mapping[str, object]) -> dict[str, object]:
        """The checked values; raises InvalidForm with all that is wrong."""
        values: dict[str, object] = {}
        errors: dict[str, str] = {}
        for name in data.keys() - self.required.keys() - self.optional.keys():
            errors[name] = "is not known here"
        for name, check in (*self.required.items(), *self.optional.items()):
            if name not in data:
                if name in self.required:
                    errors[name] = "is missing"
                continue
            try:
                values[name] = check(data[name])
            except Invalid as problem:
                errors[name] = str(problem)
        if errors:
            raise InvalidForm(dict(sorted(errors.items())))
        return values
