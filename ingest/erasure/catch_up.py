"""The log after the lake, for requests that were carried out before: copies of what they took may come at any time.

The lake loses such a copy as it lands, or by the sweep with which the next build begins. The embedded log loses it
here, since neither of the two may rewrite what others are reading.
"""

from ingest.erasure.carry_out import Rebuild
from ingest.erasure.log_records import Rewritten, rewrite
from ingest.erasure.old_builds import remove_old_builds
from ingest.erasure.owed import owed
from ingest.erasure.requests import landed_requests
from ingest.erasure.sweep import generation, sweep
from ingest.home import Home
from ingest.log.base import EventLog
from ingest.sink import Sink


def is_behind(home: Home) -> bool:
    """Whether the lake has lost something that the log may still have, as far as anybody has looked."""
    return bool(owed(home).keys)


def catch_up(home: Home, log: EventLog, rebuild: Rebuild) -> Rewritten | None:
    """Land what came, empty what is claimed of it, and take that out of the log. None where nothing was owed.

    Killed at any point, the same call goes on. Raises TransientError where a lock, the log or the disk can't be had.
    """
    with home.lock("erasure"):
        Sink(log, home).drain()
        with home.lock("build"):
            before = generation(home)
            sweep(home)
            was_built = generation(home) != before
        with home.lock("compaction"):
            keys, begun = owed(home)
            requests = [request for request in landed_requests(home) if request.key in keys]
            done = rewrite(log, home, requests) if requests or begun else None
        if was_built:  # it came while a build read the lake
            rebuild()
            with home.lock("build"):
                remove_old_builds(home, [request.stem for request in requests])
        return done
