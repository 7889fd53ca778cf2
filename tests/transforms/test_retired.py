"""A spec that was retired: nothing is queued for it, no job of it runs, and its key waits for the next revision."""

from pathlib import Path

import pytest

from ingest.home import Home
from ingest.jobs.board import Board
from ingest.jobs.queue import queue
from ingest.jobs.worker import serve
from ingest.log import open_log, publish
from models.events.spec import SpecRetired
from models.specs import DataRef, JudgingSpec
from transforms.specs.publish import issue, wanted
from transforms.specs.revision import next_revision


def spec(evidence: tuple[str, ...]) -> JudgingSpec:
    return JudgingSpec(
        key="judge:j",
        evidence=evidence,
        data=DataRef(sha256=f"{len(evidence)}" * 64, rows=len(evidence)),
        query="q",
        taxonomy="t",
        checkpoint_id="j",
        metric="m",
    )


def test_a_retired_spec_waits_for_a_revision_and_its_jobs_say_why_they_do_not_run(tmp_path: Path):
    home, first = Home.open(tmp_path / "home"), spec(("a|1", "a|2"))
    with open_log(None, home.path) as log:
        publish(log, [issue(first, 1)])
        job = queue(log, "judge", first.spec_id(), "j")
        publish(log, [SpecRetired(id="r", source="t", spec_id=first.spec_id(), reason="gone")])
        board = Board(log)
        board.refresh()
        assert wanted(board, lease_s=90) == []

        last = board.specs[first.spec_id()]
        fewer = spec(("a|1",))
        assert next_revision(fewer, last, has_result=False) is None
        assert next_revision(fewer, last, has_result=False, retired=True) == 2
        assert next_revision(first, last, has_result=True, retired=True) is None

        def run(attempt: object) -> None:
            pytest.fail(f"it ran on {attempt.issued}")  # pyright: ignore

        served = serve(log, home, {"judge": run}, once=True)
        assert (served.completed, served.failed) == (0, 1)
        board.refresh()
        assert "was retired" in str(board.job(job).reason)
        publish(log, [issue(fewer, 2)])
        board.refresh()
        assert [event.spec_id for event in wanted(board, lease_s=90)] == [fewer.spec_id()]
