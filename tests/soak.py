"""A million random runs under random policies and budgets: `make soak` (N=... for another number).

Each case is a conversation as it grows; at each length at which a request can be sent the policy
builds one from the state that it left. Every request is judged by the oracle of `random_runs`.
What was done is printed at the end; the first case that fails is printed with its seed, and the
exit status is 1. Run one again with `python -m tests.soak --seed SEED`.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from multiprocessing import Pool

from patch_agent.budget import Budget, ContextTooLarge
from patch_agent.messages import Message, system
from patch_agent.policies import PolicyState, Running, load_state, policy, save_state
from patch_agent.policies.known import forget
from patch_agent.request import Request, fixed_part, history_part
from patch_agent.summaries import Summary, careful, careless
from patch_agent.tokens import TokenCounter, estimate, message_texts
from tests.random_runs import RULE, random_case, verdicts

CHUNK = 500
PARTS = (fixed_part("system", [system("You are Patch.", "system")]),)


def brief(messages: object, counter: TokenCounter, limit: int, previous: Summary | None) -> Summary:
    """A summary in a few words."""
    return Summary("What came before.", 0, 0, "brief")


def failing(*given: object) -> Summary:
    """A writer that never writes."""
    raise ConnectionError("429")


def run_case(seed: int, counter: TokenCounter) -> Counter[str]:
    """One case; what was done, by name. Raises AssertionError with the seed."""
    draw = random.Random(seed)
    case = random_case(draw)
    name = draw.choice(("none", "cache", "clear", "trim", "compact", "compact"))
    whole_size = counter.messages(case.messages) + 20
    budget = Budget(max(40, int(whole_size * draw.choice((0.2, 0.4, 0.6, 0.8, 1.0, 6.0)))), 0)
    write = draw.choices((brief, careful, careless, failing), (80, 4, 4, 12))[0]
    keep, every = draw.choice(((1, 1), (1, 1), (2, 1), (2, 3), (6, 6)))
    limit = max(1, int(budget.limit * draw.choice((0.3, 0.6, 0.9))))
    pins = (RULE,) if case.messages[0].text == RULE else ()
    chain = policy(
        name,
        counter,
        budget,
        limit=limit,
        keep=keep,
        every=every,
        write=write,
        checked=draw.random() < 0.2,
    )
    running, done, length = Running(chain, PARTS, pins), Counter[str](), 0
    for place in case.places:
        running.add(*case.messages[length:place])
        length, state = place, running.state
        done["messages"] += 1
        whole = running.request()
        try:
            built = running.build()
        except ContextTooLarge as error:
            assert error.size > error.budget, (seed, "too large for what?")
            done["too large"] += 1
            break
        sent = built.request
        done["requests"] += 1
        size = sent.tokens(counter)
        assert size <= budget.limit, (seed, place, "does not fit", size)
        wrong = verdicts(sent, pins)
        assert not wrong, (seed, place, wrong)
        if name != "trim":
            assert _whole(sent, built.state.covered), (seed, place, "a message lost a block")
        latest = _latest(case.messages[:place])
        texts = "\n".join(text for m in sent.messages for text in message_texts(m))
        assert latest is None or latest.text in texts, (seed, place, "latest request")
        assert latest is None or latest.results or latest in sent.messages, (seed, place, "latest")
        if whole.tokens(counter) <= budget.limit // 4 - 10 and state == PolicyState():
            assert sent.messages == whole.messages, (seed, place, "identity")
            done["identity"] += 1
        if draw.random() < 0.1:
            _again(chain, case.messages[:place], pins, state, sent, seed)
            done["built again"] += 1
        done["changed"] += sent.messages != whole.messages
        done["summaries"] += built.state.summary is not state.summary
        done["trimmed"] += built.state.trimmed > state.trimmed
        done["cleared"] += built.state.cleared > state.cleared
    return done


def _latest(messages: tuple[Message, ...]) -> Message | None:
    words = [m for m in messages if m.role == "user" and m.text]
    return words[-1] if words else None


def _whole(sent: Request, covered: int) -> bool:
    """True where all messages after the summary are there with all of their blocks."""
    left = [entry for entry in sent.entries if entry.index is not None and entry.index >= covered]
    whole = sent.conversation
    return len(left) == len(whole) - covered and all(
        len(entry.message.blocks) == len(whole[entry.index or 0].blocks) for entry in left
    )


def _again(
    chain: object,
    messages: tuple[Message, ...],
    pins: tuple[str, ...],
    state: PolicyState,
    sent: Request,
    seed: int,
) -> None:
    """The same bytes from a conversation and a state that were loaded again, nothing known."""
    copies = tuple(Message(m.role, m.blocks, m.name, m.id) for m in messages)
    request = Request((*PARTS, history_part(copies)), copies, pins)
    forget()
    built = chain.build(request, load_state(save_state(state)))  # type: ignore[attr-defined]
    assert json.dumps(built.request.wire()) == json.dumps(sent.wire()), (seed, "other bytes")


def run_chunk(chunk: tuple[int, int]) -> Counter[str]:
    """The cases of some seeds."""
    logging.disable()
    counter, done = estimate(), Counter[str]()
    for seed in range(*chunk):
        try:
            done += run_case(seed, counter)
        except AssertionError:
            raise
        except Exception as error:
            raise AssertionError((seed, repr(error))) from error
        done["cases"] += 1
    return done


def chunks(first: int, count: int) -> Iterator[tuple[int, int]]:
    """Seeds in pieces for the processes."""
    for start in range(first, first + count, CHUNK):
        yield start, min(start + CHUNK, first + count)


def main() -> int:
    """Runs the cases on all cores, or one of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=int(os.environ.get("N", 1_000_000)))
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--seed", type=int, help="run this case only")
    options = parser.parse_args()
    if options.seed is not None:
        print(dict(run_case(options.seed, estimate())))
        return 0
    start, done = time.monotonic(), Counter[str]()
    with Pool() as pool:
        try:
            for more in pool.imap_unordered(run_chunk, chunks(options.first, options.count)):
                done += more
        except AssertionError as error:
            print(f"failed: {error}", file=sys.stderr)
            return 1
    took = time.monotonic() - start
    print(f"{done.pop('cases'):,} cases in {took:,.0f} s on {os.cpu_count()} cores, no failure")
    for what, count in sorted(done.items()):
        print(f"  {what}: {count:,}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
