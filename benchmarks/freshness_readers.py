"""Four threads that read the published warehouse and say how far it reaches, until the file STOP is there.

    python -m benchmarks.freshness_readers HOME STOP

One line of JSON a look, {kind, at, upto, build}: at the moment `at` every event of this run that occurred before `upto`
was seen; seconds since 1970. The last line is {"reads", "errors"}.
"""

import json
import sys
import threading
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ingest.home import Home
from ingest.reader import Ask, reading
from models.errors import FlywheelError

PAUSE_S = 1.5
"""Between two looks of a reader: faster than anybody looks."""
WRITING = threading.Lock()
LIVE = "log_partition < 100"
"""Neither what the home had before nor what comes by the lane for backfills."""

REACH = (
    """
    select min(upto) from (
        select log_partition, max(occurred_at) as upto from {relation}
        where """
    + LIVE
    + """ and received_at > ?::timestamptz group by log_partition
    )
"""
)
WAITING = (
    """
    select min(occurred_at) from fct_feedback
    where """
    + LIVE
    + """ and received_at > ?::timestamptz and kind = 'comment' and text_hash is not null
        and text_hash not in (select text_hash from int_text_assignments)
"""
)


class Reader:
    """One thread's looks."""

    def __init__(self, home: Home, stop: Path, since: datetime) -> None:
        self._home, self._stop, self._since = home, stop, since.isoformat()
        self.reads = 0
        self.errors: list[str] = []

    def run(self) -> None:
        """Look at raw events, marts and modes, again and again, with one connection a generation as a dashboard has."""
        while not self._stop.exists():
            try:
                with reading(self._home) as ask:
                    build = ask("select number from flywheel_build").rows[0][0]
                    live = self._home.warehouse.resolve()
                    while self._home.warehouse.resolve() == live and not self._stop.exists():
                        for kind in ("raw", "marts", "modes"):
                            self._look(kind, build, ask)
                        time.sleep(PAUSE_S)
            except FlywheelError as error:
                self.errors.append(str(error))

    def _look(self, kind: str, build: int, ask: Ask) -> None:
        self.reads += 1
        relation = "raw.feedback" if kind == "raw" else "fct_feedback"
        upto: Any = ask(REACH.format(relation=relation), [self._since]).rows[0][0]
        if kind == "modes" and upto is not None:
            waiting: Any = ask(WAITING, [self._since]).rows[0][0]
            upto = min(upto, waiting) if waiting is not None else upto
        seen = {"kind": kind, "at": time.time(), "upto": upto.timestamp() if upto else None, "build": build}
        with WRITING:
            print(json.dumps(seen), flush=True)


def main() -> None:
    """Read until stopped."""
    home, stop = Home.existing(Path(sys.argv[1])), Path(sys.argv[2])
    since = datetime.now(UTC)
    readers = [Reader(home, stop, since) for _ in range(4)]
    threads = [threading.Thread(target=reader.run) for reader in readers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    errors = [error for reader in readers for error in reader.errors]
    print(json.dumps({"reads": sum(reader.reads for reader in readers), "errors": errors}))


if __name__ == "__main__":
    main()
