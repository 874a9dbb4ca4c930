"""One row in a process of its own, which prints what it found as JSON.

It is given the row's name, shape and size. The first time may take a minute, then the process
ends. Reaching for the network is refused and noted, whatever the library makes of the refusal.
"""

from __future__ import annotations

import json
import os
import sys
import time
from statistics import median
from threading import Event, Thread
from typing import Any

from tests.benchmarks.compare.oracle import judge, size
from tests.benchmarks.compare.rows import ROWS, Prepared
from tests.benchmarks.compare.talk import RULE, SYSTEM, make_talk

MOST_REPEATS = 15
MINUTE = 60
"""Seconds of the processor that the first time may take."""
CUT = 75
"""The exit status of a row that took longer."""
LONG = 5
"""Seconds of the processor for all repeats, loading included."""
REACHED: list[str] = []
"""What was asked of the network."""


def refuse_network(event: str, arguments: tuple[Any, ...]) -> None:
    """An audit hook: no name is looked up, no address connected to."""
    local = event == "socket.connect" and not isinstance(arguments[1], tuple)
    if event in ("socket.connect", "socket.getaddrinfo") and not local:
        REACHED.append(f"{event} {arguments[1:2] if event.endswith('connect') else arguments[:2]}")
        raise OSError(f"the comparison opens no connection: {REACHED[-1]}")


def timed(work: Any, given: Any) -> tuple[float, Any]:
    """Milliseconds of CPU time, over all threads, and the outcome."""
    start = time.process_time()
    done = work(given)
    return (time.process_time() - start) * 1000, done


def end_after_a_minute(over: Event) -> None:
    """Ends the process where the first time goes on after a minute of the processor."""
    start = time.process_time()
    while not over.wait(1):
        if time.process_time() - start > MINUTE:
            os._exit(CUT)


def measure(row: Prepared) -> tuple[float, list[float], Any]:
    """The first time, further times, and the outcome of the first."""
    given = row.fresh()
    over = Event()
    Thread(target=end_after_a_minute, args=(over,), daemon=True).start()
    first, done = timed(row.run, given)
    over.set()
    kept = row.plain(done)
    work, fresh = (row.run, row.fresh) if row.again is None else (row.again(), lambda: None)
    start, taken = time.process_time(), list[float]()
    while len(taken) < MOST_REPEATS and time.process_time() - start < LONG:
        again, done = timed(work, fresh())
        taken.append(again)
        if row.plain(done) != kept:
            raise AssertionError("the same conversation came out differently")
    return first, taken, kept


def main(name: str, shape: str, count: str) -> None:
    """Measures one row and prints it."""
    talk = make_talk(shape, int(count))
    row = next(row for row in ROWS if row.name == name)
    prepared = row.prepare(talk)
    first, taken, kept = measure(prepared)
    found: dict[str, Any] = {"first": first, "repeats": len(taken)}
    found |= {"least": min(taken), "middle": median(taken), "most": max(taken)}
    found |= {"kept": size(kept), "messages": len(kept)}
    found |= judge(kept, SYSTEM, RULE, talk.limit) | prepared.more()
    print(json.dumps(found | {"network": REACHED}))


if __name__ == "__main__":
    sys.addaudithook(refuse_network)
    main(*sys.argv[1:])
