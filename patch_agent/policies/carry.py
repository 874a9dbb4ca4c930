"""How a summary is asked for, and how the one so far is carried in each later request."""

from __future__ import annotations

import logging
from dataclasses import replace

from patch_agent.policies.base import PolicyState
from patch_agent.policies.history import layout, without_steps
from patch_agent.request import Request, fixed_part
from patch_agent.summaries import Summary, SummaryWriter
from patch_agent.tokens import TokenCounter

_log = logging.getLogger(__name__)


def carried(request: Request, state: PolicyState) -> Request:
    """The request with the summary so far in it and without the steps that it covers."""
    if state.summary is None:
        return request
    if state.covered > len(request.conversation):
        raise ValueError(
            f"covered: the summary reaches message {state.covered} of a conversation"
            f" of {len(request.conversation)}"
        )
    covered = {
        step.number
        for step in layout(request.conversation).steps
        if step.indices[-1] < state.covered
    }
    lean = without_steps(request, covered)
    return lean.with_part(fixed_part("summary", [state.summary.message]))


def proposal(
    write: SummaryWriter,
    request: Request,
    state: PolicyState,
    through: int,
    counter: TokenCounter,
    limit: int,
) -> Summary | str:
    """A summary of the originals before `through`, or in words why there is none."""
    if through <= state.covered:
        return "nothing to condense"
    messages = request.conversation[state.covered : through]
    try:
        written = write(messages, counter, limit, state.summary)
    except Exception as error:  # a writer is anyone's code, a model's call among it
        _log.warning("summary failed: %s: %s", type(error).__name__, error)
        return f"the writer failed ({type(error).__name__})"
    if not written.text.strip():
        return "the summary was empty"
    return replace(written, through=through)
