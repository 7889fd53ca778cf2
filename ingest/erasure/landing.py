"""What a sink does about persons who have asked to be erased: their rows land without content.

Only what tells itself by its own row is caught here: what they wrote as themselves, what is no event and names them,
and what was erased on the log. What other rows tell (what is written about them) waits for the sweep, with which every
build begins.
"""

from collections.abc import Sequence

import polars as pl

from ingest.erasure import blanks, rules
from ingest.erasure.requests import Request, Requested
from ingest.erasure.rules import PLACE
from ingest.erasure.writing import person_patterns
from ingest.log.base import EventLog

TOPICS = ("responses", "feedback")
"""Where persons write. What they did in experiments holds no text, and what ties it to them is needed by the sweep."""


class Landing:
    """Follows the requests on a log. One thread drives it."""

    def __init__(self, log: EventLog) -> None:
        self._requested = Requested(log)

    def blank(self, frame: pl.DataFrame, topic: str) -> pl.DataFrame:
        """`frame`, of rows that are about to land, without what was erased. Raises as the log does."""
        return blanked(frame, topic, self._requested.refresh())


def blanked(frame: pl.DataFrame, topic: str, requests: Sequence[Request]) -> pl.DataFrame:
    """`frame` (columns of the topic) without the content that `requests` take by what each row says itself. Pure."""
    if not requests or not frame.height:
        return frame
    told = blanks.told_by_tombstones(frame, {request.key for request in requests})
    claims = rules.claims_of_persons(
        [(place, request.person_id, request.until) for place, request in enumerate(requests)]
    )
    hits = [_no_events(told, requests)]
    if topic in TOPICS:
        hits.append(rules.claimed(rules.names(told, topic), claims))
    marks = pl.concat(hits)
    if not marks.height:
        return told
    keys = {place: request.key for place, request in enumerate(requests)}
    joined = told.join(marks, on=PLACE, how="left", maintain_order="left")
    request = pl.col("request").replace_strict(keys, default=None, return_dtype=pl.String).alias("request")
    return blanks.blank(joined.with_columns(request), topic, pl.col("request")).select(told.columns)


def _no_events(frame: pl.DataFrame, requests: Sequence[Request]) -> pl.DataFrame:
    bad = frame.filter(pl.col("error").is_not_null(), pl.col("erased").is_null())
    found: list[int | None] = [None] * bad.height
    patterns = [person_patterns(request.person_id) for request in requests] if bad.height else []
    for at, row in enumerate(bad.iter_rows(named=True)):
        inside = blanks.inside(row)
        for place, request in enumerate(requests):
            if found[at] is None and row["received_at"] <= request.until and patterns[place].search(inside):
                found[at] = place
    return bad.select(PLACE).with_columns(pl.Series("request", found, dtype=pl.Int32)).drop_nulls("request")
