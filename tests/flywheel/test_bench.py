"""`flywheel bench` as a person uses it: a draft, a freeze, the guard, uses that are counted, and what is refused."""

import json
import os
import re
import stat
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner

from evals.benchmark.versions import Version, find, versions
from evals.tasks.folder import write
from evals.tasks.store import tasks_folder
from flywheel.benchmarks.asking import Asked, begin, decide, is_done
from flywheel.cli import cli
from flywheel.held_out import held_out_guard, index_of
from flywheel.loop import train
from ingest.erasure.derived import remove_sets, retire_specs
from ingest.erasure.requests import Request
from ingest.home import Home
from ingest.jobs.board import Board
from ingest.jobs.queue import queue
from ingest.jobs.samples import Sample
from ingest.log import EventLog, open_log, publish
from models.errors import HeldOutData, TerminalError
from models.events.benchmark import BenchmarkFrozen
from models.events.checkpoint import CheckpointRegistered
from models.events.job import JobClaimed, JobCompleted, JobKind
from models.events.result import EvalSampleScored
from models.events.spec import SpecRetired
from models.events.task import TaskCertified, TaskWithdrawn
from models.specs import EvalSpec
from tests.evals.tasks.test_folder import parts
from tests.ingest.jobs.frozen import issue, kept, training_spec
from training.judges.lexicon import BASELINE
from transforms.specs.publish import issue as issued
from transforms.specs.sets import SCHEMA, freeze, keep
from transforms.specs.tasks import sides

ROWS = [
    {
        "text": f"This answer about topic number {number} is {'useless and wrong' if number % 2 else 'great, thanks'}!",
        "is_negative": bool(number % 2),
        "cluster": f"person-{number % 20}",
    }
    for number in range(40)
]
SHA = "a" * 64
NOW = datetime(2026, 11, 3, tzinfo=UTC)
Run = Callable[..., str]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home.open(tmp_path / "home")


@pytest.fixture
def log(home: Home) -> Iterator[EventLog]:
    with open_log(None, home.path) as log:
        publish(log, [BASELINE, BASELINE.model_copy(update={"id": "twin", "checkpoint_id": "judge-twin"})])
        yield log


@pytest.fixture
def bench(home: Home, log: EventLog) -> Run:
    """Runs `flywheel bench` on the home; what it printed, or of what should fail its message."""

    def run(*arguments: str, fails: bool = False) -> str:
        result = CliRunner().invoke(cli, ["bench", *arguments, "--home", str(home.path)])
        if isinstance(result.exception, TerminalError):
            assert fails, result.exception
            return str(result.exception)
        assert (result.exit_code != 0) == fails, result.output
        return result.output

    return run


@pytest.fixture
def frozen(home: Home, log: EventLog, bench: Run, tmp_path: Path) -> Version:
    bench("create", "ours", "--scorer", "negative_feedback")
    bench("add", "ours", "--file", lines(tmp_path / "ours.jsonl", ROWS))
    bench("freeze", "ours")
    return find(log, "ours")


def lines(file: Path, rows: list[Any]) -> str:
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(file)


def set_of(home: Home, version: Version) -> Path:
    return home.sets / f"{version.frozen.sha256}.parquet"


def test_a_frozen_version_is_a_spec_with_canaries_that_nobody_else_reads(
    home: Home, log: EventLog, frozen: Version, bench: Run
) -> None:
    said = frozen.frozen
    assert (said.version, said.samples, said.clusters, said.effective) == (1, 40, 20, 20)
    board = Board(log)
    board.refresh()
    spec = board.specs[str(said.spec_id)].spec
    assert (spec.key, spec.data.sha256, spec.data.rows) == ("bench:ours:v1", said.sha256, 40)
    rows = pl.read_parquet(set_of(home, frozen))
    assert rows["canary"].unique().to_list() == [said.canary]
    assert re.fullmatch("flywheel-canary-[0-9a-f-]{36}", str(said.canary))
    for path in (set_of(home, frozen), *(home.path / "bench/ours").iterdir()):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE((home.path / "bench/ours").stat().st_mode) == 0o700
    assert "nothing is frozen" in bench("freeze", "ours")
    assert "fresh" in bench("list")


def test_the_next_version_is_another_and_the_first_stays(
    home: Home, log: EventLog, frozen: Version, bench: Run, tmp_path: Path
) -> None:
    content = set_of(home, frozen).read_bytes()
    more = [{"text": "Something that nobody has asked before, with its own words.", "is_negative": True}]
    assert "1 samples added, 41 in the draft" in bench("add", "ours", "--file", lines(tmp_path / "more.jsonl", more))
    assert "0 samples added" in bench("add", "ours", "--file", str(tmp_path / "more.jsonl"))
    bench("run", "ours", "--checkpoint", "judge-twin")
    bench("freeze", "ours", "--replaces", "1")
    first, second = versions(log)
    assert (second.frozen.version, second.frozen.samples, second.frozen.replaces) == (2, 1, 1), "what is fresh"
    assert (second.frozen.shares, second.asked.looks) == ((), 0)
    assert second.frozen.canary != first.frozen.canary
    bench("freeze", "ours")
    *_, third = versions(log)
    assert (third.frozen.version, third.frozen.samples, third.frozen.shares) == (3, 41, (1, 2))
    assert third.asked.looks == 1, "what was told of its samples counts"
    said = bench("freeze", "ours", "--replaces", "2", fails=True)
    assert "no sample of ours is fresh: all 41 were in a version" in said
    assert set_of(home, first).read_bytes() == content
    assert "no version 7" in bench("freeze", "ours", "--replaces", "7", fails=True)


def test_a_version_that_was_changed_is_refused_with_its_file_and_both_digests(
    home: Home, log: EventLog, frozen: Version, bench: Run, tmp_path: Path
) -> None:
    file = set_of(home, frozen)
    pl.read_parquet(file).head(39).write_parquet(file)
    train_file = lines(tmp_path / "train.jsonl", [{"text": "hello"}])
    for words in (("show", "ours"), ("run", "ours", "--checkpoint", "judge-twin"), ("guard", train_file)):
        said = bench(*words, fails=True)
        assert "was changed after it was frozen" in said
        assert str(file) in said and frozen.frozen.sha256 in said
        assert len(re.findall("[0-9a-f]{64}", said.replace(str(file), ""))) == 2
    assert find(log, "ours").uses == (), "nothing was asked"
    file.unlink()
    assert "is gone" in bench("show", "ours", fails=True)
    assert "is gone" in bench("guard", train_file, fails=True), "what can't be compared with can't be ruled out"
    assert "just what the draft does" in bench("freeze", "ours")
    assert "as it was frozen" in bench("show", "ours"), "it was made again, to the byte"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    file.unlink()
    bench("retire", "ours", "--version", "1", "--reason", "its file is lost")
    assert "nothing to compare with" in bench("guard", train_file)
    assert "no longer stands: its file is lost" in bench("run", "ours", "--checkpoint", "judge-twin", fails=True)


def test_looks_and_decisions_are_counted_before_they_are_answered(
    home: Home, log: EventLog, frozen: Version, bench: Run
) -> None:
    said = bench("run", "ours", "--checkpoint", BASELINE.checkpoint_id)
    told = re.search(r"about (\d+)% on 40 samples; between (\d+) and (\d+)%", said)
    assert told, said
    value, low, high = map(int, told.groups())
    assert value % 5 == 0 and low <= value <= high
    said = bench("run", "ours", "--checkpoint", "judge-twin", "--against", BASELINE.checkpoint_id)
    assert f"judge-twin is not shown to be better than {BASELINE.checkpoint_id}" in said
    aside = CliRunner().invoke(cli, ["evals", "run", "bench:ours:v1", "--home", str(home.path)])
    assert "use flywheel bench run" in str(aside.exception)
    look, decision = find(log, "ours").uses
    assert (look.purpose, look.better) == ("look", None)
    assert (decision.purpose, decision.better, decision.checkpoint_id) == ("decision", False, "judge-twin")
    facts = json.loads(bench("show", "ours", "--json"))
    assert (facts["uses"], facts["state"]) == (2, "in use")
    assert facts["first_width"] < facts["width"] < 1
    for _ in range(3):
        bench("run", "ours", "--checkpoint", BASELINE.checkpoint_id)
    said = bench("show", "ours")
    assert "It is worn" in said and "--replaces 1" in said
    assert json.loads(bench("list", "--json"))[0]["state"] == "worn"


def test_a_use_that_was_killed_before_its_answer_goes_on_and_counts_once(
    home: Home, log: EventLog, frozen: Version
) -> None:
    first = begin(home, log, frozen, "judge-twin", None)
    again = begin(home, log, find(log, "ours"), "judge-twin", None)
    assert first == again
    assert len(find(log, "ours").uses) == 1
    assert not is_done(log, first)
    with pytest.raises(TerminalError, match="no judge checkpoint 'nobody'; known: judge-"):
        begin(home, log, frozen, "nobody", None)
    with pytest.raises(TerminalError, match="can't be better than itself"):
        begin(home, log, frozen, "judge-twin", "judge-twin")


def answered(
    log: EventLog, version: Version, checkpoint: str, right: Callable[[str], bool], kind: JobKind = "eval"
) -> str:
    """A job of the version that has completed, with a score for each sample."""
    spec_id = str(version.frozen.spec_id)
    job_id = queue(log, kind, spec_id, checkpoint)
    board = Board(log)
    board.refresh()
    publish(
        log,
        [
            JobClaimed(id=f"claim-{checkpoint}", source="t", job_id=job_id, epoch=1, owner="w"),
            *(
                EvalSampleScored(
                    id=f"{checkpoint}-{sample}", source="t", spec_id=spec_id, checkpoint_id=checkpoint, job_id=job_id,
                    epoch=1, sample_id=sample, scorer="negative_feedback", score=float(right(sample)),
                )
                for sample in board.specs[spec_id].spec.evidence
            ),
            JobCompleted(id=f"done-{checkpoint}", source="t", job_id=job_id, epoch=1, owner="w"),
        ],
    )  # fmt: skip
    return job_id


def test_a_decision_needs_more_the_more_was_asked(home: Home, log: EventLog, frozen: Version) -> None:
    ours, theirs = answered(log, frozen, "good", lambda _: True), answered(log, frozen, "bad", lambda _: False)
    asked = Asked(ours, theirs, False)
    assert decide(home, log, frozen, asked, "good"), "20 clusters of 20"
    assert find(log, "ours").uses[0].better is True
    looked = tuple(
        find(log, "ours").uses[0].model_copy(update={"job_id": f"j{number}", "purpose": "look"}) for number in range(4)
    )
    assert not decide(home, log, frozen._replace(uses=looked), asked, "good"), "after four looks 20 clusters are few"


def test_the_guard_names_rows_of_every_kind_of_file(home: Home, frozen: Version, bench: Run, tmp_path: Path) -> None:
    text = str(ROWS[3]["text"])
    chat = [{"messages": [{"role": "user", "content": "hello there"}]}, {"messages": [{"content": text.upper()}]}]
    pl.DataFrame({"id": [1, 2], "text": ["fine", f"{text} "]}).write_parquet(tmp_path / "a.parquet")
    pl.DataFrame({"text": ["fine", text.replace("number", "numbr")]}).write_csv(tmp_path / "b.csv")
    (tmp_path / "c.txt").write_text(f"fine\n\n{frozen.frozen.canary}\n")
    (tmp_path / "d.json").write_text(json.dumps([{"deep": {"er": [1, None, text]}}]))
    files = [lines(tmp_path / "chat.jsonl", chat), *(str(tmp_path / name) for name in ("a.parquet", "b.csv", "c.txt"))]
    said = bench("guard", *files, str(tmp_path / "d.json"), "--json", fails=True)
    found = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
    assert [(each["row"], each["kind"]) for each in found] == [
        ("chat.jsonl:2", "exact"), ("a.parquet:2", "exact"), ("b.csv:2", "near"), ("c.txt:3", "canary"),
        ("d.json:1", "exact"),
    ]  # fmt: skip
    assert "0 rows" in bench("guard", lines(tmp_path / "honest.jsonl", [{"text": "We like the new pages."}]))
    (tmp_path / "bad.jsonl").write_text('{"text": "fine"}\n{"text": \n')
    assert "bad.jsonl, line 2: no JSON" in bench("guard", str(tmp_path / "bad.jsonl"), fails=True)


def test_no_training_starts_on_what_is_held_out(home: Home, log: EventLog, frozen: Version) -> None:
    samples = [
        Sample("app|fine", text="We like the new pages.", is_negative=False),
        Sample("app|seen", text=f"  {str(ROWS[5]['text']).upper()}", is_negative=True),
    ]
    queue(log, "train", issue(log, training_spec(kept(home, samples), {})))
    with pytest.raises(HeldOutData, match=r"app\|seen has the same text \(100%\) of ours v1 flywheel/bench/ours\|"):
        held_out_guard(home, log)("train", ((each.sample_id, each.texts) for each in samples))
    served = train(home, log, lambda _: None, once=True)
    assert (served.completed, served.failed) == (0, 1)
    board = Board(log)
    board.refresh()
    (job,) = board.jobs.values()
    assert job.status == "failed"
    assert "1 of its rows hold something of a private benchmark: app|seen" in str(job.reason)


def test_a_freeze_is_refused_where_training_has_its_samples_or_leaves_them_out(
    home: Home, log: EventLog, bench: Run, tmp_path: Path
) -> None:
    spec_id = issue(log, training_spec(kept(home, [Sample("app|1", text=str(ROWS[0]["text"]), is_negative=False)]), {}))
    bench("create", "ours", "--scorer", "negative_feedback")
    bench("add", "ours", "--file", lines(tmp_path / "ours.jsonl", ROWS))
    assert "train:all:judge app|1 has the same text (100%)" in bench("freeze", "ours", fails=True)
    assert versions(log) == []
    assert "39 samples" in bench("freeze", "ours", "--leave-out-seen")
    publish(log, [SpecRetired(id="gone", source="t", spec_id=spec_id, reason="erased")])
    assert "40 samples" in bench("freeze", "ours"), "what is trained on no more is no hindrance"


def test_what_a_benchmark_can_t_be_made_of(home: Home, bench: Run, tmp_path: Path) -> None:
    assert "known: concise, failure_mode" in bench("create", "x", "--scorer", "judje", fails=True).replace(
        "behaviour, ", ""
    )
    assert "can't name a benchmark" in bench("create", "../x", fails=True)
    bench("create", "x")
    assert "there is a benchmark x already" in bench("create", "x", fails=True)
    assert "known: x" in bench("add", "y", "--task", "t", fails=True)
    assert "what is to be added?" in bench("add", "x", fails=True)
    assert "holds nothing to freeze" in bench("freeze", "x", fails=True)
    assert "is not frozen" in bench("run", "x", "--checkpoint", "c", fails=True)
    assert "which scorer?" in bench("add", "x", "--file", lines(tmp_path / "a", [{"prompt": "p"}]), fails=True)
    assert "unknown field 'promt'; known: " in bench(
        "add", "x", "--file", lines(tmp_path / "b", [{"promt": "p"}]), fails=True
    )
    assert "line 1: no text" in bench("add", "x", "--file", lines(tmp_path / "c", [{"prompt": " "}]), fails=True)
    assert "line 2: no JSON object, but int" in bench(
        "add", "x", "--file", lines(tmp_path / "d", [{"prompt": "p"}, 7]), fails=True
    )
    assert "no task 't' stands" in bench("add", "x", "--task", "t", fails=True)
    assert "--arg 'words' says no value" in bench("create", "z", "--arg", "words", fails=True)
    (home.path / "bench/x/draft.jsonl").write_text("nonsense\n")
    assert "draft.jsonl, line 1" in bench("freeze", "x", fails=True)


def certified(package: str, task_id: str) -> TaskCertified:
    return TaskCertified(
        id=f"c-{package}", source="flywheel", task_id=task_id, package=package, version="1", kind="function",
        units=(f"{package}:f",), lines=1, files=1, difficulty=0.1, fail_to_pass=1, pass_to_pass=1, hidden=3, mutants=2,
        mutants_killed=2, tree_sha256=SHA, tests_sha256=SHA, gold_sha256=SHA, hidden_sha256=SHA, signature="s",
    )  # fmt: skip


def test_tasks_are_held_out_by_their_side_and_attempted_by_whoever_serves(
    home: Home, log: EventLog, bench: Run
) -> None:
    whole = parts("Write `f`, which adds one to what it is given, and nothing else than that.")
    task_id = write(tasks_folder(home), whole).name
    of_side = {bool(sides([each])[0]): each for each in (certified(f"p{number}", task_id) for number in range(20))}
    publish(log, [of_side[False]])
    bench("create", "hard")
    assert "is on the side of training" in bench("add", "hard", "--task", task_id, fails=True)
    publish(log, [TaskWithdrawn(id="w", source="flywheel", task_id=task_id, reason="again"), of_side[True]])
    assert "1 samples added" in bench("add", "hard", "--task", task_id)
    assert "is of tasks" in bench("add", "hard", "--file", os.devnull, fails=True)
    bench("freeze", "hard")
    version = find(log, "hard")
    (row,) = pl.read_parquet(set_of(home, version)).iter_rows(named=True)
    assert (row["target_id"], row["prompt"]) == (task_id, whole.task.instructions)
    agent = CheckpointRegistered(id="a", source="t", checkpoint_id="agent-1", role="policy", method="served")
    publish(log, [agent])
    assert "flywheel tasks serve --once --agent COMMAND, then this again" in bench(
        "run", "hard", "--checkpoint", "agent-1"
    )
    answered(log, version, "agent-1", lambda _: True, kind="attempt")
    assert "agent-1: about 100% on 1 samples" in bench("run", "hard", "--checkpoint", "agent-1")
    (use,) = find(log, "hard").uses
    assert use.checkpoint_id == "agent-1"


def test_a_version_ends_where_a_person_of_its_samples_is_erased(home: Home, log: EventLog, bench: Run) -> None:
    data, content = freeze(
        pl.DataFrame([{"sample_id": "app|said", "text": "My own words."}], schema=SCHEMA), canary="flywheel-canary-1"
    )
    keep(home, data, content, mode=0o600)
    spec = EvalSpec.model_validate(
        {"key": "bench:theirs:v1", "evidence": ("app|said",), "data": data, "query": "bench", "taxonomy": "bench",
         "role": "judge", "scorer": {"name": "negative_feedback", "args": {}}}
    )  # fmt: skip
    frozen = BenchmarkFrozen(
        id="f", source="t", benchmark="theirs", version=1, samples=1, clusters=1, sha256=data.sha256,
        spec_id=spec.spec_id(),
    )  # fmt: skip
    publish(log, [issued(spec, 1), frozen])
    keys = {"app|said": "flywheel/erase|e1"}
    assert remove_sets(home, keys, [Request("flywheel/erase", "e1", "p", NOW)]) == [data.sha256]
    retire_specs(log, keys)
    assert find(log, "theirs").retired
    assert index_of(home, log) is None, "what is gone holds nothing up"
    assert "no longer stands: a part of its data was erased" in bench(
        "run", "theirs", "--checkpoint", "judge-twin", fails=True
    )
