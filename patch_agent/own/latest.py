"""Work in the background: one job at a time, and of those that wait only the newest."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock, Thread
from typing import Generic, TypeVar

Job = TypeVar("Job")
Answer = TypeVar("Answer")


class Latest(Generic[Job, Answer]):
    """Does jobs in a thread that lives while there is one.

    Jobs are numbered from 1. Each answer is delivered with its number, in ascending order.
    """

    def __init__(
        self, work: Callable[[Job], Answer], deliver: Callable[[int, Answer], None]
    ) -> None:
        self._work, self._deliver = work, deliver
        self._lock = Lock()
        self._waiting: tuple[int, Job] | None = None
        self._thread: Thread | None = None
        self.number = 0

    def ask(self, job: Job) -> int:
        """Hands over a job; its number."""
        with self._lock:
            self.number += 1
            self._waiting = self.number, job
            if self._thread is None or not self._thread.is_alive():
                self._thread = Thread(target=self._go_on, name="your builds", daemon=True)
                self._thread.start()
            return self.number

    def wait(self) -> None:
        """Returns when nothing is left to do."""
        thread = self._thread
        if thread is not None:
            thread.join()

    def _next(self) -> tuple[int, Job] | None:
        with self._lock:
            found, self._waiting = self._waiting, None
            if found is None:
                self._thread = None
            return found

    def _go_on(self) -> None:
        while (found := self._next()) is not None:
            number, job = found
            self._deliver(number, self._work(job))
