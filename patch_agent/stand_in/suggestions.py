"""Edits that a text suggests, and whether what was said rules one of them out.

This is the only way in which the stand-in knows how to change code: a sentence of the form
"In `path` replace `old` with `new`." It takes such a sentence from any text but its own earlier
replies, unless the text calls itself untrusted or the sentence says not to do it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from patch_agent.stand_in import dead_ends
from patch_agent.stand_in.evidence import Evidence, Wire
from patch_agent.stand_in.paths import clean, paths
from patch_agent.stand_in.sentences import untrusted_spans
from patch_agent.stand_in.source import Call, Source, calls, read_once, source

_SUGGESTION = re.compile(
    r"\bin\s+`?(?P<path>[\w./-]*\w)`?,?\s+replace\s+`(?P<old>[^`\n]+)`\s+(?:with|by)\s+`(?P<new>[^`\n]+)`",
    re.IGNORECASE,
)
_NOT = re.compile(r"\b(?:do not|don['’]t|never|must not|should not)\b[^.!?\n]*$", re.IGNORECASE)
_NAME = re.compile(r"[A-Za-z_]\w*")
_ASSIGNED = re.compile(r"^\W*([A-Za-z_]\w*)\W*\s*[=:]")
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One edit: `old` is replaced with `new` in the file `path`."""

    path: str
    old: str
    new: str

    @property
    def undone(self) -> Suggestion:
        """The edit that takes this one back."""
        return Suggestion(self.path, self.new, self.old)

    @property
    def arguments(self) -> dict[str, str]:
        """The arguments of the call that makes it."""
        return {"path": self.path, "old": self.old, "new": self.new}


@read_once
def suggestions(here: Source) -> tuple[tuple[Suggestion, Evidence], ...]:
    """The edits that one message suggests, in order, each with where it stands."""
    if here.kind == "assistant":
        return ()
    text = here.text
    found: dict[Suggestion, Evidence] = {}
    for match in _SUGGESTION.finditer(text):
        if _NOT.search(text[: match.start()]) or untrusted(text, match.start()):
            continue
        edit = Suggestion(clean(match["path"]), match["old"], match["new"])
        start, end = match.span()
        found.setdefault(edit, Evidence(0, here.kind, start, end, match[0], edit.path))
    return tuple(found.items())


def untrusted(text: str, place: int) -> bool:
    """True inside the marks <untrusted> and </untrusted>, and where the first line of the text,
    or of the paragraph there, says "untrusted"."""
    if any(start <= place < end for start, end in untrusted_spans(text)):
        return True
    paragraph = text[text.rfind("\n\n", 0, place) + 1 : place].lstrip()
    return any("untrusted" in part.partition("\n")[0].lower() for part in (text, paragraph))


def edit_of(call: Call) -> Suggestion | None:
    """The edit that a call of edit_file makes; None for any other call."""
    values = [call.arguments.get(key) for key in ("path", "old", "new")]
    if call.name != "edit_file" or not all(isinstance(value, str) for value in values):
        return None
    path, old, new = map(str, values)
    return Suggestion(clean(path), old, new)


def edits(message: Wire) -> tuple[Suggestion, ...]:
    """The edits that the calls of one message make."""
    return tuple(edit for call in calls(message) if (edit := edit_of(call)))


def rules_out(statement: Evidence, edit: Suggestion) -> bool:
    """True where a statement on a dead end is about this edit.

    It names the edit's file, or no file at all, and it names what the edit changes: "the change
    in auth/tokens.py" does not say which change.
    """
    files = [clean(m.name) for m in paths(statement.quote)]
    if files and not any(f == edit.path or edit.path.endswith(f"/{f}") for f in files):
        return False
    said = set(_plain_words(statement.quote))
    return any(words <= said for words in subjects(edit))


def subjects(edit: Suggestion) -> list[set[str]]:
    """What an edit changes, in words: the name that it sets, and the names that come or go.

    >>> [sorted(words) for words in subjects(Suggestion("a.py", "MAX_AGE = 3", "MAX_AGE = 4"))]
    [['age', 'max']]
    """
    assigned = _ASSIGNED.match(edit.old)
    names = [assigned[1]] if assigned else []
    names += sorted(set(_NAME.findall(edit.old)) ^ set(_NAME.findall(edit.new)))
    found = [set(_plain_words(name)) for name in names if len(name) > 3 or name.isupper()]
    return [words for words in found if words]


def _plain_words(text: str) -> list[str]:
    return [part.lower().removesuffix("s") for part in _CAMEL.findall(text.replace("_", " "))]


def dead_end(edit: Suggestion, message: Wire) -> tuple[Evidence, ...]:
    """What a message says against trying an edit: a statement, or a call that took it back."""
    here = source(message)
    found = [e for e in dead_ends.ruled_out(here) if not e.holds or rules_out(e, edit)]
    if edit.undone in edits(message):
        text = here.text
        found.append(Evidence(0, "assistant", 0, len(text), text, f"{edit.path} was put back."))
    return tuple(found)
