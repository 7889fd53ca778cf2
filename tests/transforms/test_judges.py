"""Judges beside people, and benchmarks beside their uses, from their events: one lake, built once."""

import gzip
import json
import random
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from evals.behaviours.rubric import Check, grade
from flywheel.judges import against, check, gating_judge
from flywheel.rubric_judge import GatingRubricJudge
from ingest.home import Home
from ingest.importers.base import Context
from ingest.importers.llmbar import events as llmbar_events
from ingest.jobs.board import Board
from ingest.jobs.queue import job_queued
from ingest.log import open_log, publish
from ingest.reader import query
from models.errors import TerminalError
from models.events import AnyEvent
from models.events.benchmark import BenchmarkFrozen, BenchmarkUsed
from models.events.checkpoint import CheckpointRegistered, JudgeWithdrawn
from models.events.comment import CommentLeft
from models.events.job import JobClaimed, JobCompleted
from models.events.preference import PreferenceGiven
from models.events.response import ResponseServed
from models.events.result import EvalCompleted, EvalSampleScored
from models.events.score import ScoreGiven
from models.events.spec import EvalSpecIssued, SpecRetired
from models.events.thumb import ThumbGiven
from models.feedback import Author, Target
from models.specs import DataRef, EvalSpec, ScorerSpec
from tests.evals.answering import answering, said
from tests.transforms.conftest import NOON
from transforms.build import BuildPolicy, build

LLMBAR = Path(__file__).parents[3] / "shared/data/llmbar_prefs/llmbar.jsonl.gz"
SHA = "a" * 64
RNG = random.Random(4)


def answer(judge: str, number: int, *, bad: bool, kind: Any = "llm", version: str | None = "v1") -> ScoreGiven:
    return ScoreGiven(
        id=f"{judge}-{number}-{version}", source="app", target=Target(kind="response", id=f"r{number}"),
        author=Author(kind=kind, id=judge), metric="helpfulness", data_type="numeric", value=1.0 if bad else 5.0,
        scale_min=1, scale_max=5, judge_version=version,
    )  # fmt: skip


def thumb(number: int, *, down: bool, author: str = "ann") -> ThumbGiven:
    return ThumbGiven(
        id=f"thumb-{number}-{author}", source="app", target=Target(kind="response", id=f"r{number}"),
        author=Author(kind="human", id=author), thumb="down" if down else "up",
    )  # fmt: skip


def scores(judge: str, of: int, right: Callable[[int], float], **more: Any) -> list[AnyEvent]:
    """What `judge` says of the first targets: right with the chance that `right` says by their number."""
    return [
        answer(judge, number, bad=(number % 3 == 0) == (RNG.random() < right(number)), **more) for number in range(of)
    ]


def compared(judge: str, first: str, second: str, choice: Any, kind: Any) -> PreferenceGiven:
    return PreferenceGiven(
        id=f"{judge}-{first}-{second}", source="app", first=Target(kind="response", id=first),
        second=Target(kind="response", id=second), author=Author(kind=kind, id=judge), choice=choice,
        metric="instruction_following", judge_version="7",
    )  # fmt: skip


def pairs() -> list[AnyEvent]:
    """LLMBar's pairs with what people chose; one judge prefers the longer output, one whatever stands first."""
    found: list[AnyEvent] = []
    with gzip.open(LLMBAR, "rt") as lines:
        for line in lines:
            row = llmbar_events(json.loads(line), Context({}))
            found += row
            one, other = (event for event in row if isinstance(event, ResponseServed))
            longer = len(one.completion or "") > len(other.completion or "")
            a, b = one.response_id, other.response_id
            found += [
                compared("longer", a, b, "first" if longer else "second", "code"),
                compared("longer", b, a, "second" if longer else "first", "code"),
                compared("place", a, b, "first", "llm"),
                compared("place", b, a, "first", "llm"),
            ]
    return found


def evaluated(judge: str, right: float) -> list[AnyEvent]:
    """An own judge, registered, and evaluated on the comments that `written` gives."""
    job = job_queued("eval", "spec-1", judge)
    samples = [
        EvalSampleScored(
            id=f"{judge}-s{number}",
            source="flywheel/worker/eval",
            spec_id="spec-1",
            checkpoint_id=judge,
            job_id=job.job_id,
            epoch=1,
            sample_id=f"app|comment-{number}",
            scorer="negative_feedback",
            score=0.0,
            answer=f"{0.9 if number % 2 else 0.2:.3f}",
        )
        for number in range(220)
    ]
    return [
        CheckpointRegistered(
            id=f"reg-{judge}", source="t", checkpoint_id=judge, role="judge", method="judge", artifact_sha256=SHA
        ),
        job,
        JobClaimed(id=f"claim-{judge}", source="t", job_id=job.job_id, epoch=1, owner="w"),
        *samples,
        EvalCompleted(
            id=f"done-{judge}", source="t", spec_id="spec-1", checkpoint_id=judge, job_id=job.job_id, epoch=1,
            metric="accuracy", value=right, low=right - 0.05, high=right + 0.05, samples=220, scored=220, errored=0,
        ),
        JobCompleted(id=f"completed-{judge}", source="t", job_id=job.job_id, epoch=1, owner="w"),
    ]  # fmt: skip


def written() -> list[AnyEvent]:
    """Comments with the vote of their author: those of even numbers are not satisfied."""
    found: list[AnyEvent] = []
    for number in range(220):
        target, author = Target(kind="response", id=f"c{number}"), Author(kind="human", id=f"p{number}")
        found += [
            CommentLeft(id=f"comment-{number}", source="app", target=target, author=author, text=f"Comment {number}"),
            ThumbGiven(
                id=f"vote-{number}", source="app", target=target, author=author, thumb="up" if number % 2 else "down"
            ),
        ]
    return found


def used(name: str, **more: Any) -> BenchmarkUsed:
    said: dict[str, Any] = {"checkpoint_id": "p1", "purpose": "decision", **more}
    return BenchmarkUsed(id=name, source="flywheel/bench", benchmark="ours", version=1, **said)


@pytest.fixture(scope="module")
def judged(new_lab: Callable[[str], Any]) -> Any:
    lab = new_lab("judged")
    spec = EvalSpec(
        key="eval:all:judge", evidence=("app|comment-0",), data=DataRef(sha256=SHA, rows=220), query="q", taxonomy="t",
        role="judge", scorer=ScorerSpec(name="negative_feedback", args={}),
    )  # fmt: skip
    frozen: dict[str, Any] = {"samples": 200, "clusters": 200, "sha256": SHA, "source": "t", "benchmark": "ours"}
    lab.land(
        *(ResponseServed(id=f"s{number}", source="app", response_id=f"r{number}") for number in range(420)),
        *(thumb(number, down=number % 3 == 0) for number in range(230)),
        thumb(402, down=False, author="bob"),  # people disagree: no label
        *scores("steady", 420, lambda _: 0.95),
        *scores("drifts", 420, lambda number: 0.95 if number < 230 else 0.55),
        *scores("contrary", 300, lambda _: 0.5),
        *scores("young", 87, lambda _: 1.0),
        *scores("steady", 20, lambda _: 1.0, version="v2"),
        EvalSpecIssued(id="spec-1", source="t", spec_id="spec-1", spec_key=spec.key, revision=1, spec=spec),
        *(
            EvalSpecIssued(
                id=f"bench-{name}", source="t", spec_id=f"bench-{name}", spec_key=f"bench:{name}:v1", revision=1,
                spec=spec.model_copy(update={"key": f"bench:{name}:v1", "evidence": evidence}),
            )
            for name, evidence in (("ours", ("app|comment-1", "app|comment-3")), ("ended", ("app|comment-5",)))
        ),
        SpecRetired(id="gone", source="t", spec_id="bench-ended", reason="lost"),
        *written(),
        *evaluated("judge-a", 0.9), *evaluated("judge-b", 0.93),
        JudgeWithdrawn(id="w", source="t", checkpoint_id="judge-b", reason="it flatters"),
        EvalSampleScored(
            id="gated", source="t", spec_id="spec-9", checkpoint_id="p1", job_id="j", epoch=1, sample_id="x",
            scorer="behaviour", score=1.0, judge_id="young", judge_version="v1",
        ),
        BenchmarkFrozen(id="f1", version=1, **frozen), BenchmarkFrozen(id="f2", version=2, replaces=1, **frozen),
        used("u1", job_id="j1"), used("u1-answered", job_id="j1", better=True), used("u2", job_id="j2"),
        used("u3", purpose="look", job_id="j3"), used("u4", purpose="look"),
    )  # fmt: skip
    lab.land(*(thumb(number, down=number % 3 == 0) for number in range(230, 420)), at=NOON + timedelta(hours=1))
    if LLMBAR.exists():
        lab.land(*pairs(), at=NOON + timedelta(hours=1))
    build(lab.home, policy=BuildPolicy(tested=True, embed=False))
    return lab


def row_of(lab: Any, judge: str, version: str = "v1") -> dict[str, Any]:
    statement = "select * from fct_judge_calibration where judge_id = ? and judge_version = ?"
    found = query(lab.home, statement, [judge, version])
    (row,) = found.rows
    return dict(zip(found.columns, row, strict=True))


def test_a_judge_that_people_agree_with_may_gate(judged: Any) -> None:
    row = row_of(judged, "steady")
    assert (row["labels"], row["watched_labels"], row["metric"], row["kind"]) == (419, 219, "helpfulness", "target")
    assert 0.8 < row["kappa_low"] < row["kappa"] < row["kappa_high"] < 0.97
    assert (row["may_gate"], row["reason"], row["drifted_at"]) == (True, "may gate", None)
    assert row["corrected_low"] < row["corrected_rate"] < row["corrected_high"]
    assert row["corrected_low"] < 1 / 3 < row["corrected_high"], "a third is bad, whatever it calls so"


def test_too_few_labels_don_t_let_it_gate_and_versions_are_apart(judged: Any) -> None:
    assert row_of(judged, "young")["reason"] == "87 of 200 human labels"
    assert row_of(judged, "steady", "v2")["reason"] == "20 of 200 human labels"
    assert not row_of(judged, "young")["may_gate"]


def test_drift_and_disagreement_show(judged: Any) -> None:
    drifts, contrary = row_of(judged, "drifts"), row_of(judged, "contrary")
    assert drifts["drifted_at"] is not None
    assert drifts["reason"].startswith("drifted: right of")
    assert drifts["recent_accuracy"] < 0.75
    assert contrary["reason"].startswith("kappa")
    assert not (drifts["may_gate"] or contrary["may_gate"])


def test_own_judges_are_held_against_the_votes_of_those_who_wrote(judged: Any) -> None:
    row = row_of(judged, "judge-a", SHA[:12])
    assert (row["labels"], row["is_ours"], row["metric"]) == (220, True, "judge/negative")
    says_yes = [number for number in range(220) if number % 2]
    truth = sum(1 for number in says_yes if number % 2 == 0)
    assert truth == 0, "it calls those dissatisfied who are not"
    assert row["accuracy"] == 0.0
    assert row["brier"] == pytest.approx((0.9**2 + 0.8**2) / 2)
    bins = judged.ask(
        "select bin, labels, mean_probability, observed_share from fct_judge_calibration_bins "
        "where judge_id = 'judge-a' order by bin"
    )
    assert bins == [(2, 110, 0.2, 1.0), (9, 110, 0.9, 0.0)]


def test_a_withdrawn_judge_is_not_asked(judged: Any) -> None:
    row = row_of(judged, "judge-b", SHA[:12])
    assert (row["may_gate"], row["reason"]) == (False, "withdrawn: it flatters")
    assert row["withdrawn_at"] is not None
    assert judged.ask("select checkpoint_id from int_best_judge") == [("judge-a",)]


def test_check_withdraws_once_and_leaves_those_alone_that_only_lack_labels(judged: Any) -> None:
    with open_log(None, judged.home.path) as log:
        told = check(judged.home, log, dry_run=True)
        assert not any(each.is_withdrawn for each in told)
        found = {each.judge_id for each in check(judged.home, log)}
        assert found >= {"drifts", "contrary", "young", "judge-a"}, "young had a say in a sample"
        assert not found & {"steady", "judge-b"}
        assert check(judged.home, log) == []
        board = Board(log)
        board.refresh()
        assert board.withdrawn["drifts"].startswith("helpfulness: drifted")
        gating = gating_judge(judged.home, log)
        with pytest.raises(TerminalError, match="judge drifts was withdrawn: helpfulness: drifted"):
            gating("drifts")
        with pytest.raises(TerminalError, match="judge judge-b may not gate: judge/negative: withdrawn"):
            gating("judge-b")
        with pytest.raises(TerminalError, match="nothing is known of it yet"):
            gating("nobody")
    assert against({"may_gate": False, "withdrawn_at": None, "drifted_at": None, "samples_gated": 0, "metric": "m",
                    "reason": "87 of 200 human labels"}) is None  # fmt: skip


@pytest.mark.skipif(not LLMBAR.exists(), reason="shared/data/llmbar_prefs is not there")
def test_llmbars_people_know_better_than_length_and_place(judged: Any) -> None:
    longer, place = row_of(judged, "longer", "7"), row_of(judged, "place", "7")
    assert (longer["labels"], longer["swapped_pairs"], longer["swap_consistency"]) == (419, 419, 1.0)
    assert longer["raw_rate"] is None, "of a pair, yes is only the side that sorts first"
    assert longer["kappa_high"] < 0.4 and not longer["may_gate"]
    assert (place["swapped_pairs"], place["swap_consistency"], place["place_share"]) == (419, 0.0, 1.0)
    assert not place["may_gate"]


def test_benchmarks_wear_by_what_they_told(judged: Any) -> None:
    assert judged.ask(
        "select use_number, use_id, purpose, better from fct_benchmark_uses where benchmark = 'ours' order by 1"
    ) == [(1, "j1", "decision", True), (2, "j2", "decision", None), (3, "j3", "look", None),
          (4, "flywheel/bench|u4", "look", None)]  # fmt: skip
    columns = (
        "version, is_latest, uses, decisions, looks, is_worn, replaces, round(first_width, 3), width > first_width"
    )
    assert judged.ask(f"select {columns} from dim_benchmarks order by 1") == [
        (1, False, 4, 2, 2, True, None, 0.143, True), (2, True, 0, 0, 0, False, 1, 0.143, False),
    ]  # fmt: skip


def test_a_rubric_asks_a_judge_that_people_agree_with_and_no_other(judged: Any, new_lab: Callable[[str], Any]) -> None:
    home: Home = new_lab("gates").home
    home.warehouse.symlink_to(judged.home.warehouse.resolve())
    check_of = Check(name="polite", check="needs_judge", args={"question": "Is it polite?", "right": "yes"})
    seen: Any = SimpleNamespace(said="Thank you, gladly.")
    with open_log(None, home.path) as log, answering(lambda asked: said("Yes." if "polite" in asked else "")) as served:
        names = {"steady": "v1", "young": "v1"}
        (home.path / "policies.yml").write_text(
            json.dumps({each: {"url": served.url, "model": each} for each in names})
        )
        publish(
            log,
            [
                CheckpointRegistered(id=each, source="t", checkpoint_id=each, role="judge", method=version)
                for each, version in names.items()
            ],
        )
        steady, young = (GatingRubricJudge(home, log, each) for each in names)
        assert grade([check_of], seen, steady).strict == 1.0
        assert (steady.judge_id, steady.judge_version) == ("steady", "v1")
        graded = grade([check_of], seen, young)
        assert graded.strict is None, "no zero"
        assert "it may not gate: helpfulness: 87 of 200 human labels" in graded.checks[0].said
        assert len(served.prompts) == 1, "who may not gate is not asked"
        publish(log, [JudgeWithdrawn(id="w2", source="t", checkpoint_id="steady", reason="it flatters")])
        assert GatingRubricJudge(home, log, "steady").lacks == "it was withdrawn: it flatters"
        with pytest.raises(TerminalError, match="there is no checkpoint 'nobody' to judge by"):
            GatingRubricJudge(home, log, "nobody")
        steady.close()


def test_live_evals_leave_what_a_benchmark_holds(judged: Any) -> None:
    assert judged.ask("select event_key from int_benchmark_evidence order by 1") == [
        ("app|comment-1",),
        ("app|comment-3",),
    ]
    held = "('app|comment-1', 'app|comment-3', 'app|comment-5')"
    live = judged.ask(
        f"select sample_id from sync_spec_samples where spec_key = 'eval:all:judge' and sample_id in {held} order by 1"
    )
    assert live == [("app|comment-5",)]
