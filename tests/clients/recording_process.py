"""Programs that record, and end in one way or another: `python -m tests.clients.recording_process HOW URL SPOOL WAIT`.

Each prints the id of an event once it is recorded. WAIT: seconds that its exit may take.
"""

import os
import signal
import sys

from flywheel_client import Flywheel, Settings

HOW, URL, SPOOL, WAIT = sys.argv[1:]
CLIENT = Flywheel(
    URL,
    source="test",
    spool=SPOOL,
    settings=Settings(linger=0.01, first_retry=0.01, longest_retry=0.05, exit_timeout=float(WAIT)),
)


def record(events: int, name: str) -> None:
    for number in range(events):
        # One write: two processes share this pipe.
        os.write(1, f"{CLIENT.comment(f'{name}-{number}', 'x' * 200)}\n".encode())


def killed() -> None:
    """kill -9 by itself, in the middle of a stream of events."""
    record(300, "killed")
    os.kill(os.getpid(), signal.SIGKILL)


def forked() -> None:
    """A child of a program that has recorded: it has its own events, and none of its parent's."""
    record(20, "before")
    child = os.fork()
    if child == 0:
        record(20, "child")
        ok = CLIENT.flush(60)
        stats = CLIENT.stats
        record(5, "left")  # ends as a worker's process does, without exit handlers
        os._exit(0 if ok and stats.queued == 20 == stats.accepted + stats.duplicate else 1)
    _, status = os.waitpid(child, 0)
    record(20, "after")
    sys.exit(os.waitstatus_to_exitcode(status))


def ended() -> None:
    """The program comes to its end and closes nothing."""
    record(40, "ended")


{"killed": killed, "forked": forked, "ended": ended}[HOW]()
