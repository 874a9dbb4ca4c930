"""The path of a saved output: one rule, for the tools that save and for all that points there.

The path follows from the conversation alone: from the call's id, and from how often results with
this id came before. So a placeholder names the right file though it has never seen the folder.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence

from patch_agent.messages import Message, Ref, ToolResult

FOLDER = ".patch/outputs"
"""Where outputs are kept, inside the workspace, so that read_file can open them."""
_PLAIN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


def output_path(call_id: str, use: int = 1) -> str:
    """Where the output of a call is kept; `use` counts the results with this id, from 1.

    An id that is no plain name is kept by its hash.

    >>> output_path("call_9"), output_path("call_9", 2)
    ('.patch/outputs/call_9.log', '.patch/outputs/call_9.2.log')
    >>> output_path("functions.read_file:0")
    '.patch/outputs/call_f9cc2c7822d5.log'
    """
    name = call_id
    if not _PLAIN_ID.fullmatch(call_id):
        digest = hashlib.sha256(call_id.encode("utf-8", "surrogatepass")).hexdigest()
        name = f"call_{digest[:12]}"
    again = "" if use == 1 else f".{use}"
    return f"{FOLDER}/{name}{again}.log"


def next_use(messages: Iterable[Message], call_id: str) -> int:
    """Which use of its id the next result with this id will be."""
    done = (result for message in messages for result in message.results if not result.pending)
    return 1 + sum(result.call_id == call_id for result in done)


class Uses:
    """Which use of its id each result of a growing conversation is; pending ones do not count."""

    def __init__(self) -> None:
        self._read = 0
        self._known: dict[str, dict[Ref, int]] = {}

    def read(self, messages: Sequence[Message]) -> None:
        """Reads the messages that are new."""
        for index in range(self._read, len(messages)):
            for position, block in enumerate(messages[index].blocks):
                if isinstance(block, ToolResult) and not block.pending:
                    places = self._known.setdefault(block.call_id, {})
                    places.setdefault((index, position), len(places) + 1)
            self._read = index + 1

    def of(self, call_id: str, place: Ref) -> int:
        """The use of the result at this place, 1 where none is known."""
        return self._known.get(call_id, {}).get(place, 1)
