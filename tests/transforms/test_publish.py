"""What `specs publish` appends: nothing twice, nothing out of a build that lags, nothing without samples."""

from collections.abc import Iterator
from typing import Any

import duckdb
import pytest

from ingest.home import Home
from ingest.log import EventLog, open_log, publish
from models.specs import DataRef, EvalSpec, ScorerSpec
from transforms.specs.candidates import wishes
from transforms.specs.publish import issue, publish_specs


@pytest.fixture(scope="module")
def log(sampled: Any) -> Iterator[EventLog]:
    with open_log(None, sampled.home.path) as log:
        yield log


def test_publishing_twice_appends_nothing(sampled: Any, log: EventLog) -> None:
    assert publish_specs(sampled.home, log, ()).issued >= 2
    assert publish_specs(sampled.home, log, ()) == (0, 0)


def test_a_missing_set_is_written_again(sampled: Any, log: EventLog) -> None:
    lost = min(sampled.home.sets.glob("*.parquet"))
    content = lost.read_bytes()
    lost.unlink()
    assert publish_specs(sampled.home, log, ()) == (0, 0)
    assert lost.read_bytes() == content


def test_a_build_that_lags_behind_the_issued_specs_issues_nothing(
    sampled: Any, new_lab: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """The build is the sample's; its log has a spec that no build has seen."""
    behind = new_lab("behind")
    behind.home.warehouse.symlink_to(sampled.home.warehouse.resolve())
    foreign = EvalSpec(
        key="eval:elsewhere:judge", evidence=("app|1",), data=DataRef(sha256="0" * 64, rows=1), query="q", taxonomy="t",
        role="judge", scorer=ScorerSpec(name="negative_feedback", args={}),
    )  # fmt: skip
    with open_log(None, behind.home.path) as log:
        publish(log, [issue(foreign, 1)])
        assert publish_specs(behind.home, log, ()).issued == 0
        assert "the published build does not know of 1 that were issued" in caplog.text
        assert list(behind.home.sets.glob("*.parquet")) == []


def test_a_spec_without_samples_is_no_candidate(sampled: Any, new_lab: Any) -> None:
    home: Home = new_lab("empty").home
    file = home.path / "no-samples.duckdb"
    file.write_bytes(sampled.home.warehouse.read_bytes())
    with duckdb.connect(file) as connection:
        connection.execute("delete from sync_spec_samples where spec_key = 'train:all:judge'")
    home.warehouse.symlink_to(file)
    keys = {candidate.spec.key for candidate in wishes(home).candidates}
    assert "eval:all:judge" in keys
    assert "train:all:judge" not in keys
