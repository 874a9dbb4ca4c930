"""Copies of what your code is given, and the name of what it edited in them.

Most of it cannot be edited by a plain assignment. Some can, such as a tool's definition, and a
message that is changed by force looks the same to everybody afterwards. So each call gets a copy
of its own, and the copy is compared with the original when the call is over.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

from patch_agent.messages import Message
from patch_agent.request import Entry

T = TypeVar("T")


def copied(value: T) -> T:
    """A copy that shares nothing that can be edited."""
    return deepcopy(value)


def edited(name: str, given: Any, kept: Any) -> str:
    """What differs, by its name, such as ``message 12`` or ``patch_state.tools``; or nothing.

    A message of a conversation is named by its place alone, anything else by the way to it.
    """
    if type(given) is not type(kept):
        return name
    if isinstance(kept, Message):
        return name if _fields(given) != _fields(kept) else ""
    if isinstance(kept, Entry):
        return edited(_place(name, kept), given.message, kept.message)
    if is_dataclass(kept):
        names = [one.name for one in fields(kept)]
        found = (edited(f"{name}.{n}", getattr(given, n), getattr(kept, n)) for n in names)
        return next(filter(None, found), "")
    if isinstance(kept, (tuple, list)):
        return _among(name, given, kept)
    return name if given != kept else ""


def _among(name: str, given: Sequence[Any], kept: Sequence[Any]) -> str:
    if len(given) != len(kept):
        return name
    for index, (one, other) in enumerate(zip(given, kept, strict=True)):
        what = f"message {index}" if isinstance(other, Message) else name
        if found := edited(what, one, other):
            return found
    return ""


def _place(name: str, entry: Entry) -> str:
    return name if entry.index is None else f"message {entry.index}"


def _fields(message: Message) -> tuple[Any, ...]:
    """All of a message, with what takes no part in its equality."""
    return tuple(getattr(message, one.name) for one in fields(message))
