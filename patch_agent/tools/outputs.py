"""Saved outputs: the full text of every result, and what of a long one is sent.

Cutting happens here, at the boundary, once. What is cut says so at its head, with both sizes
and where the full text is; a notice in the middle of a payload is read as part of it.
"""

from __future__ import annotations

from pathlib import Path

from patch_agent.output_paths import output_path
from patch_agent.tokens import TokenCounter
from patch_agent.tools.files import store
from patch_agent.tools.paths import inside

CAP = 10_000
"""Tokens of a result that are sent unless told otherwise."""


class SavedOutputs:
    """Keeps the full text of each result in the workspace, each use of an id in its own file."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def save(self, call_id: str, text: str, use: int = 1) -> str:
        """Saves one output and gives its path; `use` counts the results with this id, from 1.

        The conversation decides the path, so a file that another run left there gives way.
        """
        path = output_path(call_id, use)
        kept = text.encode("utf-8", "backslashreplace").decode("utf-8")
        store(inside(self._root, path), kept)
        return path


def cut(text: str, counter: TokenCounter, cap: int, path: str) -> str:
    """The text, or its head and tail under a notice where it has more than `cap` tokens.

    Two thirds of what is kept are the head. Whole lines are kept where lines are short.
    """
    if len(text.encode("utf-8", "surrogatepass")) <= cap:  # a token has at least one byte
        return text
    size = counter.text(text)
    if size <= cap:
        return text
    room = len(text) * cap // size
    while room > 0:
        short = _ends(text, room, f"{size:,} tokens, the limit is {cap:,}", path)
        over = counter.text(short) - cap
        if over <= 0:
            return short
        room = min(room * 9 // 10, room - over)
    return f"[Output of {size:,} tokens left out. All of it: {path}]"


def _ends(text: str, room: int, sizes: str, path: str) -> str:
    head, tail = text[: room * 2 // 3], text[len(text) - room // 3 :]
    if "\n" in head[len(head) // 2 :]:
        head = head[: head.rindex("\n")]
    if "\n" in tail[: len(tail) // 2]:
        tail = tail[tail.index("\n") + 1 :]
    left_out = len(text) - len(head) - len(tail)
    notice = f"[Output cut: {sizes}; {left_out:,} characters left out. All of it: {path}]"
    return f"{notice}\n{head}\n[...]\n{tail}"
