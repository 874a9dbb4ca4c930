"""Outputs saved whole, and long ones cut at the boundary."""

import random

import pytest

from patch_agent.output_paths import output_path
from patch_agent.tokens import exact
from patch_agent.tools import SavedOutputs, cut, fresh_copy
from tests.tools.calls import tree


def test_an_output_is_saved_whole_and_each_use_of_an_id_has_its_own_file(root):
    outputs = SavedOutputs(root)
    assert outputs.save("call_9", "first\n") == ".patch/outputs/call_9.log"
    assert outputs.save("call_9", "second\n", 2) == ".patch/outputs/call_9.2.log"
    assert outputs.save("call_9", "second\n", 3) == ".patch/outputs/call_9.3.log"
    assert outputs.save("call_9-2", "other\n") == ".patch/outputs/call_9-2.log"
    assert outputs.save("call_9.2", "dotted\n") != ".patch/outputs/call_9.2.log"
    assert (root / ".patch/outputs/call_9.log").read_bytes() == b"first\n"
    outputs.save("call_10", "odd \ud800 \u2028 \r\n")
    assert (root / ".patch/outputs/call_10.log").read_bytes() == "odd \\ud800 \u2028 \r\n".encode()


@pytest.mark.parametrize("ident", ["../../evil", "", "a/b", "x" * 500, ".", "\0", "\ud800", "ü"])
def test_an_id_that_is_no_name_is_saved_by_its_hash(root, ident):
    path = SavedOutputs(root).save(ident, "text")
    assert path.startswith(".patch/outputs/call_") and path == output_path(ident)
    assert (root / path).read_text() == "text" and len(path) < 60


def noise(size: int, seed: int) -> str:
    draw = random.Random(seed)
    return "".join(draw.choice("abc 語é🙂\n<|>012") for _ in range(size))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("cap", [40, 100, 1_000])
def test_a_long_output_is_cut_within_the_cap_with_the_notice_at_its_head(seed, cap):
    # openai/codex#35226: the notice stood in the middle of the payload
    text, counter = noise(20_000, seed), exact()
    short = cut(text, counter, cap, ".patch/outputs/call_1.log")
    head, _, rest = short.partition("\n")
    assert counter.text(short) <= max(cap, counter.text(head))
    assert head.startswith("[Output") and f"{counter.text(text):,}" in head and "call_1.log" in head
    if rest:
        first, last = rest.split("\n[...]\n")
        assert text.startswith(first) and text.endswith(last)
        left_out = len(text) - len(first) - len(last)
        assert f"{left_out:,} characters" in head and f"{cap:,}" in head


def test_an_output_within_the_cap_is_untouched():
    counter, text = exact(), noise(300, 1)
    size = counter.text(text)
    assert cut(text, counter, size, "p") == text
    assert cut(text, counter, size - 1, "p") != text


def test_whole_lines_are_kept_where_lines_are_short():
    text = "\n".join(f"line {number} of a long log" for number in range(5_000))
    short = cut(text, exact(), 500, "p")
    kept = [line for line in short.split("\n")[1:] if line != "[...]"]
    assert set(kept) <= set(text.split("\n")) and kept[-1] == "line 4999 of a long log"
    assert exact().text(short) > 400


def test_a_huge_unbroken_output_is_cut():
    short = cut("x" * 3_000_000, exact(), 200, "p")
    assert exact().text(short) <= 200


def test_a_fresh_copy_leaves_caches_and_outputs_behind(root, tmp_path):
    SavedOutputs(root).save("call_1", "text")
    copy = fresh_copy(root, tmp_path / "copy")
    names = {name for name in tree(root) if not name.startswith((".git", ".patch"))}
    assert set(tree(copy)) == {name for name in names if "__pycache__" not in name}
