"""What a worker knows: specs, jobs and the checkpoints that count. Each refresh reads the log on from the last one."""

import logging
import time
from collections.abc import Iterable
from threading import RLock

from ingest.jobs.fold import Jobs, JobState
from ingest.log import EventLog, Position, Record
from models.errors import BadEvent, TransientError
from models.events import parse
from models.events.checkpoint import CheckpointRegistered, JudgeWithdrawn
from models.events.spec import EvalSpecIssued, JudgingSpecIssued, SpecRetired, TrainingSpecIssued

SpecIssued = EvalSpecIssued | TrainingSpecIssued | JudgingSpecIssued
TOPICS = ("specs", "checkpoints", "jobs")
VISIBLE_WITHIN_S = 30.0
"""How long an acknowledged entry may stay out of sight before something is wrong with the log."""


class Board:
    """Safe to share between threads. What can't be parsed is passed over: quarantine shows it."""

    def __init__(self, log: EventLog) -> None:
        self.log = log
        self.specs: dict[str, SpecIssued] = {}
        """By spec id, in the order of issue, those that were retired since among them."""
        self.retired: set[str] = set()
        """Ids of the specs that no longer stand: nothing is queued for them, and no job of theirs runs."""
        self.withdrawn: dict[str, str] = {}
        """Judges that are out of use, each with the reason."""
        self._jobs = Jobs()
        self._registered: dict[str, list[CheckpointRegistered]] = {}
        self._offsets: dict[tuple[str, int], int] = {}
        self._lock = RLock()

    @property
    def jobs(self) -> dict[str, JobState]:
        """By job id, in the order in which they were queued."""
        with self._lock:
            return dict(self._jobs.states)

    def job(self, job_id: str) -> JobState:
        """The job as of the last refresh. KeyError if it was never queued."""
        with self._lock:
            return self._jobs.states[job_id]

    @property
    def log_time(self) -> float:
        """The append time of the last event in `jobs`, in seconds since 1970."""
        with self._lock:
            return self._jobs.now.timestamp()

    @property
    def checkpoints(self) -> dict[str, CheckpointRegistered]:
        """Those that count, by id: registered by nobody's job, or by the epoch with which their job completed."""
        with self._lock:
            counted: dict[str, CheckpointRegistered] = {}
            for checkpoint_id, registrations in self._registered.items():
                for event in registrations:
                    if self._counts(event):
                        counted.setdefault(checkpoint_id, event)
            return counted

    def refresh(self, topics: Iterable[str] = TOPICS) -> None:
        """Read on to the end of `topics`. Raises TransientError where the log can't be reached."""
        with self._lock:
            for topic in topics:
                for partition, end in sorted(self.log.end_offsets(topic).items()):
                    if (topic, partition) not in self._offsets:
                        self._offsets[topic, partition] = self.log.begin_offsets(topic).get(partition, 0)
                    offset = self._offsets[topic, partition]
                    while offset < end:
                        batch = self.log.read(topic, partition, offset)
                        for record in batch.records:
                            self._apply(record)
                        if batch.next_offset == offset:
                            break
                        offset = batch.next_offset
                        self._offsets[topic, partition] = offset

    def refresh_past(self, position: Position) -> None:
        """Read on until what was appended at `position` has been seen."""
        deadline = time.monotonic() + VISIBLE_WITHIN_S
        while True:
            self.refresh([position.topic])
            if self._offsets.get((position.topic, position.partition), 0) > position.offset:
                return
            if time.monotonic() > deadline:
                raise TransientError(f"{position} was acknowledged, but can't be read after {VISIBLE_WITHIN_S:.0f} s")
            time.sleep(0.01)

    def _apply(self, record: Record) -> None:
        try:
            event = parse(record.value, record.headers)
        except BadEvent as error:
            logging.getLogger(__name__).warning("%s %d: %s", record.topic, record.offset, error)
            return
        if isinstance(event, SpecIssued):
            self.specs.setdefault(event.spec_id, event)
        elif isinstance(event, SpecRetired):
            self.retired.add(event.spec_id)
        elif isinstance(event, JudgeWithdrawn):
            self.withdrawn.setdefault(event.checkpoint_id, event.reason)
        elif isinstance(event, CheckpointRegistered):
            self._registered.setdefault(event.checkpoint_id, []).append(event)
        else:
            self._jobs.apply(event, record.appended_at)

    def _counts(self, event: CheckpointRegistered) -> bool:
        if event.job_id is None:
            return True
        job = self._jobs.states.get(event.job_id)
        return job is not None and job.status == "completed" and job.epoch == event.epoch
