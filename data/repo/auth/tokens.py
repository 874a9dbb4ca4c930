"""Signed tokens: what a browser or a letter carries in place of a password.

A session token reads `<session>.<issued at>.<signature>`. The signature covers
the rest, so nobody can make or change one without the secret. How long a
session lasts is not in its token: that stands in the session's record, which we
can change. A token is only refused for its age when it is older than any
session could be.

One-time codes (password reset, e-mail confirmation) are tokens with a purpose
and a short life of their own, and do carry their expiry.
"""

import base64
import hashlib
import hmac
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

# How far the clocks of two web servers may lie apart. A token from a server
# whose clock is ahead looks as if it had been issued in the future.
CLOCK_SKEW = timedelta(seconds=0)
OLDEST = timedelta(days=90)
PURPOSES = ("reset", "confirm", "unsubscribe")


class BadToken(Exception):
    """A token that cannot be trusted; `reason` is safe to log, not to show."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True)
class Claims:
    """What a session token says, once its signature was checked."""

    session: str
    issued_at: datetime


@dataclass(frozen=True)
class Code:
    """What a one-time code says, once its signature was checked."""

    purpose: str
    subject: str
    expires_at: datetime


def sign(text: str, secret: bytes) -> str:
    """A signature of 27 characters that are safe in an address."""
    digest = hmac.new(secret, text.encode(), hashlib.sha256).digest()
    return base64.urlsafe_b64encode(digest[:20]).decode().rstrip("=")


def is_signed(text: str, signature: str, secret: bytes) -> bool:
    """Whether a signature is ours, compared in constant time."""
    return hmac.compare_digest(sign(text, secret).encode(), signature.encode())


def make_token(session: str, issued_at: datetime, secret: bytes) -> str:
    """The token of a session, issued at a moment."""
    if "." in session:
        raise ValueError(f"session id {session!r} must not hold a dot")
    body = f"{session}.{int(issued_at.timestamp())}"
    return f"{body}.{sign(body, secret)}"


def read_token(token: str, secret: bytes, now: datetime) -> Claims:
    """The claims of a session token; raises BadToken for any other text."""
    parts = token.split(".")
    if len(parts) != 3:
        raise BadToken("malformed")
    session, issued, signature = parts
    if not is_signed(f"{session}.{issued}", signature, secret):
        raise BadToken("signature")
    issued_at = datetime.fromtimestamp(int(issued), UTC)
    if issued_at > now + CLOCK_SKEW:
        raise BadToken("issued in the future")
    if now - issued_at > OLDEST + CLOCK_SKEW:
        raise BadToken("too old")
    return Claims(session, issued_at)


def make_code(purpose: str, subject: str, expires_at: datetime, secret: bytes) -> str:
    """A one-time code for a letter."""
    if purpose not in PURPOSES:
        raise ValueError(f"unknown purpose {purpose!r}")
    name = base64.urlsafe_b64encode(subject.encode()).decode().rstrip("=")
    body = f"{purpose}.{name}.{int(expires_at.timestamp())}"
    return f"{body}.{sign(body, secret)}"


def read_code(code: str, purpose: str, secret: bytes, now: datetime) -> Code:
    """What a one-time code says, if it was made for `purpose` and still holds."""
    parts = code.split(".")
    if len(parts) != 4:
        raise BadToken("malformed")
    stated, name, expires, signature = parts
    if not is_signed(f"{stated}.{name}.{expires}", signature, secret):
        raise BadToken("signature")
    if stated != purpose:
        raise BadToken("purpose")
    expires_at = datetime.fromtimestamp(int(expires), UTC)
    if now >= expires_at:
        raise BadToken("expired")
    padded = name + "=" * (-len(name) % 4)
    subject = base64.urlsafe_b64decode(padded).decode()
    return Code(stated, subject, expires_at)


def fingerprint(token: str) -> str:
    """Eight characters that stand for a token in a log."""
    return hashlib.sha256(token.encode()).hexdigest()[:8]


class UsedCodes:
    """Codes that were redeemed, so that each works once.

    A code is forgotten when it would have expired anyway.
    """

    def __init__(self) -> None:
        self._until: dict[str, datetime] = {}

    def __len__(self) -> int:
        return len(self._until)

    def redeem(self, code: str, read: Code, now: datetime) -> None:
        """Mark a code as used; raises BadToken the second time."""
        self.forget(now)
        mark = fingerprint(code)
        if mark in self._until:
            raise BadToken("used")
        self._until[mark] = read.expires_at

    def forget(self, now: datetime) -> int:
        """Drop the codes that have expired; the number dropped."""
        gone = [mark for mark, until in self._until.items() if until <= now]
        for mark in gone:
            del self._until[mark]
        return len(gone)
