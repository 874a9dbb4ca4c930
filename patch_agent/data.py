"""Finds the project's data: the running example, its recorded sessions, the catalogue.

The same call works in a checkout, where the files lie in ``data/`` beside the package, and after
an install, where a wheel puts them into ``patch_agent_data`` beside it. A file that is damaged is
named, with the line where there is one.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_BESIDE = Path(__file__).resolve().parent.parent


def data_path(*names: str) -> Path:
    """The path of one file or folder of the project's data, such as ``data_path("repo")``.

    Raises FileNotFoundError, naming the places that were tried, where there is no such thing.
    """
    places = [_BESIDE.joinpath(root, *names) for root in ("patch_agent_data", "data")]
    for place in places:
        if place.exists():
            return place
    tried = " or ".join(str(place) for place in places)
    raise FileNotFoundError(f"no data named {'/'.join(names)!r}: looked for {tried}")


class DataError(ValueError):
    """A file that does not hold what it should; its text begins with the file's path."""


def read_text(path: Path) -> str:
    """The text of a file. Raises DataError, and OSError where there is no such file."""
    data = path.read_bytes()
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise DataError(f"{path}: line {line} is not UTF-8 text") from None


def read_json(path: Path) -> Any:
    """The value in a JSON file. Raises DataError and OSError."""
    text = read_text(path)
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise DataError(f"{path}: line {error.lineno}: not JSON ({error.msg})") from None
    except ValueError:
        raise DataError(f"{path}: a number is too long") from None
    except RecursionError:
        raise DataError(f"{path}: too deep") from None


def read_of_schema(path: Path, what: str, schema: int) -> dict[str, Any]:
    """The object in a JSON file with this `schema`, such as that of "a catalogue".

    Raises DataError and OSError.
    """
    loaded = read_json(path)
    found = loaded.get("schema") if isinstance(loaded, dict) else None
    if not isinstance(loaded, dict) or found != schema:
        raise DataError(f"{path}: expected {what} of schema {schema}, got {found!r}")
    return loaded


def read_toml(path: Path) -> dict[str, Any]:
    """The table in a TOML file. Raises DataError and OSError."""
    try:
        return tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"{path}: not TOML: {error}") from None


class Table(dict[str, Any]):
    """A table of a file. A key that it lacks raises DataError, which names file and key."""

    def __init__(self, path: Path, values: Mapping[str, Any], name: str = "") -> None:
        self.path, self.name = path, name
        super().__init__((key, self._wrapped(key, value)) for key, value in values.items())

    def _wrapped(self, key: str, value: Any) -> Any:
        return Table(self.path, value, f"{self.name}{key}.") if isinstance(value, dict) else value

    def __missing__(self, key: str) -> Any:
        raise DataError(f"{self.path}: expected {self.name}{key}")


def read_table(path: Path) -> Table:
    """The same, with every key that is missing named. Raises DataError and OSError."""
    return Table(path, read_toml(path))
