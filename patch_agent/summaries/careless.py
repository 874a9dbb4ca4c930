"""The careless summary: fluent prose that reads well and has lost what a later step needs.

The recipe, which is what happens when nobody says what must survive: the story is kept, the
particulars are not. Lost are the user's words, the exact text of every failure, test ids and
the paths of tests, the names of what was tried, step numbers, and where outputs are kept. Kept
are what the work is about, how many files were read and in which folders, what the assistant
thought on the way in sentences that name nothing, which source files were changed and whether
the change was taken back, and as the suspect the source file whose name was spoken of most. All
of it is counted from the record; where it does not fit, later sentences go first, the last one
excepted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import PurePosixPath

from patch_agent.messages import Message
from patch_agent.summaries.findings import tells_dead_end
from patch_agent.summaries.record import Record, scan
from patch_agent.summaries.summary import LIMIT, Summary
from patch_agent.tokens import TokenCounter

_PARTICULAR = re.compile(r"[`\"“”/\d]|\w\.\w|\w_\w|\b(?:I|[Ww]e|[Uu]ser|step)\b")
"""A name, a path, a number, a quote; and whoever speaks or is spoken of."""


def careless(
    messages: Sequence[Message],
    counter: TokenCounter,
    limit: int = LIMIT,
    previous: Summary | None = None,
) -> Summary:
    """The careless summary of these messages and of what `previous` covers, within `limit`."""
    return _careless(tuple(messages), counter, limit, previous)


@lru_cache(maxsize=256)
def _careless(
    messages: tuple[Message, ...], counter: TokenCounter, limit: int, previous: Summary | None
) -> Summary:
    """Written once for the same messages: a call is built again for each further step."""
    record = scan(messages, previous.record if previous else None)
    told = list(_story(record))
    through = (previous.through if previous else 0) + len(messages)
    summary = Summary(" ".join(told), record.steps, through, "careless", record)
    while counter.message(summary.message) > limit and len(told) > 1:
        del told[-2]
        summary = Summary(" ".join(told), record.steps, through, "careless", record)
    return summary


def _story(record: Record) -> Iterator[str]:
    yield _subject(record)
    yield from _reading(record)
    yield from _running(record)
    yield from _thoughts(record)
    yield from _talk(record)
    yield from _attempts(record)
    yield from _changes(record)
    yield _outlook(record)


def _subject(record: Record) -> str:
    topic = _topic(record)
    if record.failures and topic:
        return f"The work so far has been about a failing {topic} test and what lies behind it."
    if record.failures:
        return "The work so far has been about an error and what lies behind it."
    if topic:
        return f"The work so far has been about the {topic} side of things."
    return "The conversation so far has gone over what the user asked for and what to make of it."


def _topic(record: Record) -> str:
    """The subject of the first failing test, or else the folder that was visited most."""
    tests = [failure.test for failure in record.failures if "::" in failure.test]
    if tests:
        return _plain(PurePosixPath(tests[0].split("::")[0]).stem)
    folders = Counter(map(_folder, _sources(record)))
    del folders[""]
    return folders.most_common(1)[0][0] if folders else ""


def _plain(stem: str) -> str:
    return stem.removeprefix("test_").removesuffix("_test").replace("_", " ")


def _reading(record: Record) -> Iterator[str]:
    # In their order: a summary must not depend on how a set is laid out.
    read = list(dict.fromkeys(v.target for v in record.visits if v.action == "read"))
    if not read:
        return
    yield (
        f"{_amount(len(read)).capitalize()} {_noun(read, 'file')} {_was(read)} read to get an"
        f" overview{_most(read)}."
    )
    route = _route(record)
    if len(route) > 1:
        folders = [f"{name}/" for name in route]
        yield f"The search began in {folders[0]} and went on to {', then '.join(folders[1:])}."


def _most(read: Sequence[str]) -> str:
    """The one or two folders in which most of those files are."""
    folders = Counter(_folder(path) for path in read if _folder(path) and not is_test(path))
    top = [f"{name}/" for name, count in folders.most_common(2) if count > 1]
    return f", most of them in {_list(top)}" if top else ""


def _route(record: Record) -> list[str]:
    """The folder visited most in each quarter of the visits, repetitions left out."""
    visited = [_folder(path) for path in _sources(record) if _folder(path)]
    size = max(1, -(-len(visited) // 4))
    quarters = [visited[start : start + size] for start in range(0, len(visited), size)]
    route: list[str] = []
    for quarter in quarters:
        top = Counter(quarter).most_common(1)[0][0]
        if top not in route[-1:]:
            route.append(top)
    return route


def _running(record: Record) -> Iterator[str]:
    runs = sum(visit.action == "run" for visit in record.visits)
    if not runs:
        return
    how = "once" if runs == 1 else "a few times" if runs < 5 else "again and again"
    yield f"In between, things were run {how} to see where they stood."


def _thoughts(record: Record) -> Iterator[str]:
    """What the assistant said it had found out, where the sentence holds no particular."""
    told = dict.fromkeys(quote.text for quote in record.decisions)
    vague = [text for text in told if not (_PARTICULAR.search(text) or tells_dead_end(text))]
    if vague:
        yield "A picture has formed along the way."
    yield from vague


def _talk(record: Record) -> Iterator[str]:
    remarks = len(record.said) - 1
    if remarks > 0:
        what = "a remark" if remarks == 1 else f"{_amount(remarks)} remarks"
        yield f"The user added {what} along the way, which went into the work."


def _attempts(record: Record) -> Iterator[str]:
    undone = dict.fromkeys(edit.path for edit in record.edits if edit.undone is not None)
    for place, path in enumerate(path for path in undone if not is_test(path)):
        if place == 0:
            yield (
                f"A change in {path} looked promising for a while, but it did not help,"
                " so it was undone and the file is back as it was."
            )
        else:
            yield f"The same goes for a change in {path}."


def _changes(record: Record) -> Iterator[str]:
    kept = dict.fromkeys(edit.path for edit in record.edits if edit.undone is None)
    named = [path for path in kept if not is_test(path)]
    if named:
        shown = _list(named if len(named) < 5 else [*named[:4], "others"])
        yield f"So far {shown} {_was(named)} changed."


def _outlook(record: Record) -> str:
    undone = {edit.path for edit in record.edits if edit.undone is not None}
    sources = [
        path for path in _sources(record) if "." in PurePosixPath(path).name and path not in undone
    ]
    if sources and record.failures:
        suspect = max(reversed(sources), key=lambda path: _spoken_of(path, record))
        return (
            f"By now {suspect} is the main suspect, and that is where the cause is most"
            " likely to be found."
        )
    if sources:
        return f"The last thing looked at was {sources[-1]}, and the work goes on from there."
    return "The main points are settled, and the work goes on from there."


def _spoken_of(path: str, record: Record) -> int:
    """How often the assistant said the file's name, in the singular or the plural."""
    stem = PurePosixPath(path).stem.lower().rstrip("s")
    counts = dict(record.spoken)
    return counts.get(stem, 0) + counts.get(f"{stem}s", 0)


def _sources(record: Record) -> list[str]:
    """The paths visited, tests and all that belongs to them left out."""
    return [
        visit.target
        for visit in record.visits
        if visit.action != "run" and "::" not in visit.target and not is_test(visit.target)
    ]


def is_test(path: str) -> bool:
    """True for tests and whatever lies in a folder of tests."""
    parts = PurePosixPath(path.split("::")[0]).parts
    if not parts:
        return False
    name = parts[-1]
    marked = name.startswith("test_") or "_test." in name or ".test." in name or ".spec." in name
    return marked or any(part in ("test", "tests", "spec", "__tests__") for part in parts)


def _folder(path: str) -> str:
    parts = PurePosixPath(path).parts
    return parts[0] if len(parts) > 1 and parts[0] not in ("/", ".", "..") else ""


def _amount(number: int) -> str:
    for least, words in ((100, "well over a hundred"), (45, "dozens of"), (25, "some thirty")):
        if number >= least:
            return words
    for least, words in ((15, "about twenty"), (9, "about a dozen"), (5, "several")):
        if number >= least:
            return words
    return {0: "no", 1: "one", 2: "two"}.get(number, "a few")


def _noun(items: Sequence[str] | set[str], noun: str) -> str:
    return noun if len(items) == 1 else f"{noun}s"


def _was(items: Sequence[str] | set[str]) -> str:
    return "was" if len(items) == 1 else "were"


def _list(names: Sequence[str]) -> str:
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"
