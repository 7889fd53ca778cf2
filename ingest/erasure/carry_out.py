"""Carrying requests out: lake, log, sets, jobs' files and builds, in an order in which nothing comes back.

Whoever publishes specs or discovers modes reads texts in a build and writes what it makes of them on the log, or in the
home: they are waited for, and wait until a build without the texts is out and the older ones are gone. Killed at any
point, the same call goes on and ends with the same home; a request is done once the log says so.
"""

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, NamedTuple

import polars as pl

from ingest.erasure import certificate, derived
from ingest.erasure.certificate import Certificate
from ingest.erasure.journal import touched_by
from ingest.erasure.lake_files import files, scanned
from ingest.erasure.log_records import Rewritten, rewrite
from ingest.erasure.old_builds import remove_old_builds
from ingest.erasure.requests import Request, Requested, landed_requests
from ingest.erasure.rules import PLACE
from ingest.erasure.search import MARKS, Search
from ingest.erasure.sweep import everything, sweep
from ingest.home import Home
from ingest.lake.columns import schema
from ingest.log.base import EventLog
from ingest.log.publish import publish
from ingest.sink import Sink
from models.events.privacy import ErasureCompleted
from models.topics import TOPICS

Rebuild = Callable[[], object]
"""Builds the warehouse and publishes it. Does nothing in a home that has none."""

SOURCE = "flywheel/erase"
COUNTED = (*PLACE, "source", "erased")
AT_WORK = ("specs", "discovery")
"""Locks of those who write on the log, or in the home, what they have read in a build."""


class Done(NamedTuple):
    """A request that was carried out, its certificate as JSON types, and the SHA-256 of that file."""

    request: Request
    certificate: dict[str, Any]
    sha256: str


def pending(home: Home, log: EventLog) -> list[Request]:
    """The requests on the log that this home has not carried out, in the order of their arrival."""
    requested = Requested(log)
    return [request for request in requested.refresh() if request.completed_id(home) not in requested.completed]


def preview(home: Home, requests: list[Request]) -> dict[str, dict[str, int]]:
    """Topic -> source -> how many records of the lake `requests` would take. Changes nothing.

    A record that is no event has no source, and counts under "".
    """
    with home.lock("compaction"):
        marks = Search(home, requests, everything(home)).run(pl.DataFrame(schema=MARKS)).marks
        return _by_source(home, marks)


def _by_source(home: Home, marks: pl.DataFrame) -> dict[str, dict[str, int]]:
    counts: dict[str, dict[str, int]] = {}
    for topic in TOPICS:
        mine = marks.filter(pl.col("topic") == topic).select(PLACE)
        found = [
            frame.join(mine, on=PLACE, how="semi") for _, frame in scanned(files(home, topic), COUNTED, schema(topic))
        ]
        if found:
            by_source = pl.concat(found).unique(PLACE).group_by(pl.col("source").fill_null("")).len()
            counts |= {topic: dict(by_source.sort("source").iter_rows())} if by_source.height else {}
    return counts


def carry_out(home: Home, log: EventLog, rebuild: Rebuild) -> list[Done]:
    """Carry out what is pending; [] where nothing is.

    Raises TransientError where a lock, the log or the disk can't be had: call again.
    """
    if not pending(home, log):
        return []
    with home.lock("erasure"):
        # Everything that the log has from before the requests lands first: then no sink that slept can bring it.
        Sink(log, home).drain()
        wanted = {request.key for request in pending(home, log)}
        if not wanted:
            return []
        requests = [request for request in landed_requests(home) if request.key in wanted]
        with ExitStack() as stack:
            for name in AT_WORK:
                stack.enter_context(home.lock(name))
            Sink(log, home).drain()  # what they wrote until now
            with home.lock("build"):
                sweep(home)
            with home.lock("compaction"):  # files that are merged now can't be counted
                specs = _derived(home, log, requests)
                rewritten = rewrite(log, home, requests)
            rebuild()
            with home.lock("build"):
                remove_old_builds(home, [request.stem for request in requests])
        with home.lock("compaction"):
            done = [_certify(home, log, request, specs=specs, rewritten=rewritten) for request in requests]
        publish(log, [_completed(home, each) for each in done])
        Sink(log, home).drain()
        rebuild()
        return done


def _derived(home: Home, log: EventLog, requests: list[Request]) -> dict[str, list[str]]:
    """Take it out of what was made of the lake; request key -> the specs that it retires."""
    keys = derived.erased_keys(home, requests)
    derived.remove_sets(home, keys, requests)
    specs: dict[str, list[str]] = {}
    for request in requests:
        mine = {key: taken for key, taken in keys.items() if taken == request.key}
        specs[request.key] = derived.retire_specs(log, mine)
        derived.remove_artifacts(home, log, specs[request.key], [request.stem])
        derived.remove_leftovers(home, request.stem)
    return specs


def _certify(home: Home, log: EventLog, request: Request, *, specs: dict[str, list[str]], rewritten: Rewritten) -> Done:
    said = Certificate(
        request=request,
        home_id=str(home.facts()["home_id"]),
        events=_counts(home, request),
        files=touched_by(home, request.stem),
        log_records=rewritten.records,
        kept=rewritten.kept,
        specs=specs[request.key],
        checkpoints=derived.trained_on(log, specs[request.key]),
        completed_at=certificate.now(),
    )
    return Done(request, *certificate.write(home, said))


def _counts(home: Home, request: Request) -> dict[str, int]:
    counts: dict[str, int] = {}
    for topic in TOPICS:
        among = pl.col("erased") == request.key
        rows = [frame.select(PLACE) for _, frame in scanned(files(home, topic), COUNTED, schema(topic), among=among)]
        if rows:
            counts[topic] = pl.concat(rows).unique().height  # merged files and what they were merged from: once
    return counts


def _completed(home: Home, done: Done) -> ErasureCompleted:
    return ErasureCompleted(
        id=done.request.completed_id(home),
        source=SOURCE,
        person_id=done.request.person_id,
        request_id=done.request.request_id,
        events=sum(done.certificate["events"].values()),
        files=len(done.certificate["files"]),
        certificate=done.sha256,
    )
