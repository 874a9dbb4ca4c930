"""Passwords: rules for new ones, hashes for stored ones.

A stored password reads `pbkdf2$<rounds>$<salt>$<hash>`, all text. The number of
rounds stands in the text, so that it can be raised later: `needs_rehash` says
which stored passwords are behind, and sign-in replaces them.
"""

import hashlib
import hmac
import os
import re
from collections.abc import Callable

SHORTEST = 10
LONGEST = 200
COMMON = frozenset(
    (
        "0123456789",
        "1234567890",
        "abcdefghij",
        "iloveyou12",
        "letmein1234",
        "lindenmart1",
        "password123",
        "qwertyuiop",
        "sunshine123",
        "welcome1234",
    )
)


class WeakPassword(ValueError):
    """A password that we do not accept, with all the reasons."""

    def __init__(self, reasons: list[str]) -> None:
        super().__init__("; ".join(reasons))
        self.reasons = reasons


def weaknesses(password: str, email: str = "") -> list[str]:
    """Why a new password would be refused; an empty list for a good one."""
    reasons = []
    if len(password) < SHORTEST:
        reasons.append(f"shorter than {SHORTEST} characters")
    if len(password) > LONGEST:
        reasons.append(f"longer than {LONGEST} characters")
    if password.lower() in COMMON:
        reasons.append("one of the most common passwords")
    name = email.partition("@")[0].lower()
    if len(name) > 3 and name in password.lower():
        reasons.append("contains the name in the e-mail address")
    if re.fullmatch(r"(.)\1*", password):
        reasons.append("one character over and over")
    if password != password.strip():
        reasons.append("begins or ends with a space")
    return reasons


def check_password(password: str, email: str = "") -> None:
    """Raise WeakPassword unless a new password is good enough."""
    reasons = weaknesses(password, email)
    if reasons:
        raise WeakPassword(reasons)


def hash_password(
    password: str, rounds: int, random_bytes: Callable[[int], bytes] = os.urandom
) -> str:
    """The text to store for a password."""
    salt = random_bytes(16)
    return f"pbkdf2${rounds}${salt.hex()}${_digest(password, salt, rounds).hex()}"


def matches(password: str, stored: str) -> bool:
    """Whether a password is the one that was stored, compared in constant time."""
    rounds, salt, expected = _split(stored)
    return hmac.compare_digest(_digest(password, salt, rounds), expected)


def needs_rehash(stored: str, rounds: int) -> bool:
    """Whether a stored password was hashed with fewer rounds than today's."""
    return _split(stored)[0] < rounds


def _split(stored: str) -> tuple[int, bytes, bytes]:
    parts = stored.split("$")
    if len(parts) != 4 or parts[0] != "pbkdf2":
        raise ValueError("stored password is damaged")
    return int(parts[1]), bytes.fromhex(parts[2]), bytes.fromhex(parts[3])


def _digest(password: str, salt: bytes, rounds: int) -> bytes:
    return hashlib.pbkdf2_hmac("sha256", password.encode(), salt, rounds, dklen=24)
