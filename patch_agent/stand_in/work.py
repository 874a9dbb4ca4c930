"""What has been done for the present request: the calls since the user last spoke."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from patch_agent.stand_in.evidence import Wire
from patch_agent.stand_in.outputs import placeholder
from patch_agent.stand_in.runs import Failure, TestRun, test_run
from patch_agent.stand_in.source import Call, calls, source
from patch_agent.stand_in.suggestions import Suggestion, edit_of


@dataclass(frozen=True, slots=True)
class Act:
    """One call with what it came to; `index` is the place of its result in the request."""

    call: Call
    text: str
    error: bool
    index: int

    @property
    def edit(self) -> Suggestion | None:
        """The edit that the call asked for."""
        return edit_of(self.call)

    @property
    def written(self) -> str | None:
        """The path of the file that the call has changed."""
        writes = self.call.name in ("edit_file", "write_file") and not self.error
        return str(self.call.arguments.get("path", "")) if writes else None

    @property
    def target(self) -> str | None:
        """What a call of run_tests ran; an empty text is everything."""
        runs = self.call.name == "run_tests"
        return str(self.call.arguments.get("target") or "") if runs else None


def acts(messages: Sequence[Wire], start: int = 0) -> list[Act]:
    """The calls from message `start` on that have a final result, in the order of these."""
    waiting: dict[str, Call] = {}
    found = []
    for index, message in enumerate(messages):
        for call in calls(message) if index >= start else ():
            waiting[call.id] = call
        here = source(message)
        if here.kind == "tool" and here.call_id in waiting and not message.get("pending"):
            found.append(Act(waiting.pop(here.call_id), here.text, here.error, index))
    return found


def last_user(messages: Sequence[Wire]) -> int:
    """The place of the latest user message; -1 where there is none."""
    return max((i for i, m in enumerate(messages) if source(m).kind == "user"), default=-1)


@dataclass(slots=True)
class Work:
    """Where the work stands.

    `focus` is the test at work: the goal, or else the first that failed in a run of everything.
    `kept` are the edits that are in place, each with the test that it was made for. `newest` is
    the last run of everything, `current` whether the files are as they were for the last run.
    """

    goal: str | None
    focus: str | None = None
    focus_green: bool | None = None
    kept: list[tuple[Suggestion, str]] = field(default_factory=list)
    tried: set[Suggestion] = field(default_factory=set)
    everything: TestRun | None = None
    newest: Act | None = None
    current: bool = False
    ran_everything: bool = False
    broken: str = ""

    def trouble(self) -> Failure | None:
        """The first failure of the last run of everything, but for the goal."""
        return self.everything.failures[0] if self.everything and self.everything.failures else None


def work(
    messages: Sequence[Wire],
    goal: str | None,
    leave_out: str | None,
    suggested: Collection[Suggestion] = (),
) -> Work:
    """Follows the calls since the user last spoke; edits of the file `leave_out` are no work.

    An edit that takes back a suggested one is an undoing, even where the edit itself, made
    earlier, is no longer in the request.
    """
    state = Work(goal, goal)
    done = acts(messages, last_user(messages) + 1)
    for act, after in zip(done, [*done[1:], None], strict=False):
        if act.target is not None:
            _run(state, act, after)
        elif act.edit is not None and act.edit.path != leave_out:
            undoes = act.edit.undone in suggested and act.edit not in suggested
            _edit(state, act, act.edit, undoes)
    return state


def _run(state: Work, act: Act, after: Act | None) -> None:
    everything = not act.target
    run = test_run(act.text)
    if run is None and placeholder(act.text) and after is not None:
        # The result was cleared. What was done next tells how it came out.
        went_on = after.target is not None or not after.edit
        run = TestRun(1, 0, ()) if went_on else TestRun(0, 1, ())
    if run is None:
        state.broken = act.text.partition("\n")[0]
        if not everything and act.target == state.goal:
            state.goal = state.focus = None
        return
    state.broken = ""
    state.current = True
    if everything:
        state.everything, state.newest, state.ran_everything = run, act, True
        if state.focus is None and run.failures:
            state.focus = run.failures[0].test
    else:
        state.ran_everything = False
    if state.focus is not None and (everything or act.target == state.focus):
        failed = run.of(state.focus) is not None
        if failed or not everything or run.named:  # else nobody knows which tests failed
            state.focus_green = not failed and (everything or run.green)


def _edit(state: Work, act: Act, edit: Suggestion, undoes: bool) -> None:
    state.tried.add(edit)
    if act.error:
        return
    made = [place for place, (other, _) in enumerate(state.kept) if other.undone == edit]
    if made or undoes:
        if made:
            del state.kept[made[-1]]
        # The files are again as they were for the run before: nothing to run again.
        state.ran_everything = bool(state.focus_green)
        state.current = True
        return
    failure = state.trouble()
    reason = state.focus if not state.focus_green else (failure.test if failure else None)
    state.kept.append((edit, reason or ""))
    state.current = state.ran_everything = False
