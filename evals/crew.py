"""Several attempts at once. What is finished is handed over as soon as there is anything, all of it together.

Threads, since attempts wait for endpoints; they are daemons, so that nothing has to wait for a reply that nobody wants
any more. Left out: an order.
"""

import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")

TICK_S = 0.5
TOGETHER = 500
"""At most so many are handed over together by one who works alone."""


class Crew(Generic[T, R]):
    """`size` workers that each do `work` on one task at a time. With one, the caller's own thread does it."""

    def __init__(self, work: Callable[[T], R], size: int) -> None:
        self._work, self._size = work, size
        self._todo: SimpleQueue[T | None] = SimpleQueue()
        self._done: SimpleQueue[tuple[T, R | BaseException]] = SimpleQueue()
        self._busy = 0
        self._threads: list[Thread] = []

    def finished(self, tasks: Iterator[T], tick: Callable[[], None]) -> Generator[list[tuple[T, R]]]:
        """Do `tasks`, which are taken only as somebody is free for them; gives those that are done, in groups.

        `tick` is called about twice a second; what it raises ends the work. So does what `work` raises.
        """
        return self._alone(tasks, tick) if self._size == 1 else self._together(tasks, tick)

    def _alone(self, tasks: Iterator[T], tick: Callable[[], None]) -> Generator[list[tuple[T, R]]]:
        group: list[tuple[T, R]] = []
        since = time.monotonic()
        for task in tasks:
            group.append((task, self._work(task)))
            if len(group) == TOGETHER or time.monotonic() - since > TICK_S:
                yield group
                tick()
                group, since = [], time.monotonic()
        if group:
            yield group

    def _together(self, tasks: Iterator[T], tick: Callable[[], None]) -> Generator[list[tuple[T, R]]]:
        while True:
            while self._busy < self._size and (task := next(tasks, None)) is not None:
                self._give(task)
            if not self._busy:
                return
            group = self.wait(TICK_S)
            if group:
                yield group
            tick()

    def _give(self, task: T) -> None:
        self._busy += 1
        if len(self._threads) < self._busy:
            self._threads.append(Thread(target=self._run, name=f"attempts {len(self._threads)}", daemon=True))
            self._threads[-1].start()
        self._todo.put(task)

    def wait(self, seconds: float, *, whole: bool = False) -> list[tuple[T, R]]:
        """What is done within `seconds`: as soon as there is any, or with `whole` once nobody is busy."""
        found: list[tuple[T, R]] = []
        until = time.monotonic() + seconds
        while self._busy:
            left = until - time.monotonic() if whole or not found else 0.0
            try:
                task, done = self._done.get(timeout=left) if left > 0 else self._done.get_nowait()
            except Empty:
                break
            self._busy -= 1
            if isinstance(done, BaseException):
                raise done
            found.append((task, done))
        return found

    def _run(self) -> None:
        while (task := self._todo.get()) is not None:
            try:
                self._done.put((task, self._work(task)))
            except BaseException as error:  # for the caller's thread, which knows what to do with it
                self._done.put((task, error))

    def leave(self) -> None:
        """Nothing more is to be done. Who is busy finishes for himself."""
        for _ in self._threads:
            self._todo.put(None)


@contextmanager
def crew(work: Callable[[T], R], size: int) -> Generator[Crew[T, R]]:
    """A crew for the length of the block."""
    made = Crew(work, size)
    try:
        yield made
    finally:
        made.leave()
