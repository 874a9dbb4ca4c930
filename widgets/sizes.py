"""The sizes that the chapter talks about: those of its source, and those of our session.

Both have one shape, so every total, share and difference on the page is computed in the same
way for both. Source of the illustrative sizes: "Context", chapter 4 of a book on agent design.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from patch_agent.budget import Budget
from patch_agent.builder import Choices, assemble
from patch_agent.messages import replied
from patch_agent.policies import Built
from patch_agent.request import Request
from patch_agent.scenario import Scenario
from patch_agent.tokens import TokenCounter


@dataclass(frozen=True, slots=True)
class Sizes:
    """Tokens of the regions of Patch's call at one step, and of what can stand in their place.

    `front` stands before AGENTS.md, `stable` before the history, `front` included; `now` is the
    current file and the user's new message. `old_words` are the calls and user messages of the
    old steps, `placeholders` what stands for their outputs once these are cleared. `team_tools`
    is what the team's tools take beyond Patch's own.
    """

    window: int
    reserve: int
    steps: int
    old_steps: int
    front: int
    stable: int
    now: int
    old_words: int
    old_outputs: int
    recent: int
    placeholders: int
    summary: int
    team_tools: int

    @property
    def budget(self) -> Budget:
        """The budget of the call."""
        return Budget(self.window, self.reserve)

    @property
    def fixed(self) -> int:
        """All parts but history and summary."""
        return self.stable + self.now

    @property
    def history(self) -> int:
        """All steps, word for word."""
        return self.old_words + self.old_outputs + self.recent

    @property
    def total(self) -> int:
        """The call with everything sent."""
        return self.fixed + self.history

    @property
    def cleared(self) -> int:
        """The call with old outputs cleared."""
        return self.fixed + self.old_words + self.placeholders + self.recent

    @property
    def summarised(self) -> int:
        """The call with the old steps summed up."""
        return self.fixed + self.summary + self.recent

    @property
    def with_team(self) -> int:
        """The call with everything sent and all tools of the team."""
        return self.total + self.team_tools

    @property
    def per_step(self) -> int:
        """A step's size on average, to the nearest ten tokens."""
        return round(self.history / self.steps / 10) * 10

    @property
    def room_steps(self) -> int:
        """Steps of average size for which there is still room."""
        return self.budget.room(self.total) // self.per_step


ILLUSTRATIVE = Sizes(
    window=128_000,
    reserve=16_000,
    steps=48,
    old_steps=42,
    front=3_600,
    stable=7_800,
    now=1_660,
    old_words=5_090,
    old_outputs=75_620,
    recent=6_590,
    placeholders=1_260,
    summary=1_400,
    team_tools=23_600,
)


def measure(scenario: Scenario, keep: int, budget: Budget, counter: TokenCounter) -> Sizes:
    """The sizes of a session of which the last `keep` steps stay as they are."""
    whole = call(scenario)
    cleared = call(scenario, recent=keep, older="clear")
    parts = whole.sizes(counter)
    border = _border(whole, keep)
    words, outputs, recent = _history(whole, border, counter)
    names = list(parts)
    return Sizes(
        window=budget.window,
        reserve=budget.reserve,
        steps=scenario.steps,
        old_steps=scenario.steps - keep,
        front=sum(parts[name] for name in names[: names.index("agents_md")]),
        stable=sum(parts[name] for name in names[: names.index("history")]),
        now=parts["files"] + parts["user"],
        old_words=words,
        old_outputs=outputs,
        recent=recent,
        placeholders=_history(cleared, border, counter)[1],
        summary=call(scenario, recent=keep, older="careful").sizes(counter)["summary"],
        team_tools=call(scenario, tools="40").sizes(counter)["tools"] - parts["tools"],
    )


def call(
    scenario: Scenario,
    recent: int | None = None,
    older: str = "drop",
    tools: str = "6",
    task: bool = False,
) -> Request:
    """The call that these choices describe, whether it fits or not; all steps unless told."""
    return build(scenario, recent, older, tools, task).request


def build(
    scenario: Scenario,
    recent: int | None = None,
    older: str = "drop",
    tools: str = "6",
    task: bool = False,
) -> Built:
    """The same with the state that goes with it, in which a summary stands."""
    chosen = Choices(
        recent=scenario.steps if recent is None else recent,
        older=older,
        tools=tools,
        off=frozenset() if task else frozenset({"task"}),
    )
    state = replace(scenario.state, choices=chosen)
    return assemble(state, scenario.conversation, scenario.window)


def _border(request: Request, keep: int) -> int:
    """The place in the conversation at which the last `keep` steps with a reply begin."""
    return replied(request.conversation)[-keep].indices[0]


def _history(request: Request, border: int, counter: TokenCounter) -> tuple[int, int, int]:
    """Tokens of the history: words before the border, outputs before it, and all after it."""
    words = outputs = recent = 0
    for entry in request.part("history").entries:
        size = counter.message(entry.message)
        if entry.index is None or entry.index >= border:
            recent += size
        elif entry.message.role == "tool":
            outputs += size
        else:
            words += size
    return words, outputs, recent
