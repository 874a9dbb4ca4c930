"""Where the full output of a call is kept, and how a summary says so in few words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from patch_agent.summaries.record import Output

FOLDER = ".patch/outputs"
_NUMBERED = re.compile(r"((?:.*\D)?)(0|[1-9]\d{0,15})")
_UNSAFE = re.compile(r"[^A-Za-z0-9_.\-]")


def pointer(call_id: str) -> str:
    """The path of a call's saved output in the workspace, such as `.patch/outputs/call_9.log`."""
    return f"{FOLDER}/{_safe(call_id)}.log"


def numbered_lines(outputs: Sequence[Output]) -> Iterator[str]:
    """One line for each run of calls whose ids are numbered one after the other."""
    runs: list[tuple[str, int, int]] = []
    for prefix, number in dict.fromkeys(filter(None, map(_split, outputs))):
        if runs and runs[-1][0] == prefix and number == runs[-1][2] + 1:
            runs[-1] = (prefix, runs[-1][1], number)
        else:
            runs.append((prefix, number, number))
    for prefix, first, last in runs:
        if first == last:
            yield f"Full output of {prefix}{first}: `{pointer(f'{prefix}{first}')}`"
        else:
            yield f"Full outputs: {_range(prefix, str(first), str(last))}"


def in_a_range(output: Output, text: str) -> bool:
    """True where the text gives the place of several numbered calls, this one among them.

    The pattern is made of the words that `numbered_lines` writes, so the two cannot differ.
    """
    split = _split(output)
    if split is None:
        return False
    prefix, number = split
    pattern = re.escape(_range(prefix, "\0", "\0")).replace("\0", r"(\d+)")
    ranges = re.findall(pattern, text)
    return any(int(first) <= number <= int(last) for first, last in ranges)


def _range(prefix: str, first: str, last: str) -> str:
    return f"`{FOLDER}/{_safe(prefix)}<n>.log`, for n = {first} to {last}"


def single_lines(outputs: Sequence[Output]) -> Iterator[str]:
    """One line for each call whose id has no number at its end."""
    for output in outputs:
        if _split(output) is None:
            yield f"Full output of {output.tool} at step {output.step}: `{pointer(output.call_id)}`"


def _split(output: Output) -> tuple[str, int] | None:
    match = _NUMBERED.fullmatch(output.call_id)
    return (match.group(1), int(match.group(2))) if match else None


def _safe(call_id: str) -> str:
    return _UNSAFE.sub("_", call_id)
