"""What decides a run of the batch: policy, seeds, limits; and the requests' fixed parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from patch_agent.budget import Budget
from patch_agent.messages import system
from patch_agent.policies import NAMES, ContextPolicy, policy
from patch_agent.request import Part, fixed_part
from patch_agent.tokens import TokenCounter
from patch_agent.triage.agent_summary import TriageSummary, in_use
from patch_agent.triage.prompt import definitions, system_text
from patch_agent.triage.world import World

WINDOW = Budget(1_000_000)
"""The window is never in question in the batch; money is."""
LIMIT = 80_000
"""Exact tokens above which a policy acts: one large batch of reports below the dearer tier."""
SUMMARY = 4_000
"""Tokens that a summary may take."""
EARLY = "early"
"""The policy that clears from the first step on, all results but those of the last step."""
ALL = tuple(name for name in NAMES if name != "default")
"""The named policies, each once: `default` is another name for `compact`."""
POLICIES = (*NAMES, EARLY)


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of one run; `seed` is the stand-in's, `world` that of the reports."""

    policy: str = "default"
    seed: int = 1
    world: int = 1
    limit: int = LIMIT

    def __post_init__(self) -> None:
        if self.policy not in POLICIES:
            names = ", ".join(POLICIES)
            raise ValueError(f"policy: expected one of {names}, got {self.policy!r}")
        for name, value in (("seed", self.seed), ("world", self.world), ("limit", self.limit)):
            if isinstance(value, bool) or not isinstance(value, int) or value < 0:
                raise ValueError(f"{name}: expected a whole number from 0 on, got {value!r}")
        if not 0 < self.limit <= WINDOW.limit:
            raise ValueError(f"limit: expected 1 to {WINDOW.limit:,} tokens, got {self.limit:,}")

    def chain(self, counter: TokenCounter) -> ContextPolicy:
        """The policy itself."""
        if self.policy == EARLY:
            return policy("clear", counter, WINDOW, limit=1, keep=1, every=1, checked=False)
        return policy(
            self.policy,
            counter,
            WINDOW,
            limit=self.limit,
            write=TriageSummary(self.seed),
            summary=SUMMARY,
            find=in_use,
            checked=False,
        )


def check_room(settings: Settings, parts: Sequence[Part], counter: TokenCounter) -> None:
    """Raises ValueError where the fixed parts leave no room below the limit: no policy can help."""
    sizes = {part.id: part.tokens(counter) for part in parts}
    whole, largest = sum(sizes.values()), max(sizes, key=sizes.__getitem__)
    if settings.limit <= whole:
        raise ValueError(
            f"limit: expected more than the {whole:,} tokens of the fixed parts (the largest:"
            f" {largest}, {sizes[largest]:,}), got {settings.limit:,}"
        )


def fixed_parts(world: World) -> tuple[Part, ...]:
    """System prompt and tools."""
    return (
        fixed_part("system", [system(system_text(world), name="system")]),
        Part("tools", tools=definitions()),
    )
