"""What has landed for rules to look at: rollouts, and turns of conversations, between two positions of the lake.

Positions are by arrival, a partition each, so that an event of last year that lands now is looked at now. A turn is a
response with the one that followed it, by the time that their writer gives; it is new if either is. Left out: what has
no such time follows nothing, and what arrived over a day after a response is not right after it.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import duckdb

from ingest.home import Home
from ingest.lake.segments import ensure_empty
from ingest.lake.views import lake_relation
from ingest.reports.episode import Episode, of_turn
from models.events import parse
from models.events.rollout import RolloutRecorded

TOPIC = "responses"
LOOK_BACK = timedelta(days=1)
CHUNK = 500
"""Rows in memory at a time."""

Positions = dict[int, int]
"""Partition -> the offset to look at next."""


class Turn(NamedTuple):
    """A response and what followed it."""

    response_id: str
    following_id: str | None
    occurred_at: datetime | None
    following_at: datetime | None
    """When what followed was served; where that is not known, the response."""
    is_new: bool
    """False: only what followed is new."""
    episode: Episode


class Landed:
    """The topic `responses` of a home's lake, open until `close`."""

    def __init__(self, home: Home) -> None:
        ensure_empty(home, TOPIC)
        self._connection = duckdb.connect()
        self._connection.execute("set TimeZone = 'UTC'")
        self._connection.execute(f"create view landed as {lake_relation(home, TOPIC)}")

    def close(self) -> None:
        """Let go of it."""
        self._connection.close()

    def ends(self) -> Positions:
        """Where the lake ends now."""
        rows = self._connection.execute("select log_partition, max(log_offset) + 1 from landed group by all").fetchall()
        return dict(rows)

    def rollouts(self, begin: Positions, end: Positions) -> Iterator[RolloutRecorded]:
        """The rollouts that landed from `begin` to before `end`."""
        sql = f"""
            select canonical from landed
            where type = 'response.rollout_recorded.v1' and error is null and canonical is not null
                and ({_between(begin, end)})
        """
        for (canonical,) in self._rows(sql):
            event = parse(str(canonical).encode())
            assert isinstance(event, RolloutRecorded)
            yield event

    def turns(self, begin: Positions, end: Positions, known: Positions) -> Iterator[Turn]:
        """The turns that are new from `begin` to before `end`, each once, as the lake is known at `known`.

        Which response follows another is told by all that has landed; a turn is new once both have been reached.
        """
        new = _between(begin, end)
        first = self._connection.execute(
            f"select min(received_at) from landed where type = 'response.served.v1' and ({new})"
        ).fetchall()[0][0]
        if first is None:
            return
        sql = f"""
            with told as (
                select
                    response_id, prompt, completion, occurred_at, received_at, log_partition, log_offset,
                    case
                        when conversation_id is not null and occurred_at is not null then 'c:' || conversation_id
                        else 'r:' || response_id
                    end as thread,
                    ({new}) as is_new,
                    ({_between({}, end)}) as is_reached
                from landed
                where type = 'response.served.v1' and error is null and canonical is not null
                    and received_at >= ? and ({_between({}, known)})
            ),
            once as (
                select
                    * exclude (is_new, is_reached),
                    bool_or(is_reached) over (partition by response_id) as is_reached,
                    bool_or(is_new) over (partition by response_id) as is_new
                from told
                where thread in (select thread from told where is_new)
                qualify row_number() over (
                    partition by response_id
                    order by completion is null, prompt is null, received_at, log_partition, log_offset
                ) = 1
            ),
            followed as (
                select
                    *,
                    lead(response_id) over turn as following_id,
                    lead(prompt) over turn as following,
                    lead(occurred_at) over turn as following_at,
                    coalesce(lead(is_new) over turn, false) as is_new_following,
                    coalesce(lead(is_reached) over turn, false) as is_followed
                from once
                window turn as (partition by thread order by occurred_at, response_id)
            )
            select
                response_id,
                case when is_followed then following_id end as following_id,
                occurred_at,
                coalesce(following_at, occurred_at) as following_at,
                is_new,
                prompt,
                completion,
                case when is_followed then following end as following
            from followed
            where is_reached and (is_new or is_new_following)
        """
        for *turn, prompt, completion, following in self._rows(sql, [first - LOOK_BACK]):
            yield Turn(*turn, episode=of_turn(prompt, completion, following))

    def _rows(self, sql: str, parameters: list[object] | None = None) -> Iterator[tuple[Any, ...]]:
        cursor = self._connection.cursor()
        try:
            cursor.execute("set TimeZone = 'UTC'")
            cursor.execute(sql, parameters)
            while rows := cursor.fetchmany(CHUNK):
                yield from rows
        finally:
            cursor.close()


def _between(begin: Positions, end: Positions) -> str:
    """SQL: the row is at or after `begin` (0 where it says nothing) and before `end`, by its partition."""
    ranges = (
        f"(log_partition = {partition} and log_offset >= {begin.get(partition, 0)} and log_offset < {before})"
        for partition, before in sorted(end.items())
    )
    return " or ".join(ranges) or "false"
