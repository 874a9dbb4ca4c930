"""Any sequence of messages, broken ones too; sound ones are in `conversations`."""

from __future__ import annotations

from hypothesis import strategies as st

from patch_agent.messages import Image, Message, Reasoning, Text, ToolCall, ToolResult

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
