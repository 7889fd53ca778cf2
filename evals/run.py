"""One eval of one checkpoint while it runs: which attempts are open, what is kept of those that are over.

An attempt's events are saved with the progress before they are appended, so that whoever goes on from there appends
them again and asks for nothing twice: only what was under way when a worker died is asked again.
"""

from collections.abc import Iterable, Iterator, Sequence

from evals.outcome import Outcome, missing
from evals.progress import Progress, load
from evals.results import completed_event, scored_event
from evals.sample_cluster import cluster_of
from ingest.jobs.attempt import Attempt
from ingest.jobs.samples import Sample
from models.events import AnyEvent, dump, parse
from models.events.job import Phase


class EvalRun:
    """`trials` attempts at each of `samples`; begins with what an earlier epoch has saved."""

    def __init__(
        self,
        attempt: Attempt,
        checkpoint_id: str,
        scorer: str,
        samples: Sequence[Sample],
        *,
        trials: int = 1,
        phase: Phase = "score",
        max_usd: float | None = None,
    ) -> None:
        self.attempt, self.checkpoint_id, self.samples = attempt, checkpoint_id, samples
        self._phase: Phase = phase
        self._scorer, self._max_usd = scorer, max_usd
        self._clusters = {
            sample.sample_id: cluster for sample in samples if (cluster := cluster_of(sample)) is not None
        }
        state = attempt.state
        self._unsent: list[AnyEvent] = []
        """Saved, and not appended yet."""
        self.progress = load(state.content, len(samples), trials) if state else Progress(len(samples), trials)
        if self.progress.last:
            attempt.emit([parse(event.encode()) for event in self.progress.last])
        self.beat()

    def sample(self, number: int) -> Sample:
        """What attempt `number` is at."""
        return self.samples[number % len(self.samples)]

    def trial(self, number: int) -> int:
        """Which attempt at its sample it is, from 0."""
        return number // len(self.samples)

    @property
    def spent(self) -> bool:
        """Whether the money that it may cost is used up."""
        return self._max_usd is not None and (self.progress.usd or 0.0) >= self._max_usd - 1e-9

    def affordable(self) -> Iterator[int]:
        """The open attempts, as long as there is money for another."""
        for number in list(self.progress.open()):
            if self.spent:
                return
            yield number

    def beat(self) -> None:
        """Say how far it is."""
        progress = self.progress
        self.attempt.beat(progress.done, self._phase, total=len(progress.marks), usd=progress.usd)

    def keep(self, finished: Iterable[tuple[int, Outcome]]) -> None:
        """These attempts are over: saves, then appends."""
        events: list[AnyEvent] = []
        for number, outcome in finished:
            self.progress.add(number, outcome)
            if outcome.score is None and outcome.fault is None:
                continue
            sample = self.sample(number)
            events += outcome.beside
            events.append(
                scored_event(
                    self.attempt, self.checkpoint_id, self._scorer, sample, outcome, trial=self.trial(number),
                    cluster=self._clusters.get(sample.sample_id),
                )
            )  # fmt: skip
        self._unsent += events
        self.progress.last = [dump(event).decode() for event in self._unsent]
        self.attempt.save(self.progress.done, self.progress.dump())
        self.attempt.emit(self._unsent)
        self._unsent = []
        self.beat()

    def complete(self, metric: str) -> None:
        """All attempts are over but those that nobody could pay; appends the metric."""
        left = list(self.progress.open())
        if left:
            reason = f"not asked: {self._max_usd} US dollars were used up"
            self.keep([(number, missing("budget", reason)) for number in left])
        self.attempt.emit(
            [
                completed_event(
                    self.attempt, self.checkpoint_id, metric, progress=self.progress, samples=self.samples,
                    clusters=self._clusters,
                )
            ]
        )  # fmt: skip
