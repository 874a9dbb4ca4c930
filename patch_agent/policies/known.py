"""Finds the index of a conversation: the one that is known for its beginning is carried on.

The indexes of the few conversations asked for last are kept, for each thread its own. An index
whose reading was interrupted is never used again.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

from patch_agent.messages import Message
from patch_agent.policies.index import Index


class _Known(threading.local):
    """The indexes of the conversations asked for last, the newest first."""

    def __init__(self) -> None:
        self.indexes: list[Index] = []


_KNOWN = _Known()
_KEPT = 4


def indexed(conversation: Sequence[Message]) -> Index:
    """The index of a conversation."""
    whole = conversation if isinstance(conversation, tuple) else tuple(conversation)
    usable = [one for one in _KNOWN.indexes if not one.busy]
    index = next((one for one in usable if one.whole is whole), None)
    if index is None:
        index = next((one for one in usable if _begins(whole, one.whole)), None) or Index()
        _read(index, whole)
    adopt(index)
    return index


def adopt(index: Index) -> None:
    """Makes an index the first that is looked at."""
    if not _KNOWN.indexes or _KNOWN.indexes[0] is not index:
        _KNOWN.indexes = [index, *(one for one in _KNOWN.indexes if one is not index)][:_KEPT]


def forget() -> None:
    """Drops all that is known: the next conversation is read from its start."""
    _KNOWN.indexes = []


def _read(index: Index, whole: tuple[Message, ...]) -> None:
    index.busy = True
    for message in whole[len(index.messages) :]:
        index.add(message)
    index.whole = whole
    index.busy = False


def _begins(whole: tuple[Message, ...], known: tuple[Message, ...]) -> bool:
    """True where the whole begins with these messages; quick where they are the same objects."""
    count = len(known)
    return 0 < count <= len(whole) and known[-1] == whole[count - 1] and known == whole[:count]
