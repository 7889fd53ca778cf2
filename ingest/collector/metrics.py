"""What Prometheus sees of the collector. Labels have few values: no ids, no keys, no paths that a sender made up.

Each collector has a registry of its own, so that two in one process count apart.
"""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from ingest.collector.answers import EventAnswer

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
BUCKETS = (1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000)


class Metrics:
    """Counters, and how they are shown."""

    def __init__(self) -> None:
        registry = self._registry = CollectorRegistry()
        self.events = Counter(
            "flywheel_collector_events",
            "Events by type and by what became of them. A body that was turned away counts as one refused event.",
            ["type", "state"],
            registry=registry,
        )
        self.requests = Counter("flywheel_collector_requests", "Requests.", ["endpoint", "status"], registry=registry)
        self.seconds = Histogram(
            "flywheel_collector_request_seconds",
            "From the first byte of a request to its answer.",
            ["endpoint"],
            buckets=SECONDS,
            registry=registry,
        )
        self.body_bytes = Counter(
            "flywheel_collector_body_bytes", "Bytes of bodies, unpacked.", ["endpoint"], registry=registry
        )
        self.waiting_events = Gauge(
            "flywheel_collector_waiting_events", "Events that wait for the log's acknowledgement.", registry=registry
        )
        self.waiting_bytes = Gauge("flywheel_collector_waiting_bytes", "Their bytes.", registry=registry)
        self.held_bytes = Gauge("flywheel_collector_held_bytes", "Bytes of bodies in memory.", registry=registry)
        self.append_seconds = Histogram(
            "flywheel_collector_append_seconds",
            "How long the log took to acknowledge a group.",
            buckets=SECONDS,
            registry=registry,
        )
        self.append_events = Histogram(
            "flywheel_collector_append_events", "Events of a group.", buckets=BUCKETS, registry=registry
        )

    def appended(self, events: int, seconds: float) -> None:
        """An append ended."""
        self.append_seconds.observe(seconds)
        self.append_events.observe(events)

    def answered(self, types: list[str], answers: list[EventAnswer]) -> None:
        """A request's events have an answer; `types` is the type of each answer's event."""
        counts: dict[tuple[str, str], int] = {}
        for type_, answer in zip(types, answers, strict=True):
            counts[type_, answer.state] = counts.get((type_, answer.state), 0) + 1
        for labels, count in counts.items():
            self.events.labels(*labels).inc(count)

    def turned(self) -> None:
        """A body was turned away whole."""
        self.events.labels("unknown", "refused").inc()

    def text(self) -> bytes:
        """All of it, in Prometheus's text format."""
        return generate_latest(self._registry)
