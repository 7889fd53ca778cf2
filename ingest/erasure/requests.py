"""The requests to erase a person: as the lake has them, and as the log has them before they land."""

import re
from datetime import datetime
from typing import NamedTuple

import polars as pl

from ingest.erasure.lake_files import files
from ingest.home import Home
from ingest.log.base import EventLog
from models.errors import BadEvent
from models.events import AnyEvent, parse
from models.events.privacy import ErasureCompleted, ErasureRequested
from models.ids import digest, event_id

TOPIC = "privacy"
SOURCE = "flywheel/erase"
"""Of the requests that `flywheel erase` files."""
PLAIN = re.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,127}")


class Request(NamedTuple):
    """One request. It reaches back, never forward: what the person writes after it is theirs to keep."""

    source: str
    request_id: str
    person_id: str
    until: datetime
    """When the request arrived, by the log's clock: what arrived by then is erased."""

    @property
    def key(self) -> str:
        """What identifies the request for ever; erased rows of the lake name it."""
        return f"{self.source}|{self.request_id}"

    @property
    def stem(self) -> str:
        """Its file name in the home. Only our own ids stand for themselves: another producer could repeat one."""
        plain = self.source == SOURCE and PLAIN.fullmatch(self.request_id)
        return self.request_id if plain else f"request-{digest(self.key)[:32]}"

    def completed_id(self, home: Home) -> str:
        """The id of the event that says that it was carried out in `home`: a log may have several homes."""
        return event_id("erasure_completed", self.key, str(home.facts()["home_id"]))


def landed_requests(home: Home) -> list[Request]:
    """The requests that have landed, in the order of their arrival; each once, whatever copies came after."""
    found: list[pl.DataFrame] = []
    columns = ["source", "event_id", "person_id", "received_at", "log_offset"]
    for file in files(home, TOPIC):
        rows = pl.scan_parquet(file, glob=False).filter(
            pl.col("type") == "privacy.erasure_requested.v1", pl.col("error").is_null()
        )
        found.append(rows.select(columns).collect())
    if not found:
        return []
    first = pl.concat(found).sort("received_at", "log_offset").unique(["source", "event_id"], keep="first")
    return [Request(*row[:4]) for row in first.sort("received_at", "log_offset").iter_rows()]


class Requested:
    """The requests on a log, followed as it grows. One thread drives it."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._offsets: dict[int, int] = {}
        self._requests: dict[tuple[str, str], Request] = {}
        self.completed: set[str] = set()
        """Ids of the events that say that a request was carried out in a home; as of the last refresh."""

    def refresh(self) -> list[Request]:
        """Read on to the end; all requests so far. Raises as the log does."""
        for partition, end in sorted(self._log.end_offsets(TOPIC).items()):
            offset = self._offsets.get(partition)
            if offset is None:
                offset = self._log.begin_offsets(TOPIC).get(partition, 0)
            while offset < end:
                batch = self._log.read(TOPIC, partition, offset)
                for record in batch.records:
                    try:
                        event: AnyEvent = parse(record.value, record.headers)
                    except BadEvent:
                        continue  # it lands in quarantine, where a person sees it
                    if isinstance(event, ErasureRequested):
                        request = Request(event.source, event.id, event.person_id, record.appended_at)
                        self._requests.setdefault((event.source, event.id), request)
                    elif isinstance(event, ErasureCompleted):
                        self.completed.add(event.id)
                if batch.next_offset == offset:
                    break
                offset = batch.next_offset
            self._offsets[partition] = offset
        return list(self._requests.values())
