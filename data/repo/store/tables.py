"""A small table of records with keys, indexes and a journal.

It stands where a database table would stand and keeps the same promises: keys
are unique, a record is replaced as a whole, and a reader never holds a record
that a writer can still change.
"""

import copy
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

Record = dict[str, object]


class DuplicateKey(KeyError):
    """A record with this key is there already."""


class NoSuchRecord(KeyError):
    """There is no record with this key."""


class Table:
    """Records by key, in the order in which they were added."""

    def __init__(self, name: str, key: str = "id", records: Iterable[Record] = ()) -> None:
        self.name = name
        self.key = key
        self._records: dict[object, Record] = {}
        self._indexes: dict[str, dict[object, set[object]]] = {}
        self.journal: list[tuple[str, object]] = []
        for record in records:
            self.add(record)
        self.journal.clear()

    def __len__(self) -> int:
        return len(self._records)

    def __contains__(self, key: object) -> bool:
        return key in self._records

    def __iter__(self) -> Iterator[Record]:
        return iter([copy.deepcopy(record) for record in self._records.values()])

    def add(self, record: Record) -> None:
        """Put in a new record; its key must not be taken."""
        key = record[self.key]
        if key in self._records:
            raise DuplicateKey(f"{self.name}: {key} is taken")
        self._store(key, record)
        self.journal.append(("add", key))

    def get(self, key: object) -> Record:
        """A copy of one record."""
        if key not in self._records:
            raise NoSuchRecord(f"{self.name}: no {key}")
        return copy.deepcopy(self._records[key])

    def find(self, key: object) -> Record | None:
        """A copy of one record, or None where there is none."""
        return self.get(key) if key in self._records else None

    def update(self, key: object, **changes: object) -> Record:
        """Change some fields of a record and return it as it is then."""
        record = self.get(key)
        if changes.get(self.key, key) != key:
            raise ValueError(f"{self.name}: the key of {key} cannot change")
        record.update(changes)
        self._forget(key)
        self._store(key, record)
        self.journal.append(("update", key))
        return self.get(key)

    def remove(self, key: object) -> Record:
        """Take a record out and return it."""
        record = self.get(key)
        self._forget(key)
        del self._records[key]
        self.journal.append(("remove", key))
        return record

    def index(self, field: str) -> None:
        """Keep an index on `field`, so that `where` need not look at every record."""
        self._indexes[field] = {}
        for key, record in self._records.items():
            self._indexes[field].setdefault(record.get(field), set()).add(key)

    def where(self, **wanted: object) -> list[Record]:
        """Copies of the records whose fields have these values, in table order."""
        keys: set[object] | None = None
        for field in wanted.keys() & self._indexes.keys():
            found = self._indexes[field].get(wanted[field], set())
            keys = found if keys is None else keys & found
        return [
            copy.deepcopy(record)
            for key, record in self._records.items()
            if (keys is None or key in keys)
            and all(record.get(field) == value for field, value in wanted.items())
        ]

    def select(self, test: Callable[[Record], bool]) -> list[Record]:
        """Copies of the records that pass `test`, in table order."""
        return [record for record in self if test(record)]

    def _store(self, key: object, record: Record) -> None:
        self._records[key] = copy.deepcopy(record)
        for field, index in self._indexes.items():
            index.setdefault(record.get(field), set()).add(key)

    def _forget(self, key: object) -> None:
        for field, index in self._indexes.items():
            index[self._records[key].get(field)].discard(key)


class Sequence:
    """Numbered ids such as `inv_1001`, each given out once."""

    def __init__(self, prefix: str, start: int = 1001) -> None:
        self.prefix = prefix
        self._next = start

    def take(self) -> str:
        """The next id."""
        number = self._next
        self._next += 1
        return f"{self.prefix}_{number}"


def load_table(path: Path, name: str, key: str = "id") -> Table:
    """A table from a JSON file that holds a list of records."""
    records = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(records, list):
        raise ValueError(f"{path.name} should hold a list of records")
    return Table(name, key, records)


def dump_table(table: Table, path: Path) -> None:
    """Write a table as `load_table` reads it."""
    text = json.dumps(list(table), indent=2, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")
