"""Your own code under a limit: every way in which it can end, with nothing else disturbed."""

from __future__ import annotations

import gc
import os
import re
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from patch_agent.own import Latest, Ran, run
from patch_agent.own.place import is_yours
from patch_agent.own.printed import Printed, leave, listen
from patch_agent.own.timed import LEFT, _left

SHORT, GRACE = 0.15, 0.1
"""Seconds: enough for what ends by itself, which takes none; nothing here asserts a time."""


@pytest.fixture
def release() -> Iterator[threading.Event]:
    """What cannot be ended waits for this, so that no test leaves a thread behind."""
    event = threading.Event()
    yield event
    event.set()
    for thread in list(_left):
        thread.join()
    assert run(lambda: 1).ending == "done"
    assert _left == []


def line_of(text: str) -> int:
    """The line of this file on which a text stands first."""
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


def quick(function: Callable[[], object], **options: Any) -> Ran:
    return run(function, **{"limit": SHORT, "grace": GRACE} | options)


def test_what_is_returned_and_printed_comes_back(capsys: pytest.CaptureFixture[str]) -> None:
    def function() -> int:
        print("one")
        print("two", file=sys.stderr)
        sys.stdout.writelines(["three", "\n"])
        return 3

    out, err = sys.stdout, sys.stderr
    found = run(function)
    assert (found.ending, found.value, found.printed) == ("done", 3, "one\ntwo\nthree\n")
    assert found.changed == ()
    assert (sys.stdout, sys.stderr) == (out, err)
    assert capsys.readouterr().out == ""


def test_other_threads_print_as_ever(capsys: pytest.CaptureFixture[str]) -> None:
    def function() -> None:
        other = threading.Thread(target=print, args=("from elsewhere",))
        other.start()
        other.join()

    assert run(function).printed == ""
    assert capsys.readouterr().out == "from elsewhere\n"


def raises_late() -> None:
    sorted([3, 1], key=lambda number: 1 / (number - 1))  # divides


def test_an_exception_is_told_with_your_line() -> None:
    found = run(raises_late)
    assert (found.ending, found.error, found.message) == (
        "raised",
        "ZeroDivisionError",
        "division by zero",
    )
    assert found.place and found.place.line == line_of("# divides")


def test_the_line_is_yours_when_the_exception_comes_from_our_code() -> None:
    from patch_agent.budget import Budget

    def function() -> object:
        return Budget(-1)  # no window

    found = run(function)
    assert found.message == "window: expected a whole number of tokens, got -1"
    assert found.place and found.place.line == line_of("# no window")
    assert found.place.function == "function"


def test_code_without_a_line_of_yours_has_no_place() -> None:
    found = run(time.sleep)  # type: ignore[arg-type]
    assert (found.ending, found.error, found.place) == ("raised", "TypeError", None)


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt("k"), GeneratorExit()])
def test_exits_and_interrupts_end_the_call_alone(error: BaseException) -> None:
    def function() -> None:
        raise error

    found = run(function)
    assert (found.ending, found.error) == ("raised", type(error).__name__)
    assert found.message == str(error)


def test_recursion_without_end_is_an_exception() -> None:
    def deeper(number: int) -> int:
        return deeper(number + 1)  # down

    found = run(lambda: deeper(0))
    assert (found.ending, found.error) == ("raised", "RecursionError")
    assert found.place and found.place.function == "deeper"
    assert found.place.line == line_of("# down")


def test_a_text_larger_than_any_memory_is_an_exception() -> None:
    found = run(lambda: "x" * (sys.maxsize // 2))
    assert (found.ending, found.error) == ("raised", "MemoryError")


def test_messages_are_short_and_of_one_line() -> None:
    class Broken(Exception):
        def __str__(self) -> str:
            raise ValueError("no")

    def long() -> None:
        raise ValueError("word\n" * 1000)

    def broken() -> None:
        raise Broken

    assert re.fullmatch(r"(word )+wor?d?…|(word )+…", run(long).message)
    assert run(broken).message == "its text cannot be made: ValueError"


def test_a_loop_without_end_is_stopped_where_it_is() -> None:
    def forever() -> None:
        while True:
            pass  # for ever

    found = quick(forever)
    assert found.ending == "stopped" and found.value is None
    assert found.place and found.place.line in (
        line_of("# for ever"),
        line_of("# for ever") - 1,
    )


def test_what_comes_after_the_limit_does_not_count() -> None:
    def late() -> int:
        try:
            while True:
                pass
        except BaseException:
            return 7

    found = quick(late)
    assert (found.ending, found.value, found.error) == ("stopped", None, "")


def test_a_call_that_catches_all_is_left_behind_and_said(release: threading.Event) -> None:
    def stubborn() -> None:
        while not release.is_set():
            try:
                while not release.is_set():
                    pass
            except BaseException:
                pass

    assert quick(stubborn).ending == "abandoned"
    assert run(lambda: "next").value == "next"


def test_a_call_that_waits_outside_python_is_left_behind(release: threading.Event) -> None:
    found = quick(release.wait)
    assert found.ending == "abandoned"


def test_after_a_few_of_them_none_is_begun(release: threading.Event) -> None:
    for _ in range(LEFT):
        assert quick(release.wait).ending == "abandoned"
    assert run(lambda: 1).ending == "busy"


def test_what_was_left_behind_prints_nowhere(
    release: threading.Event, capsys: pytest.CaptureFixture[str]
) -> None:
    def talks() -> None:
        release.wait()
        print("too late")

    assert quick(talks).ending == "abandoned"
    assert run(lambda: print("meanwhile")).printed == "meanwhile\n"
    print("from here")
    release.set()
    for thread in list(_left):
        thread.join()
    assert capsys.readouterr().out == "from here\n"


def test_printing_without_end_is_stopped_and_its_beginning_kept() -> None:
    def talks() -> None:
        while True:
            print("again")  # and again

    found = run(talks, most=100)
    assert found.ending == "flooded"
    assert found.printed == ("again\n" * 100)[:100]
    assert found.place and found.place.line == line_of("# and again")


def test_one_text_that_is_too_long_is_cut() -> None:
    found = run(lambda: print("x" * 1000), most=100)
    assert (found.ending, found.printed) == ("flooded", "x" * 100)


def test_a_call_within_a_call_has_the_limits_of_the_outer() -> None:
    def forever() -> None:
        while True:
            pass

    assert run(lambda: run(lambda: 3, 60).value).value == 3
    assert quick(lambda: run(forever, 60)).ending == "stopped"
    inner = run(lambda: run(raises_late, 60))
    assert (inner.ending, inner.error) == ("raised", "ZeroDivisionError")
    assert run(lambda: "next").value == "next"


def test_what_is_changed_for_all_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATCH_TEST_KEPT", "1")
    monkeypatch.chdir(Path.cwd())
    depth, path = sys.getrecursionlimit(), list(sys.path)

    def function() -> None:
        os.environ["PATCH_TEST_NEW"] = "1"
        del os.environ["PATCH_TEST_KEPT"]
        os.chdir(tmp_path)
        sys.setrecursionlimit(depth + 10)
        sys.path.append("elsewhere")

    monkeypatch.setenv("PATCH_TEST_NEW", "")
    found = run(function)
    sys.path[:] = path
    assert found.changed == (
        "os.environ['PATCH_TEST_KEPT']",
        "os.environ['PATCH_TEST_NEW']",
        "the working directory",
        "sys.path",
        "the recursion limit",
    )
    assert sys.getrecursionlimit() == depth


def test_a_thread_that_it_starts_is_named(release: threading.Event) -> None:
    other = threading.Thread(target=release.wait, name="helper of yours")

    def function() -> int:
        other.start()
        return 1

    found = run(function)
    assert (found.value, found.changed) == (1, ("a thread that still runs, helper of yours",))


@pytest.mark.parametrize("limit", [0, -1, float("nan")])
def test_a_limit_that_is_none_is_refused(limit: float) -> None:
    with pytest.raises(ValueError, match="limit: expected seconds above 0"):
        run(lambda: 1, limit)


def test_what_is_yours() -> None:
    assert is_yours(__file__)
    assert is_yours("/tmp/ipykernel_12/3456.py") and is_yours("<ipython-input-3-abc>")
    import pytest as installed

    import patch_agent.check
    import widgets.modules

    for module in (threading, installed, patch_agent.check, widgets.modules):
        assert not is_yours(str(module.__file__)), module
    assert not is_yours("<frozen importlib._bootstrap>") and not is_yours("<string>")


def test_of_jobs_that_wait_only_the_newest_is_done() -> None:
    go, began = threading.Event(), threading.Event()
    done: list[int] = []
    answers: list[tuple[int, int]] = []

    def work(job: int) -> int:
        began.set()
        go.wait()
        done.append(job)
        return 10 * job

    latest = Latest(work, lambda number, answer: answers.append((number, answer)))
    latest.ask(1)
    began.wait()
    for job in (2, 3, 4):
        number = latest.ask(job)
    go.set()
    latest.wait()
    assert number == 4
    assert done == [1, 4]
    assert answers == [(1, 10), (4, 40)]
    latest.ask(5)
    latest.wait()
    assert answers[-1] == (5, 50)


def test_a_stream_that_another_thread_may_print_to_is_kept() -> None:
    """`print` borrows sys.stdout: a freed one ends the process."""
    seen = []
    for _ in range(2):
        listen(threading.current_thread(), Printed())
        seen.append(weakref.ref(sys.stdout))
        leave(threading.current_thread())
    gc.collect()
    assert seen[0]() is not None and seen[0]() is seen[1]()
    assert sys.stdout is not seen[0]()
