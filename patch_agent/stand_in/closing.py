"""The end of the work: the line that a rule wants in a file before all is called done.

The rule names the file, and perhaps the heading. With a heading the line is added at once; where
that is refused, or no heading is named, the file is read first.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from patch_agent.stand_in.evidence import Evidence, Wire
from patch_agent.stand_in.paths import clean
from patch_agent.stand_in.reader import answer
from patch_agent.stand_in.work import Act, acts, last_user
from patch_agent.stand_in.wrap_up import thing

_HEADING = re.compile(
    r"(?:under|below|in|section|heading)(?: the)?(?: heading| section)?\s+"
    r"(?:[\"“'`](?P<quoted>[^\"”'`./]{1,40})[\"”'`]|section (?P<plain>[A-Z]\w+))"
)
_NUMBERED = re.compile(r"^\d+\t", re.MULTILINE)
Step = tuple[str, str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Ending:
    """What a rule wants at the end: `what` as it says, `path` if that is a file."""

    what: str
    path: str | None
    heading: str | None
    evidence: Evidence


def ending(request: Wire) -> Ending | None:
    """What has to be done before the work is finished; None where nothing says so."""
    found = answer({"kind": "before_done"}, request)
    if not found.found or found.evidence is None:
        return None
    quote = found.evidence.quote
    what = thing(quote) or ""
    if what.lower().replace(" ", "") == "changelog":
        what = "CHANGELOG.md"
    path = clean(what) if " " not in what and "." in what else None
    return Ending(what, path, heading_of(quote), found.evidence)


def heading_of(quote: str) -> str | None:
    """The heading under which a rule wants its line.

    >>> heading_of('Add a line to NEWS.md under "Next".')
    'Next'
    """
    match = _HEADING.search(quote)
    return (match["quoted"] or match["plain"]) if match else None


def step(
    request: Wire, end: Ending, test: str | None, changed: list[str], offered: set[str]
) -> Step | str:
    """The next call for the end of the work, or the words to close with."""
    if end.path is None:
        return f"What is still to be done, and I cannot do it: {end.what}."
    done = [a for a in acts(request["messages"], last_user(request["messages"]) + 1)
            if clean(str(a.call.arguments.get("path", ""))) == end.path]  # fmt: skip
    if any(act.written for act in done):
        return f"{end.path} has its line."
    if not changed:
        return f"Nothing was changed, so {end.path} needs no line."
    if answer({"kind": "may_edit", "params": {"path": end.path}}, request).found:
        return f"{end.path} still needs its line, and I may not edit it."
    line = _line(test, changed)
    read = [act for act in done if act.call.name == "read_file"]
    refused = [act for act in done if act.call.name == "edit_file" and act.error]
    if not read and (refused or end.heading is None) and "read_file" in offered:
        return (f"I look where the line goes in {end.path}.", "read_file", {"path": end.path})
    return _write(end, line, read, refused, offered)


def _write(
    end: Ending, line: str, read: list[Act], refused: list[Act], offered: set[str]
) -> Step | str:
    assert end.path is not None
    say = f"Before I am done: a line in {end.path}."
    if read and read[-1].error:
        if "write_file" not in offered:
            return f"{end.path} does not exist, and I cannot make it."
        text = f"# Changes\n\n## {end.heading or 'Next'}\n\n{line}\n"
        return say, "write_file", {"path": end.path, "text": text}
    old = _place(read[-1].text, end.heading) if read else f"## {end.heading}"
    if old is None or any(act.call.arguments.get("old") == old for act in refused):
        return f"{end.path} still needs its line; I found no place for it."
    return say, "edit_file", {"path": end.path, "old": old, "new": f"{old}\n\n{line}"}


def _place(printed: str, heading: str | None) -> str | None:
    """The heading in a file, as read_file printed it, below which the new line goes."""
    numbered = [line for line in printed.split("\n") if _NUMBERED.match(line)]
    lines = [_NUMBERED.sub("", line) for line in numbered] or printed.split("\n")
    titles = [n for n, line in enumerate(lines) if re.match(r"#{2,6} ", line)]
    titles += [n for n, line in enumerate(lines) if line.startswith("# ")]
    if heading:
        titles = [n for n in titles if heading.lower() in lines[n].lower()] or titles
    for number in titles:
        for length in (1, 2, 3):
            old = "\n".join(lines[number : number + length]).rstrip()
            if "\n".join(lines).count(old) == 1:
                return old
    return None


def _line(test: str | None, changed: list[str]) -> str:
    name = (test or "").rpartition("::")[2].removeprefix("test_").replace("_", " ")
    files = ", ".join(f"`{path}`" for path in changed)
    return f"- Fixed: {name} ({files})." if name else f"- Fixed in {files}."
