"""What a provider bills for a call, and for a run of calls, by a price table.

A cache holds what the call before left in it: everything, or with marks what stood before one.
A call reads from it the part of that with which it begins, unless that is too short, or the
pause since was too long. The whole input decides the tier.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from patch_agent.pricing.prefix import Encode, Reuse, items, reuse
from patch_agent.pricing.tables import PriceTable
from patch_agent.request import Request
from patch_agent.tokens import TokenCounter


@dataclass(frozen=True, slots=True)
class Bill:
    """Tokens of one call by how they are priced, the factor of its tier, and its cost.

    `missed` says why nothing was read though the requests begin alike: "pause" or "short".
    """

    read: int
    written: int
    plain: int
    reply: int
    times: float
    cost: float
    reuse: Reuse
    missed: str = ""

    @property
    def input(self) -> int:
        """All tokens of the request."""
        return self.read + self.written + self.plain


@dataclass(frozen=True, slots=True)
class Total:
    """A run of calls: its tokens and its cost."""

    calls: int
    input: int
    read: int
    reply: int
    cost: float

    @property
    def cached_share(self) -> float:
        """The part of the input that was read from the cache."""
        return self.read / self.input if self.input else 0.0


def bill(
    table: PriceTable,
    previous: Request | None,
    request: Request,
    counter: TokenCounter,
    encode: Encode,
    *,
    reply: int = 0,
    pause: float = 0.0,
) -> Bill:
    """The bill of a call that comes `pause` seconds after the one before it.

    `reply` is the tokens of the model's answer.
    """
    found = reuse(previous, request, counter, encode)
    held = _held(table, previous, found.tokens, counter)
    missed = "pause" if held and pause > table.lifetime else ""
    if held < table.minimum:
        missed = "short" if held else ""
    read = 0 if missed else held
    written = max(_marked(request, counter) - read, 0) if table.marks else 0
    if read + written < table.minimum:
        written = 0
    total = found.tokens + found.new
    times = table.times(total)
    plain = total - read - written
    price = read * table.cache_read + written * table.cache_write + plain * table.input
    cost = times * (price + reply * table.output) / table.per
    return Bill(read, written, plain, reply, times, cost, found, missed)


def _held(table: PriceTable, previous: Request | None, shared: int, counter: TokenCounter) -> int:
    """The tokens of the shared start that the cache holds, if it still holds any."""
    if previous is None:
        return 0
    if not table.marks:
        return shared
    return max((mark for mark in _offsets(previous, counter) if mark <= shared), default=0)


def _marked(request: Request, counter: TokenCounter) -> int:
    return max(_offsets(request, counter), default=0)


def _offsets(request: Request, counter: TokenCounter) -> Iterator[int]:
    """The tokens up to each mark of a request."""
    marks, total = set(request.marks), 0
    for item in items(request) if marks else ():
        total += item.tokens(counter)
        if item.message is not None and item.index in marks:
            yield total


def bills(
    table: PriceTable,
    requests: Sequence[Request],
    counter: TokenCounter,
    encode: Encode,
    *,
    replies: Sequence[int] = (),
    pauses: Sequence[float] = (),
) -> tuple[Bill, ...]:
    """The bills of consecutive calls; `replies` and `pauses` are 0 where they are not given."""
    made, previous = [], None
    for place, request in enumerate(requests):
        reply = replies[place] if place < len(replies) else 0
        pause = pauses[place] if place < len(pauses) else 0.0
        args = (table, previous, request, counter, encode)
        made.append(bill(*args, reply=reply, pause=pause))
        previous = request
    return tuple(made)


def total(billed: Iterable[Bill]) -> Total:
    """The sum over the calls of a run: what is billed is the input of every single call."""
    calls = tuple(billed)
    return Total(
        len(calls),
        sum(one.input for one in calls),
        sum(one.read for one in calls),
        sum(one.reply for one in calls),
        sum(one.cost for one in calls),
    )
