"""Events that wait in memory: where there is no spool, or it can't be written. They end with the process."""

from collections import deque


class Memory:
    """A bounded queue. Not safe between threads: its owner holds a lock."""

    def __init__(self, most: int) -> None:
        self._lines: deque[bytes] = deque()
        self._most = most
        self._taken = 0
        self.entered = 0
        self.left = 0

    @property
    def waiting(self) -> int:
        """How many events are in it, those that were taken and are not done included."""
        return len(self._lines)

    def append(self, line: bytes) -> int:
        """Take `line` in. The number of older events that had to go for it, or 1 if it could not stay itself."""
        dropped = 0
        if len(self._lines) >= self._most:
            dropped = 1
            if len(self._lines) <= self._taken:
                return dropped  # all of it is on its way to the collector
            del self._lines[self._taken]
            self.left += 1
        self._lines.append(line)
        self.entered += 1
        return dropped

    def take(self, events: int, size: int) -> list[bytes]:
        """The oldest events, at most `events` and `size` bytes, but one at least. They stay until `done`."""
        batch: list[bytes] = []
        for line in self._lines:
            size -= len(line) + 1
            if batch and (len(batch) >= events or size < 0):
                break
            batch.append(line)
        self._taken = len(batch)
        return batch

    def done(self) -> None:
        """What was taken is settled."""
        for _ in range(self._taken):
            self._lines.popleft()
        self.left += self._taken
        self._taken = 0

    def empty(self) -> list[bytes]:
        """All that was not taken, which leaves the queue."""
        rest = list(self._lines)[self._taken :]
        self.left += len(rest)
        for _ in rest:
            self._lines.pop()
        return rest
