"""What `specs publish` appends: nothing twice, nothing out of a build that lags, nothing without samples."""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import duckdb
import pytest

from evals.benchmark.draft import Purpose, add, create, purpose_of
from flywheel.benchmarks.freezing import freeze_draft
from flywheel.benchmarks.sources import of_mode
from flywheel.held_out import refusal
from ingest.home import Home
from ingest.jobs.board import Board
from ingest.jobs.samples import read_samples
from ingest.log import EventLog, open_log, publish
from ingest.reader import query
from models.errors import HeldOutData, TerminalError
from models.specs import DataRef, EvalSpec, ScorerSpec
from text.held_out import Held, HeldOut
from transforms.specs.candidates import wishes
from transforms.specs.publish import issue, publish_specs, wanted


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


@pytest.fixture
def beside(sampled: Any, new_lab: Any) -> Iterator[tuple[Home, EventLog]]:
    """A home with the sample's build and a log of its own, on which nothing is issued."""
    home: Home = new_lab("beside").home
    home.warehouse.symlink_to(sampled.home.warehouse.resolve())
    with open_log(None, home.path) as log:
        yield home, log


def test_a_training_set_with_something_held_out_is_refused_by_its_rows_and_the_rest_goes_on(
    beside: tuple[Home, EventLog],
) -> None:
    home, log = beside
    asked = (
        "select sample_id, text from sync_spec_samples where spec_key = 'train:all:judge' order by length(text) desc"
    )
    sample, text = query(home, asked).rows[0]
    index = HeldOut([Held("ours v1 x", (f"{text} ".upper(),))])

    def guard(name: str, rows: Iterable[tuple[str, Sequence[str]]]) -> None:
        if found := index.matches(rows):
            raise refusal(name, found)

    with pytest.raises(HeldOutData, match="train:all:judge is not trained on: ") as refused:
        publish_specs(home, log, (), guard=guard)
    assert f"{sample} has the same text (100%) of ours v1 x" in str(refused.value)
    board = Board(log)
    board.refresh()
    kinds = {issued.spec_key.partition(":")[0] for issued in board.specs.values()}
    assert kinds == {"eval"}, "nothing is trained on, everything else is asked for"


def test_a_benchmark_of_a_failure_mode_holds_what_no_training_has(beside: tuple[Home, EventLog]) -> None:
    home, log = beside
    counted = query(
        home,
        "select mode_id, count(distinct text) from sync_spec_samples "
        "where spec_key = 'eval:' || mode_id || ':judge' and not is_contrast group by all order by 2 desc, 1",
    ).rows
    mode = str(counted[0][0])
    create(home, Purpose(name="ours"))
    drafted = of_mode(home, purpose_of(home, "ours"), mode)
    assert add(home, "ours", drafted) == len(drafted)
    assert (purpose_of(home, "ours").scorer, purpose_of(home, "ours").args) == ("failure_mode", {"mode": mode})
    with pytest.raises(TerminalError, match="asks judges about the mode"):
        of_mode(home, purpose_of(home, "ours"), "refusals" if mode != "refusals" else "tool_use")
    with pytest.raises(TerminalError, match="there is no failure mode 'mood'; known: "):
        of_mode(home, purpose_of(home, "ours"), "mood")
    frozen = freeze_draft(home, log, "ours").version.frozen
    board = Board(log)
    board.refresh()
    issued = board.specs[str(frozen.spec_id)]
    held = read_samples(home, issued.spec.data)
    assert sorted(each.sample_id for each in held) == list(issued.spec.evidence)
    assert all(each.text for each in held)
    assert sum(each.mode_id == mode for each in held) == math.ceil(counted[0][1] / 2) < len(held), "others beside it"
    trained = query(home, "select sample_id from sync_spec_samples where spec_key = 'train:all:judge'").rows
    assert not {each.sample_id for each in held} & {str(row[0]) for row in trained}
    assert wanted(board, 90.0) == [], "nobody runs it but flywheel bench run"
    # The build after: live evals have left what is held out, and a draft still finds it.
    later = home.path / "later.duckdb"
    later.write_bytes(home.warehouse.read_bytes())
    with duckdb.connect(later) as connection:
        connection.execute(
            "delete from sync_spec_samples where sample_id in (select unnest(?))", [issued.spec.evidence]
        )
    home.warehouse.unlink()
    home.warehouse.symlink_to(later)
    assert not freeze_draft(home, log, "ours").is_new
