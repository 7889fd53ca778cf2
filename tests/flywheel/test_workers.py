"""How an eval's progress is told while it runs."""

from datetime import UTC, datetime

from flywheel.workers import Rates
from ingest.jobs.attempt import News
from ingest.jobs.fold import fold
from ingest.jobs.queue import job_queued


def going(step: int, usd: float | None = None, look: int = 1) -> News:
    queued = job_queued("eval", "spec", "small", look)
    (job,) = fold([(queued, datetime(2026, 1, 1, tzinfo=UTC))]).values()
    return News(job, "going", step, "rollout", total=100, usd=usd)


def test_rate_and_cost_are_of_the_job_at_hand_since_it_was_taken_up() -> None:
    rates = Rates()
    assert rates.said(going(40), 10.0) == []
    assert rates.said(going(60, usd=0.125), 14.0) == ["5/s", "0.1250 USD"]
    assert rates.said(going(0, look=2), 20.0) == []
    assert rates.said(going(3, look=2), 22.0) == ["1.5/s"]
