"""The context builder: Patch, version 4. It decides what the model sees in the next call.

What is stable stands first: system prompt, tools, agent instructions, then what is chosen for
the task, the summary so far, the history with old outputs cleared, the files of the moment, the
user's latest message, and last the task block. Over a share of the budget the older steps are
summed up. It is a chain of policies and changes nothing that it is given; what it has to
remember is in the policy state that it returns. With a reader's choices it builds what they
say instead.

The chapter's section "The context builder" explains it.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from functools import lru_cache

from patch_agent.budget import RESERVE, Budget, ContextTooLarge
from patch_agent.messages import Message, Text, system
from patch_agent.policies import (
    Built,
    Chain,
    ClearResults,
    Compact,
    ContextPolicy,
    PolicyState,
    Recent,
    Summarised,
)
from patch_agent.policies.history import layout
from patch_agent.request import PARTS, Entry, Part, Request, fixed_part, history_part
from patch_agent.summaries import LIMIT, WRITERS, SummaryWriter, careful
from patch_agent.task import Choices, PatchState, Rule, files_text, task_text
from patch_agent.tokens import TokenCounter, exact

__all__ = ["Choices", "PartTooLarge", "PatchState", "Rule", "assemble", "build_context"]

THRESHOLD = 0.8
"""The share of the budget over which older steps are summed up."""
KEEP = 6
"""Steps that stay word for word."""
KEEPS = (KEEP, 3, 1)
"""What is tried in turn where a summary is due, until the call fits."""
CHUNK = 6
"""Steps by which the clearing boundary moves, so that the calls in between begin alike."""

_log = logging.getLogger(__name__)


class PartTooLarge(ContextTooLarge):
    """A part over the budget of its own."""

    def __init__(self, part: str, size: int, budget: int, parts: Mapping[str, int]) -> None:
        super().__init__(size, budget, parts)
        self.part = part
        self.args = (f"part {part}: {size:,} tokens, its own budget is {budget:,}",)


def build_context(
    state: PatchState,
    conversation: Sequence[Message],
    window: int,
    *,
    reserve: int = RESERVE,
    counter: TokenCounter | None = None,
    write: SummaryWriter = careful,
    part_budgets: Mapping[str, int] | None = None,
) -> Built:
    """The request of the next call and the policy state to keep for the one after it.

    `window` and `reserve` are tokens. `part_budgets` gives parts a budget of their own.
    Raises ContextTooLarge (PartTooLarge for a part's own budget) where no request fits: what
    cannot fit is never returned.
    """
    count = counter or default_counter()
    budget = Budget(window, reserve)
    built = assemble(state, conversation, window, reserve=reserve, counter=count, write=write)
    sizes = built.request.sizes(count)
    for part, own in (part_budgets or {}).items():
        if part not in PARTS:
            raise ValueError(f"part_budgets: expected one of {', '.join(PARTS)}, got {part!r}")
        if type(own) is not int or own < 0:
            raise ValueError(
                f"part_budgets: {part}: expected a whole number of tokens, got {own!r}"
            )
        if sizes.get(part, 0) > own:
            raise PartTooLarge(part, sizes[part], own, sizes)
    if sum(sizes.values()) > budget.limit:
        raise ContextTooLarge(sum(sizes.values()), budget.limit, sizes)
    return built


def assemble(
    state: PatchState,
    conversation: Sequence[Message],
    window: int,
    *,
    reserve: int = RESERVE,
    counter: TokenCounter | None = None,
    write: SummaryWriter = careful,
) -> Built:
    """The same without the check that it fits: to show a call that cannot be sent, and its size.

    The sizes of its parts are logged, as one line of JSON.
    """
    count = counter or default_counter()
    budget = Budget(window, reserve)
    request = full_request(state, conversation)
    if state.choices is None:
        chain = _version_4(count, budget, write)
        built = chain.build(request, state.policy)
    else:
        frozen = _frozen(state.choices, request)
        built = Chain(*_chosen(state.choices, frozen, count)).build(request, PolicyState())
    _log_sizes(built, count, budget)
    return built


@lru_cache(maxsize=1)
def default_counter() -> TokenCounter:
    """The exact counter that is used where none is given; it keeps its counts."""
    return exact()


def _version_4(counter: TokenCounter, budget: Budget, write: SummaryWriter) -> Chain:
    clear = ClearResults(counter, KEEP, CHUNK)
    return Chain(clear, Compact(counter, budget, write, THRESHOLD, KEEPS))


def _chosen(choices: Choices, frozen: int, counter: TokenCounter) -> tuple[ContextPolicy, ...]:
    """The policy that a reader's choices name; none where every step is recent."""
    keep = choices.recent
    if choices.older == "drop":
        return (Recent(keep, frozen),)
    if choices.older == "clear":
        return (ClearResults(counter, keep, every=1, frozen=frozen),)
    return (Summarised(counter, keep, WRITERS[choices.older], LIMIT, frozen),)


def _frozen(choices: Choices, request: Request) -> int:
    replied = layout(request.conversation).replied
    frozen = replied if choices.frozen is None else choices.frozen
    if not 0 <= frozen <= replied:
        raise ValueError(f"frozen: expected 0 to {replied} steps, got {frozen}")
    if choices.recent > frozen:
        raise ValueError(f"recent: expected 0 to {frozen} steps, got {choices.recent}")
    return frozen


def full_request(state: PatchState, conversation: Sequence[Message]) -> Request:
    """The fixed parts and the whole history: what the policies start from.

    A user message at the end of the conversation is the part `user`; the user's latest words
    are pinned wherever they stand, and the rules are pinned with the task block.
    """
    messages = tuple(conversation)
    latest = next((i for i in range(len(messages) - 1, -1, -1) if _speaks(messages[i])), None)
    is_last = latest is not None and latest == len(messages) - 1
    asked = (Entry(messages[-1], len(messages) - 1),) if is_last else ()
    past = messages[:-1] if is_last else messages
    found = {
        **_text_parts(state),
        "tools": Part("tools", tools=_tools(state)),
        "history": history_part(past),
        "user": Part("user", asked),
    }
    parts = tuple(found[part] for part in PARTS if part in found and _is_sent(found[part]))
    words = messages[latest].blocks if latest is not None else ()
    pins = [block.text for block in words if isinstance(block, Text)]
    if "task" not in _off(state):
        pins += [rule.text for rule in state.rules]
    return Request(parts, messages, tuple(dict.fromkeys(filter(None, pins))))


def _speaks(message: Message) -> bool:
    """True for words of the user that answer no call."""
    return message.role == "user" and bool(message.text) and not message.results


def _is_sent(part: Part) -> bool:
    """The history is always there, so that policies find it; other parts where they hold a text."""
    return bool(part.id == "history" or part.entries or part.tools)


def _tools(state: PatchState) -> tuple[Mapping[str, object], ...]:
    chosen = state.choices.tools if state.choices is not None else "6"
    if chosen == "none":
        return ()
    return (*state.tools, *state.team_tools) if chosen == "40" else state.tools


def _text_parts(state: PatchState) -> dict[str, Part]:
    """A part of one system message for each text that is not empty and not switched off."""
    texts = {
        "system": state.system,
        "agents_md": state.agents_md,
        "memory": state.memory,
        "skills": state.skills,
        "report": state.report,
        "files": files_text(state.files),
        "task": task_text(state),
    }
    off = _off(state)
    return {
        name: fixed_part(name, [system(text, name=name)])
        for name, text in texts.items()
        if text and name not in off
    }


def _off(state: PatchState) -> frozenset[str]:
    return state.choices.off if state.choices is not None else frozenset()


def _log_sizes(built: Built, counter: TokenCounter, budget: Budget) -> None:
    if not _log.isEnabledFor(logging.INFO):
        return
    sizes = built.request.sizes(counter)
    total = sum(sizes.values())
    record = {"event": "call", "sizes": sizes, "total": total, "budget": budget.limit}
    _log.info(json.dumps(record | {"fits": total <= budget.limit, "notes": built.notes}))
