"""How the loop is doing: lag, freshness, jobs, the last build. Read-only; what `status` and `doctor` show."""

from datetime import datetime
from typing import Any, NamedTuple

from ingest.home import Home
from ingest.jobs.board import Board
from ingest.lake.segments import next_position, segments, start_of
from ingest.log import EventLog
from ingest.reader import reading
from ingest.sink.lag import lag
from models.topics import TOPICS


class Health(NamedTuple):
    """One look at a home and its log."""

    home: str
    log: str
    lag: dict[str, int]
    """Topic -> positions on the log that the lake does not hold yet."""
    build: int | None
    """The published generation; None before the first build."""
    built_at: datetime | None
    unbuilt: dict[str, int]
    """Topic -> positions in the lake that the published build has not seen."""
    newest_feedback: datetime | None
    """Arrival of the newest feedback that the marts show."""
    quarantined: int
    jobs: dict[str, int]
    """Status -> number of jobs."""

    def as_json(self) -> dict[str, Any]:
        """The same, with times as RFC 3339."""
        fields = self._asdict()
        return {name: value.isoformat() if isinstance(value, datetime) else value for name, value in fields.items()}


def look(home: Home, log: EventLog) -> Health:
    """Look at everything once."""
    behind: dict[str, int] = {}
    for (topic, _), positions in lag(log, home).items():
        if positions:
            behind[topic] = behind.get(topic, 0) + positions
    board = Board(log)
    board.refresh()
    jobs: dict[str, int] = {}
    for job in board.jobs.values():
        jobs[job.status] = jobs.get(job.status, 0) + 1
    if not home.warehouse.exists():
        return Health(str(home.path), log.identity(), behind, None, None, {}, None, 0, jobs)
    with reading(home) as ask:
        build, built_at = ask("select number, built_at from flywheel_build").rows[0]
        positions = ask("select topic, log_partition, last_offset from flywheel_build_positions").rows
        newest = ask("select max(received_at) from fct_feedback").rows[0][0]
        quarantined = ask("select count(*) from stg_quarantine").rows[0][0]
    built = {(str(topic), int(partition)): int(last) for topic, partition, last in positions}
    unbuilt: dict[str, int] = {}
    for topic in TOPICS:
        for partition in log.end_offsets(topic):
            last = built.get((topic, partition), -1)
            landed = segments(home, topic, partition)
            if landed and start_of(landed[-1]) > last:
                unbuilt[topic] = unbuilt.get(topic, 0) + next_position(home, topic, partition) - last - 1
    return Health(str(home.path), log.identity(), behind, int(build), built_at, unbuilt, newest, int(quarantined), jobs)
