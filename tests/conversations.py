"""Random conversations for property tests.

`anything()` draws any sequence of messages, broken ones too. `conversations()` draws sound
ones: parallel calls, results out of order, late or pending, ids used again, reasoning,
images, several system messages, empty content; every call has its final result in the end.
"""

from __future__ import annotations

from hypothesis import strategies as st

from patch_agent.messages import (
    Block,
    Image,
    Message,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    system,
    user,
)

WORDS = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cs",)), max_size=20
) | st.sampled_from(
    [
        "tests/fixtures/ is off limits.",
        "assert 200 == 401",
        "",
        "a\u2028b",
        "<|endoftext|>",
        "日本語",
    ]
)
IDS = st.sampled_from(["call_1", "call_2", "call_3", "0"])
NAMES = st.sampled_from(["read_file", "run_tests", "edit_file"])
CALLS = st.builds(ToolCall, IDS, NAMES, st.sampled_from(["{}", '{"path": "a.py"}', "not json", ""]))
RESULTS = st.builds(ToolResult, IDS, WORDS, st.booleans(), st.booleans())
THOUGHTS = st.builds(Reasoning, WORDS, st.booleans(), st.none() | st.just("rs_1"))
IMAGES = st.builds(Image, st.just("image/png"), st.just("iVBORw0="), st.integers(0, 900))
TEXTS = st.builds(Text, WORDS)


def anything() -> st.SearchStrategy[list[Message]]:
    """Any messages in any order, with any blocks."""
    block = TEXTS | THOUGHTS | IMAGES | CALLS | RESULTS
    message = st.builds(
        Message,
        st.sampled_from(["system", "user", "assistant", "tool"]),
        st.lists(block, max_size=4).map(tuple),
        name=st.none() | st.sampled_from(["memory", "task", "someone"]),
    )
    return st.lists(message, max_size=14)


@st.composite
def conversations(draw: st.DrawFn, max_steps: int = 8) -> tuple[Message, ...]:
    """A sound conversation of up to `max_steps` steps."""
    messages: list[Message] = []
    late: list[Message] = []
    for _ in range(draw(st.integers(0, max_steps))):
        if draw(st.booleans()):
            messages.append(user(draw(WORDS)))
        if draw(st.integers(0, 5)) == 0:
            messages.append(system(draw(WORDS), draw(st.none() | st.just("memory"))))
        taken = {done.call_id for message in late for done in message.results}
        calls = draw(st.lists(CALLS, max_size=3, unique_by=lambda call: call.id))
        calls = [call for call in calls if call.id not in taken]
        said = draw(st.lists(THOUGHTS | TEXTS | IMAGES, max_size=2))
        messages.append(Message("assistant", (*said, *calls)))
        now, later = _results(draw, calls)
        messages += now
        if late and draw(st.booleans()):
            messages.append(late.pop(0))
        late += later
    return (*messages, *late)


def _results(draw: st.DrawFn, calls: list[ToolCall]) -> tuple[list[Message], list[Message]]:
    """The result messages of a step that come at once, and those that come later."""
    now: list[Message] = []
    later: list[Message] = []
    blocks: list[Block] = []
    for call in draw(st.permutations(calls)):
        final = ToolResult(call.id, draw(WORDS), draw(st.booleans()))
        form = draw(st.sampled_from(["own", "own", "joined", "pending", "late"]))
        if form == "pending":
            now.append(Message("tool", (ToolResult(call.id, "in progress", pending=True),)))
        if form == "joined":
            blocks.append(final)
        else:
            (now if form == "own" else later).append(Message("tool", (final,)))
    if blocks:
        words = (Text(draw(WORDS)),) if draw(st.booleans()) else ()
        now.append(Message("user", (*blocks, *words)))
    return now, later
