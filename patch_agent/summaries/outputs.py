"""Where the full output of a call is kept, and how a summary says so in few words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from patch_agent.output_paths import FOLDER, output_path
from patch_agent.summaries.record import Output

_NUMBERED = re.compile(r"((?:.*\D)?)(0|[1-9]\d{0,15})")


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
            yield f"Full output of {prefix}{first}: `{output_path(f'{prefix}{first}')}`"
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
    return f"`{FOLDER}/{prefix}<n>.log`, for n = {first} to {last}"


def single_lines(outputs: Sequence[Output]) -> Iterator[str]:
    """One line for each call whose file is not its id with a number at the end."""
    for output in outputs:
        if _split(output) is None:
            yield f"Full output of {output.tool} at step {output.step}: `{output.path}`"


def _split(output: Output) -> tuple[str, int] | None:
    match = _NUMBERED.fullmatch(output.call_id)
    if match is None or output.path != f"{FOLDER}/{output.call_id}.log":
        return None
    return match.group(1), int(match.group(2))
