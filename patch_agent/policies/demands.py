"""What a summary has to hold, found by code: rules, open questions, identifiers in use.

A summary is somebody's lossy rewrite; a lost issue number means a crash filed twice. So what is
missing from a proposal is appended to it, word for word, and a name that it invented is told.

- *rules*: sentences of the user's that demand or forbid something;
- *open questions*: questions of the user's that got no answer in words and the assistant's that
  got none from the user, and sentences that call something open, unchecked or still to do;
- *identifiers in use*: paths, test ids, issue numbers and call ids in the words of the user and
  the assistant, in the short arguments of calls and in short results (such as "filed as #12"),
  and for each failing test of a run its id and its first error.
"""

from __future__ import annotations

import json
import re
import string
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from patch_agent.identifiers import identifiers
from patch_agent.messages import Message, ToolCall, ToolResult, pairing
from patch_agent.summaries import Summary
from patch_agent.summaries.calls import action_of
from patch_agent.summaries.findings import failures_in, sentences, tells_rule
from patch_agent.tokens import message_texts

SHORT = 400
"""Characters up to which an argument or a result is read for identifiers: a longer one is
content, most of whose names nobody has used."""

Finder = Callable[[str], Iterable[str]]
"""Finds the identifiers of a text."""

_OPEN = re.compile(
    r"\b(?:still|not yet|yet to be)\b[^.!?\n]{0,60}\b(?:open|unchecked|unclear|unknown|to do"
    r"|checked|ruled out|looked at|tested|decided)\b"
    r"|\b(?:remains?|left) (?:open|unchecked|unclear|to be)\b|\bTODO\b|\bopen question\b",
    re.IGNORECASE,
)
_WORD = frozenset(string.ascii_letters + string.digits + "_")
_HEAD = "Added by code, word for word, since the summary left it out:"


def names_in(text: str) -> Iterator[str]:
    """Paths, test ids, issue numbers and call ids of a text."""
    return (hit.text for hit in identifiers(text) if hit.kind != "error")


def stands(name: str, text: str) -> bool:
    """True where a text has a name as a whole: "#4" does not stand in "#47"."""
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        longer = text[at - 1 : at + 1] if at else "", text[end - 1 : end + 1]
        if not any(len(pair) == 2 and _WORD.issuperset(pair) for pair in longer):
            return True
        at = text.find(name, at + 1)
    return False


@dataclass(frozen=True, slots=True)
class Demands:
    """Texts that have to stand in a summary, each once; names in the order of their last use."""

    rules: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    def without(self, text: str) -> Demands:
        """What of these does not stand in the text."""
        return Demands(
            tuple(item for item in self.rules if item not in text),
            tuple(item for item in self.questions if item not in text),
            tuple(name for name in self.names if not stands(name, text)),
        )

    def __bool__(self) -> bool:
        return bool(self.rules or self.questions or self.names)

    def __str__(self) -> str:
        counts = (
            (len(self.rules), "rules"),
            (len(self.questions), "open questions"),
            (len(self.names), "identifiers"),
        )
        return ", ".join(f"{count} {what}" for count, what in counts if count)


def demands(messages: Sequence[Message], find: Finder = names_in) -> Demands:
    """What a summary of these messages, which are the originals, has to hold."""
    rules, names = dict[str, None](), dict.fromkeys(_failures(messages))
    for message in messages:
        if message.role == "user":
            rules.update(dict.fromkeys(filter(tells_rule, sentences(message.text))))
        words = [message.text] if message.role in ("user", "assistant") else []
        for text in (*words, *_short_texts(message)):
            for name in find(text):
                names.pop(name, None)
                names[name] = None
    return Demands(tuple(rules), tuple(dict.fromkeys(_questions(messages))), tuple(names))


def _short_texts(message: Message) -> Iterator[str]:
    for call in message.calls:
        try:
            yield from _strings(json.loads(call.arguments))
        except (ValueError, RecursionError):
            if len(call.arguments) <= SHORT:
                yield call.arguments
    yield from (done.text for done in message.results if len(done.text) <= SHORT)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        if len(value) <= SHORT:
            yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _strings(inner)


def _failures(messages: Sequence[Message]) -> Iterator[str]:
    told: set[str] = set()
    for (index, position), refs in pairing(messages).results.items():
        call = messages[index].blocks[position]
        if not refs or not isinstance(call, ToolCall) or action_of(call).verb != "run":
            continue
        done = messages[refs[-1][0]].blocks[refs[-1][1]]
        assert isinstance(done, ToolResult)
        for test, error in failures_in(done.text):
            if (test or error) not in told:
                told.add(test or error)
                yield from filter(None, (test, error))


def _questions(messages: Sequence[Message]) -> Iterator[str]:
    """Sentences that are open, and questions after which the other side said nothing."""
    waiting: dict[str, list[str]] = {"user": [], "assistant": []}
    for message in messages:
        if message.role not in waiting or not message.text.strip():
            continue
        other = "assistant" if message.role == "user" else "user"
        waiting[other] = []
        told = sentences(message.text)
        waiting[message.role] += [sentence for sentence in told if sentence.endswith("?")]
        yield from filter(_OPEN.search, told)
    yield from waiting["user"] + waiting["assistant"]


def completed(summary: Summary, missing: Demands, most: int | None = None) -> Summary:
    """The summary with what is missing appended to it, marked as added by code.

    Of the names at most the last `most` are, with the number of those that are not.
    """
    if not missing:
        return summary
    names = missing.names if most is None else missing.names[len(missing.names) - most :]
    left_out = len(missing.names) - len(names)
    lines = [_HEAD]
    lines += [f'- The user said: "{rule}"' for rule in missing.rules]
    lines += [f'- Open: "{question}"' for question in missing.questions]
    if names:
        lines.append("- Named in these steps: " + ", ".join(f"`{name}`" for name in names))
    if left_out:
        lines.append(f"- {left_out:,} names used earlier did not fit.")
    return replace(summary, text="\n".join([summary.text.rstrip(), "", *lines]))


def invented(summary: Summary, messages: Sequence[Message], find: Finder) -> tuple[str, ...]:
    """Names in a summary that no message has; pointers to saved outputs are the harness's own."""
    names = dict.fromkeys(find(summary.text))
    if not names:
        return ()
    whole = "\n".join(text for message in messages for text in message_texts(message))
    own = (name for name in names if not name.startswith(".patch/"))
    return tuple(name for name in own if not stands(name, whole))
