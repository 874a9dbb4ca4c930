"""How a summary is asked for, and when a proposal is none."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from patch_agent.messages import Message, Usage
from patch_agent.policies.state import PolicyState
from patch_agent.summaries import Summary, SummaryWriter
from patch_agent.tokens import TokenCounter

_log = logging.getLogger(__name__)
_REFUSAL = re.compile(
    r"(?:I['’]?m|I am|We['’]?re) (?:sorry|afraid|unable|not able)\b"
    r"|I (?:can(?:no|['’])t|won['’]t|will not)\b"
    r"|(?:Sorry|Unfortunately|As an AI)\b"
)
_REFUSAL_AT_MOST = 600
"""Characters: a longer text that begins with an apology is no refusal."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A summary that was written, or in words why there is none; and what asking cost."""

    summary: Summary | None
    reason: str = ""
    usage: Usage = field(default=Usage())


def proposal(
    write: SummaryWriter,
    conversation: Sequence[Message],
    state: PolicyState,
    through: int,
    counter: TokenCounter,
    limit: int,
) -> Proposal:
    """A summary of the originals before `through`, not yet weighed against what it replaces."""
    if through <= state.covered:
        return Proposal(None, "nothing to condense")
    messages = conversation[state.covered : through]
    try:
        written = write(messages, counter, limit, state.summary)
    except Exception as error:  # a writer is anyone's code, a model's call among it
        _log.warning("summary failed: %s: %s", type(error).__name__, error)
        return Proposal(None, f"the writer failed ({type(error).__name__})")
    if not isinstance(written, Summary):
        return Proposal(None, f"expected a summary, got {type(written).__name__}")
    reason = _fault(written)
    return Proposal(None if reason else replace(written, through=through), reason, written.usage)


def _fault(written: Summary) -> str:
    text = written.text.strip()
    if not text:
        return "the summary was empty"
    if written.ending == "cut":
        return "the summary was cut at the output cap"
    if written.ending == "refused" or (len(text) <= _REFUSAL_AT_MOST and _REFUSAL.match(text)):
        return "the writer refused"
    return ""
