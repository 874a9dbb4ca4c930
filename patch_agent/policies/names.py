"""Policies by name: none, cache, clear, trim, compact (also called default).

The chains of a long run, cheapest means first: results that are too long are clipped, old ones
cleared past a limit, a summary only where that falls short, marks last. Each chain ends in a
request that fits the budget or in ContextTooLarge.
"""

from __future__ import annotations

from collections.abc import Iterable

from patch_agent.budget import Budget
from patch_agent.policies.base import Chain, ContextPolicy
from patch_agent.policies.cache_marks import CacheMarks
from patch_agent.policies.clear import ClearResults
from patch_agent.policies.clip import Clip
from patch_agent.policies.compact import Compact
from patch_agent.policies.demands import Finder, names_in
from patch_agent.policies.limits import check_below, check_steps, check_tokens, given
from patch_agent.policies.trim import Trim
from patch_agent.policies.worth import Worth
from patch_agent.summaries import LIMIT, SummaryWriter, careful
from patch_agent.tokens import TokenCounter

NAMES = ("none", "cache", "clear", "trim", "compact", "default")
ACT_ABOVE = 60_000
"""Tokens above which a policy acts unless told otherwise; four fifths of a smaller budget."""
CLIP = 4
"""No result and no summary may take more than this part of the budget: a quarter."""
PROGRESS = 0.02
"""Share of the budget that a summary has to free."""
PAUSE = 1
"""Steps between a compaction and the next, as long as requests fit."""


def policy(
    name: str,
    counter: TokenCounter,
    budget: Budget,
    *,
    limit: int | None = None,
    target: int | None = None,
    keep: int = 6,
    every: int = 6,
    exclude: Iterable[str] = (),
    write: SummaryWriter = careful,
    summary: int | None = None,
    find: Finder | None = names_in,
    worth: Worth | None = None,
    checked: bool = True,
) -> Chain:
    """The chain of this name. `limit` and `target` are tokens by `counter`.

    Over `limit` results older than `keep` steps are cleared, `every` steps at a time, but those
    of the tools in `exclude`; or steps are trimmed, or summed up in at most `summary` tokens
    (1,500 unless told otherwise, a quarter of a small budget), down to `target`. Raises
    ValueError for an unknown name (the message lists the names) and for limits that make no
    sense.
    """
    if name not in NAMES:
        raise ValueError(f"policy: expected one of {', '.join(NAMES)}, got {name!r}")
    check_tokens(**given(limit=limit, target=target))
    check_steps(keep=keep)
    check_steps(least=1, every=every)
    act = max(min(ACT_ABOVE, budget.limit * 4 // 5), 1) if limit is None else limit
    if act > budget.limit:
        raise ValueError(f"limit: expected at most the budget of {budget.limit:,}, got {act:,}")
    check_below("limit", act, target)
    aim = max(act // 2, 1) if target is None else target
    share = max(budget.limit // CLIP, 1)
    cap = Clip(counter, share)
    excluded = frozenset(exclude)
    made: list[ContextPolicy] = []
    if name in ("clear", "compact", "default"):
        made += [cap, ClearResults(counter, keep, every, act, excluded, worth=worth)]
    if name == "trim":
        made += [cap, Trim(counter, act, aim)]
    if name in ("compact", "default"):
        shares = {"threshold": act / budget.limit, "target": aim / budget.limit}
        keeps = tuple(dict.fromkeys(min(keep, fewer) for fewer in (keep, 3, 1)))
        made.append(
            Compact(
                counter,
                budget,
                write,
                keeps=keeps,
                limit=min(LIMIT, share) if summary is None else summary,
                progress=PROGRESS,
                pause=PAUSE,
                find=find,
                **shares,
            )
        )
    if name != "none":
        made.append(CacheMarks())
    return Chain(*made, counter=counter, budget=budget, checked=checked)
