"""How the loop is doing: lag, freshness, jobs, the last build. Read-only; what `status` and `doctor` show."""

from datetime import UTC, datetime
from typing import Any, NamedTuple

from ingest.home import Home
from ingest.jobs.board import Board
from ingest.lake.segments import next_position, segments, start_of
from ingest.log import EventLog
from ingest.log.lanes import Lanes
from ingest.reader import reading
from ingest.sink.lag import behind
from ingest.sink.presence import Running, running
from ingest.sink.watchdog import PATIENCE_S
from models.topics import TOPICS


class Health(NamedTuple):
    """One look at a home and its log."""

    home: str
    log: str
    lag: dict[str, int]
    """Topic -> positions on the log that the lake does not hold yet."""
    waits_s: float
    """Seconds that the oldest record of them has waited; 0 where there is none."""
    sinks: list[Running]
    """The sinks that run now and keep themselves known in the home."""
    build: int | None
    """The published generation; None before the first build."""
    built_at: datetime | None
    tested: bool
    """Whether its data tests were run."""
    texts_waiting: int
    """Texts whose mode is not known yet, since they are not embedded."""
    builds: int
    """On disk, with the published one."""
    build_bytes: int
    """Of all of them."""
    unbuilt: dict[str, int]
    """Topic -> positions in the lake that the published build has not seen."""
    newest_feedback: datetime | None
    """Arrival of the newest feedback that the marts show."""
    quarantined: int
    jobs: dict[str, int]
    """Status -> number of jobs."""

    @property
    def stuck(self) -> str:
        """Why the lake falls behind although sinks run; "" where it does not. One that runs lands within seconds."""
        troubles = [f"sink {sink.pid} on {sink.host}: {sink.trouble}" for sink in self.sinks if sink.trouble]
        if troubles:
            return "; ".join(troubles)
        if self.sinks and self.waits_s > PATIENCE_S:
            return f"a record has waited {self.waits_s:.0f} s, and the sinks that run say nothing of it"
        return ""

    def as_json(self) -> dict[str, Any]:
        """The same, with times as RFC 3339."""
        fields = self._asdict() | {"sinks": [sink._asdict() for sink in self.sinks], "stuck": self.stuck}
        return {name: value.isoformat() if isinstance(value, datetime) else value for name, value in fields.items()}


def look(home: Home, log: EventLog) -> Health:
    """Look at everything once."""
    lag: dict[str, int] = {}
    waits_s = 0.0
    for (topic, _), (positions, since) in behind(log, home).items():
        if positions:
            lag[topic] = lag.get(topic, 0) + positions
        if since:
            waits_s = max(waits_s, (datetime.now(UTC) - since).total_seconds())
    sinks = running(home)
    board = Board(log)
    board.refresh()
    jobs: dict[str, int] = {}
    for job in board.jobs.values():
        jobs[job.status] = jobs.get(job.status, 0) + 1
    if not home.warehouse.exists():
        return Health(str(home.path), log.identity(), lag, waits_s, sinks, None, None, True, 0, 0, 0, {}, None, 0, jobs)
    with reading(home) as ask:
        build, built_at, *said = ask("select number, built_at, tested, texts_waiting from flywheel_build").rows[0]
        positions = ask("select topic, log_partition, last_offset from flywheel_build_positions").rows
        newest = ask("select max(received_at) from fct_feedback").rows[0][0]
        quarantined = ask("select count(*) from stg_quarantine where corrected_by is null").rows[0][0]
    builds, build_bytes = _on_disk(home)
    built = {(str(topic), int(partition)): int(last) for topic, partition, last in positions}
    unbuilt: dict[str, int] = {}
    lanes = Lanes(log)
    for topic in TOPICS:
        for partition in lanes.end_offsets(topic):
            last = built.get((topic, partition), -1)
            landed = segments(home, topic, partition)
            if landed and start_of(landed[-1]) > last:
                unbuilt[topic] = unbuilt.get(topic, 0) + next_position(home, topic, partition) - last - 1
    return Health(
        str(home.path), log.identity(), lag, waits_s, sinks,
        int(build), built_at, bool(said[0]), int(said[1]), builds, build_bytes, unbuilt, newest, int(quarantined), jobs,
    )  # fmt: skip


def _on_disk(home: Home) -> tuple[int, int]:
    """How many builds there are, and their bytes."""
    builds = [folder for folder in home.builds.iterdir() if folder.name.isdecimal()]
    return len(builds), sum(file.stat().st_size for build in builds for file in build.iterdir())
