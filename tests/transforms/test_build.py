"""Builds of a growing lake: incremental equals cold after every kind of change; readers and kills change nothing."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ingest.jobs.queue import job_queued
from ingest.lake.compaction import CompactionPolicy, compact
from ingest.reader import query
from models.errors import FlywheelError
from models.events.checkpoint import CheckpointRegistered
from models.events.comment import CommentLeft
from models.events.imports import FileImported
from models.events.job import JobClaimed, JobCompleted
from models.events.response import ResponseServed
from models.events.result import EvalCompleted, EvalSampleScored
from models.events.rollout import RolloutRecorded
from models.events.score import ScoreGiven
from models.events.spec import EvalSpecIssued
from models.events.taxonomy import ModeAccepted, ModeProposed
from models.events.thumb import ThumbGiven
from models.feedback import Author, Target
from models.specs import DataRef, EvalSpec, ScorerSpec
from tests.transforms.comparing import differing
from transforms.build import published
from transforms.run import run_unit_tests

NOON = datetime(2026, 11, 3, 12, tzinfo=UTC)
READS = 200
READER = """
import json, sys, threading, time
from pathlib import Path
from ingest.home import Home
from ingest.reader import query
from models.errors import FlywheelError
home, stop, reads, faults = Home(Path(sys.argv[1])), Path(sys.argv[2]), [], []
def read():
    seen = []
    reads.append(seen)
    while not (stop.exists() and len(seen) >= int(sys.argv[3]) / 4):
        try:
            (number, rows, down), = query(home, "select number, (select count(*) from fct_feedback), "
                "(select sum(thumbs_down) from fct_responses) from flywheel_build").rows
            seen.append((number, rows))
        except Exception as error:
            faults.append(repr(error))
            return
        time.sleep(0.7)
threads = [threading.Thread(target=read) for _ in range(4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(json.dumps({"reads": reads, "faults": faults}))
"""


def human(name: str) -> Author:
    return Author(kind="human", id=name)


def served(number: int, **fields: Any) -> ResponseServed:
    said: dict[str, Any] = {
        "prompt": f"question {number}",
        "completion": f"answer {number}",
        "conversation_id": f"c{number // 2}",
        "id": f"served-{number}",
    }
    return ResponseServed(source="app", response_id=f"r{number}", **{**said, **fields})


def thumb(number: int, down: bool, **fields: Any) -> ThumbGiven:
    said: dict[str, Any] = {"id": f"thumb-{number}", "source": "app", "author": human(f"u{number % 5}"), **fields}
    return ThumbGiven(target=Target(kind="response", id=f"r{number}"), thumb="down" if down else "up", **said)


def comment(number: int, text: str, **fields: Any) -> CommentLeft:
    said: dict[str, Any] = {"id": f"comment-{number}", "source": "app", "author": human(f"u{number % 5}"), **fields}
    return CommentLeft(target=Target(kind="response", id=f"r{number}"), text=text, **said)


COMPLAINTS = (
    "It ignored the limit of {} words that I had set.",
    "I asked for {} items and it talked about something else entirely.",
    "The search tool was called {} times with the same arguments.",
    "The purple llama sticker number {} was missing from the parcel again.",
    "Thanks, number {} was exactly what I needed!",
)


def said(number: int) -> str:
    return COMPLAINTS[number % len(COMPLAINTS)].format(number)


class Grown(NamedTuple):
    lab: Any
    differences: dict[str, list[str]]
    """By change: tables that an incremental and a cold build disagree on."""
    missed: dict[str, list[Any]]
    """By change: rows of fct_feedback that became others, and that a reader of what is newer would miss."""
    changed: dict[str, int]
    """By change: how many rows of fct_feedback became others."""
    reader: dict[str, Any]


@pytest.fixture(scope="module")
def grown(new_lab: Callable[[str], Any], tmp_path_factory: pytest.TempPathFactory) -> Grown:
    """A lab that was built after each change, beside a cold build of the same lake, while another process read it."""
    lab, stop = new_lab("grown"), tmp_path_factory.mktemp("stop") / "stop"
    differences: dict[str, list[str]] = {}
    missed: dict[str, list[Any]] = {}
    changed: dict[str, int] = {}
    lab.land(*(served(number) for number in range(0, 60) if number % 7))
    lab.land(
        *(thumb(number, down=number % 5 != 4) for number in range(60)),
        thumb(900, down=True),
        *(comment(n, said(n)) for n in range(50)),
    )
    begin_to_join(lab)
    lab.build()
    reader = subprocess.Popen(
        [sys.executable, "-c", READER, str(lab.home.path), str(stop), str(READS)], stdout=subprocess.PIPE, text=True
    )
    try:
        for change, land in CHANGES.items():
            before = rows_of_feedback(lab)
            cursor = max(updated_at for updated_at, _ in before.values())
            land(lab)
            assert lab.build().changed
            now = rows_of_feedback(lab)
            others = [key for key, (_, row) in now.items() if key not in before or before[key][1] != row]
            changed[change] = len(others)
            missed[change] = [key for key in others if now[key][0] <= cursor]
            cold = new_lab("cold")
            cold.home.lake.symlink_to(lab.home.lake)
            cold.build()
            differences[change] = differing(lab.home.warehouse, cold.home.warehouse)
    finally:
        stop.touch()
        told, _ = reader.communicate(timeout=120)
    return Grown(lab, differences, missed, changed, json.loads(told))


def rows_of_feedback(lab: Any) -> dict[str, tuple[datetime, tuple[Any, ...]]]:
    """Event key -> (updated_at, all that the row shows)."""
    rows = lab.ask("select event_key, updated_at, columns(* exclude (event_key, updated_at)) from fct_feedback")
    return {key: (updated_at, tuple(shown)) for key, updated_at, *shown in rows}


def imported(name: str, events: int) -> FileImported:
    return FileImported(
        id=name, source="import/csv", import_id=name, file_import_id=name, format="csv", file_name=f"{name}.csv",
        sha256="0" * 64, rows=1, rows_accepted=1, rows_duplicate=0, rows_refused=0, rows_without_feedback=0,
        events=events,
    )  # fmt: skip


def arrive_late(lab: Any) -> None:
    """Answers that feedback waited for, feedback of long ago, new votes, and an import's account before its event."""
    later = NOON + timedelta(hours=1)
    lab.land(imported("file", events=1), at=later)
    lab.land(*(served(number) for number in range(0, 60, 7)), at=later)
    lab.land(
        comment(51, said(50), occurred_at=NOON - timedelta(days=30)),
        thumb(3, down=False, id="thumb-3-again"),
        thumb(4, down=True, id="thumb-4-future", occurred_at=NOON + timedelta(days=900)),
        at=later,
        partition=1,
    )


def repeat(lab: Any) -> None:
    """An identical copy, a copy with other content, one that was first but lands later, and the import's event."""
    lab.land(thumb(59, down=True, id="of-the-file", import_id="file"), at=NOON + timedelta(minutes=30), partition=2)
    lab.land(thumb(5, down=True), thumb(6, down=False), at=NOON + timedelta(hours=2))
    lab.land(comment(7, "Said before the other, and landed after it."), at=NOON - timedelta(hours=1), partition=2)
    lab.land(b"not json", at=NOON + timedelta(hours=2), topic="feedback")


def discover(lab: Any) -> None:
    """A mode of the complaints that no seeded one explains, and its acceptance."""
    members = [f"app|comment-{number}" for number in range(3, 43, 5)]
    lab.land(
        ModeProposed(
            id="proposed", source="modes", mode_id="mode-llama", discovery_id="d1", name="llama / sticker",
            terms=("llama", "sticker"), centroid=(1.0, *[0.0] * 383), embedding="test", cohesion=0.9,
            member_keys=tuple(sorted(members)), medoid_key="app|comment-3",
        ),
        ModeAccepted(id="accepted", source="modes", mode_id="mode-llama", accepted_by="rule", reason="a test"),
        at=NOON + timedelta(hours=3),
    )  # fmt: skip


def finish_a_job(lab: Any) -> None:
    """An eval of a judge, resumed by a second worker, with a zombie's word in between; then the judge's own scores."""
    spec = EvalSpec(
        key="eval:all:judge", evidence=("app|comment-1",), data=DataRef(sha256="0" * 64, rows=1),
        query="sync_eval_specs", taxonomy="t", role="judge", scorer=ScorerSpec(name="negative_feedback", args={}),
    )  # fmt: skip
    queued = job_queued("eval", spec.spec_id(), "judge-1", lease_s=1.0)
    judging = job_queued("judge", "judge-spec", "judge-1")
    later = NOON + timedelta(hours=28)
    lab.land(
        EvalSpecIssued(id="s1", source="specs", spec_id=spec.spec_id(), spec_key=spec.key, revision=1, spec=spec),
        CheckpointRegistered(id="judge-1", source="w", checkpoint_id="judge-1", role="judge", method="lexicon"),
        queued,
        judging,
        JobClaimed(id="c1", source="w1", job_id=queued.job_id, epoch=1, owner="w1"),
        at=later,
    )
    lab.land(
        JobClaimed(id="c2", source="w2", job_id=queued.job_id, epoch=2, owner="w2"),
        JobCompleted(id="z1", source="w1", job_id=queued.job_id, epoch=1, owner="w1"),
        JobCompleted(id="d2", source="w2", job_id=queued.job_id, epoch=2, owner="w2"),
        JobClaimed(id="c3", source="w2", job_id=judging.job_id, epoch=1, owner="w2"),
        JobCompleted(id="d3", source="w2", job_id=judging.job_id, epoch=1, owner="w2"),
        at=later + timedelta(seconds=5),
    )
    of_job: dict[str, Any] = {"spec_id": spec.spec_id(), "checkpoint_id": "judge-1", "job_id": queued.job_id}
    for epoch, score in ((1, 0.0), (2, 1.0)):
        lab.land(
            EvalSampleScored(
                id=f"sample-{epoch}", source="w", epoch=epoch, sample_id="app|comment-1", scorer="negative_feedback",
                score=score, **of_job,
            ),
            EvalCompleted(
                id=f"eval-{epoch}", source="w", epoch=epoch, metric="accuracy", value=score, samples=1, scored=1,
                errored=0, **of_job,
            ),
            at=later + timedelta(seconds=6),
        )  # fmt: skip
    lab.land(
        ScoreGiven(
            id="judged", source="w", target=Target(kind="response", id="r51"), metric="judge/negative",
            author=Author(kind="code", id="judge-1"), data_type="numeric", value=0.9, scale_min=0, scale_max=1,
            better="lower", native_id="app|comment-51", job_id=judging.job_id, epoch=1,
        ),
        at=later + timedelta(seconds=7),
    )  # fmt: skip


def on(kind: Any, target: str, author: str, **fields: Any) -> ThumbGiven:
    said: dict[str, Any] = {"thumb": "up", "id": f"{kind}-{target}-{author}", "source": "app", **fields}
    return ThumbGiven(target=Target(kind=kind, id=target), author=human(author), **said)


def begin_to_join(lab: Any) -> None:
    """What `join` goes on with, apart from all other answers: a talk, a crowd, a rollout's trace, a busy author."""
    lab.land(
        *(served(number, conversation_id=None, trace_id=f"t{number}") for number in (200, 201)),
        served(202, conversation_id="talk"),
        on("response", "r200", "first"),
        on("response", "r200", "second", native_id="n1"),
        on("response", "r201", "moved", id="moved"),
        on("conversation", "talk", "first"),
        on("trace", "rollout-1", "first"),
        *(on("response", "r202", f"crowd-{number}") for number in range(19)),
        *(on("response", f"r{number}", "busy") for number in range(300, 349)),
    )


def join(lab: Any) -> None:
    """Answers that join a talk, votes that flip or go elsewhere, a burst, a flood, a rollout and its answer, a judge's
    second look, and a lake that is compacted before."""
    compact(lab.home, CompactionPolicy(segments=1, grace_s=0))
    later = NOON + timedelta(hours=30)
    lab.land(
        served(200, id="told-again", conversation_id="talk", message_id="m200"),
        RolloutRecorded(id="ended", source="app", rollout_id="rollout-1", steps=(), response_id="r201"),
        RolloutRecorded(id="alone", source="app", rollout_id="rollout-2", steps=(), model="small"),
        at=later,
    )
    lab.land(
        on("response", "r200", "first", id="flipped", thumb="down"),
        on("response", "r200", "other", id="same-record", native_id="n1"),
        on("trace", "rollout-2", "first"),
        on("message", "m200", "first"),
        at=later,
    )
    lab.land(
        *(on("response", "r202", f"crowd-{number}", id=f"late-crowd-{number}") for number in range(19, 24)),
        *(on("response", f"r{number}", "busy") for number in range(349, 353)),
    )
    lab.land(on("response", "r202", "moved", id="moved", thumb="down"), at=NOON - timedelta(hours=2), partition=2)
    judging = job_queued("judge", "judge-spec", "judge-1", look=2)
    lab.land(
        judging,
        JobClaimed(id="c4", source="w2", job_id=judging.job_id, epoch=1, owner="w2"),
        JobCompleted(id="d4", source="w2", job_id=judging.job_id, epoch=1, owner="w2"),
        ScoreGiven(
            id="judged-again", source="w", target=Target(kind="response", id="r49"), metric="judge/negative",
            author=Author(kind="code", id="judge-1"), data_type="numeric", value=0.1, scale_min=0, scale_max=1,
            better="lower", native_id="app|comment-49", job_id=judging.job_id, epoch=1,
        ),
        at=later + timedelta(seconds=7),
    )  # fmt: skip


CHANGES: dict[str, Callable[[Any], object]] = {
    "late": arrive_late,
    "copies": repeat,
    "mode and job": lambda lab: (discover(lab), finish_a_job(lab)),
    "joined": join,
}


@pytest.mark.parametrize("change", CHANGES)
def test_an_incremental_build_equals_a_cold_one(grown: Grown, change: str) -> None:
    assert grown.differences[change] == []


def test_readers_see_whole_generations_that_never_go_back(grown: Grown) -> None:
    assert grown.reader["faults"] == []
    assert sum(map(len, grown.reader["reads"])) >= READS
    assert len({number for seen in grown.reader["reads"] for number, _ in seen}) >= 3
    for seen in grown.reader["reads"]:
        assert seen == sorted(seen)


def test_case_14_and_16_feedback_heals_when_its_answer_comes(grown: Grown) -> None:
    assert grown.lab.one("select count(*) from fct_feedback where target_state = 'resolved' and target_id = 'r7'") == 2


def test_case_43_late_feedback_is_in_the_mart_of_its_own_day(grown: Grown) -> None:
    days = grown.lab.ask(
        "select mode_id, feedback_count, cell_feedback_count from fct_failure_mode_daily where day = '2026-10-04'"
    )
    assert days == [("instruction_following", 1, 1)]
    raw = "select coalesce(occurred_at, received_at)::date, count(distinct source || '|' || event_id) from raw.feedback"
    given = "where type = 'feedback.comment_left.v1'"
    landed = grown.lab.ask(f"{raw} {given} group by 1 order by 1")
    assert landed == grown.lab.ask(
        "select happened_at::date, count(*) from fct_feedback where kind = 'comment' group by 1 order by 1"
    )
    assert len(landed) == 2


@pytest.mark.parametrize("change", ["late", "mode and job"])
def test_case_21_a_cursor_by_order_of_arrival_misses_nothing(grown: Grown, change: str) -> None:
    """Back-dated feedback, superseded votes, targets that come or stay away, judgements: each moves its rows."""
    assert grown.changed[change] > 5
    assert grown.missed[change] == []


def test_a_row_says_when_its_target_became_overdue(grown: Grown) -> None:
    row = grown.lab.ask("select target_state, updated_at from fct_feedback where event_id = 'thumb-900'")
    assert row == [("overdue", NOON + timedelta(days=1))]


def test_a_copy_that_was_first_takes_the_place_of_the_one_that_landed_first(grown: Grown) -> None:
    assert grown.lab.one("select text from fct_feedback where event_id = 'comment-7'").startswith("Said before")
    refused = grown.lab.ask("select event_id, reason from stg_quarantine order by event_id")
    assert [event for event, _ in refused] == ["comment-7", "moved", "thumb-6", None]
    assert refused[3][1].startswith("not JSON")


def test_members_belong_to_their_mode_and_it_may_be_evaluated(grown: Grown) -> None:
    row = grown.lab.ask(
        "select status, origin, terms, feedback_count, author_count from dim_failure_modes where mode_id = 'mode-llama'"
    )
    assert row == [("accepted", "discovered", "llama, sticker", 10, 1)], "8 members, and 2 that say nearly the same"
    assert grown.lab.one("select reason from sync_eval_specs where spec_key = 'eval:mode-llama:judge'").startswith(
        "too few"
    )


def test_only_the_epoch_that_completed_counts(grown: Grown) -> None:
    assert grown.lab.ask("select status, epoch, attempts from fct_jobs where kind = 'eval'") == [("completed", 2, 2)]
    assert grown.lab.ask("select value, spec_key from fct_eval_results") == [(1.0, "eval:all:judge")]
    assert grown.lab.ask("select score, epoch, is_provisional from fct_eval_samples") == [(1.0, 2, False)]
    assert grown.lab.ask("select checkpoint_id, counts from dim_checkpoints") == [("judge-1", True)]


def test_our_own_judges_word_is_shown_and_is_no_vote(grown: Grown) -> None:
    shown = grown.lab.ask(
        "select is_negative, judged_negative, judge_checkpoint_id from fct_feedback where event_id = 'comment-51'"
    )
    assert shown == [(True, True, "judge-1")]
    assert grown.lab.ask("select is_negative, is_current from fct_feedback where event_id = 'judged'") == [(None, True)]
    assert grown.lab.one("select raters from fct_responses where response_id = 'r51'") == 1
    assert grown.lab.one("select count(*) from sync_judging_specs where checkpoint_id = 'judge-1'") == 1


def test_what_joins_a_talk_is_known_by_every_name_of_it(grown: Grown) -> None:
    """The change after which the incremental build is compared did change what it was to change."""
    ask = grown.lab.ask
    assert ask("select conversation_id, thumbs_up, thumbs_down from fct_responses where response_id = 'r200'") == [
        ("talk", 3, 1)
    ]
    assert ask("select response_id, thumb from fct_feedback where event_id = 'moved'") == [("r202", "down")]
    assert ask("select target_state from fct_feedback where event_id like 'trace-rollout-%'") == [("resolved",)] * 2
    assert grown.lab.one("select count(*) from fct_feedback where is_burst and response_id = 'r202'") >= 20
    assert grown.lab.one("select count(distinct trust) from fct_feedback where voter = 'author:busy'") == 1
    assert grown.lab.one("select max(trust) < 1 from fct_feedback where voter = 'author:busy'")
    assert grown.lab.one("select count(*) from fct_feedback where judged_negative is not null") == 2


def test_nothing_new_builds_nothing(grown: Grown) -> None:
    before = published(grown.lab.home)
    assert not grown.lab.build().changed
    assert published(grown.lab.home) == before


def test_unit_tests_of_the_models_pass(grown: Grown, tmp_path: Path) -> None:
    file = tmp_path / "warehouse.duckdb"
    file.write_bytes(grown.lab.home.warehouse.read_bytes())
    run_unit_tests(grown.lab.home, file)


def test_case_42_a_build_that_is_killed_leaves_the_published_one_whatever_became_of_its_wal(grown: Grown) -> None:
    lab, rng = grown.lab, random.Random(7)
    build = "import sys; from pathlib import Path; from ingest.home import Home; from transforms.build import build; "
    build += "home = Home(Path(sys.argv[1])); print('ready', flush=True); build(home)"
    for kill in range(2):
        lab.land(thumb(30 + kill, down=True, id=f"after-kill-{kill}"), at=NOON + timedelta(hours=5 + kill))
        before = query(lab.home, "select number from flywheel_build").rows
        child = subprocess.Popen([sys.executable, "-c", build, str(lab.home.path)], stdout=subprocess.PIPE)
        assert child.stdout is not None
        child.stdout.readline()
        time.sleep(rng.uniform(0.5, 4))
        os.kill(child.pid, signal.SIGKILL)
        child.communicate()
        for cut in lab.home.path.rglob("*.wal"):
            os.truncate(cut, max(0, cut.stat().st_size - 1))
        assert query(lab.home, "select number from flywheel_build").rows >= before
    lab.build()
    assert lab.one("select count(*) from fct_feedback where event_id like 'after-kill-%'") == 2
    assert list(lab.home.builds.glob(".*")) == []


def test_training_loses_what_nearly_stands_on_the_eval_side(grown: Grown) -> None:
    lost, kept = grown.lab.ask(
        "select count(*) filter (where text_hash in "
        "(select text_hash from int_bridging_texts where lost_by = 'training')), count(*) from int_evidence "
        "where side = 'training' and is_negative is not null"
    )[0]
    assert lost > 0
    assert grown.lab.one("select count(*) from sync_spec_samples where spec_key = 'train:all:judge'") == kept - lost
    assert grown.lab.one("select reason from sync_training_specs where method = 'judge'").startswith(
        "too few labelled training-side texts"
    )


def test_an_import_may_wait_for_its_events_but_never_has_more_than_it_wrote(grown: Grown) -> None:
    lab = grown.lab
    assert lab.ask("select events, events_accepted, events_awaited from fct_import_accounts") == [(1, 1, 0)]
    before = set(lab.home.lake.rglob("*.parquet"))
    lab.land(
        imported("liar", events=0), thumb(58, down=True, id="of-the-liar", import_id="liar"),
        at=NOON + timedelta(hours=40),
    )  # fmt: skip
    with pytest.raises(FlywheelError, match="import_events_add_up"):
        lab.build()
    for segment in set(lab.home.lake.rglob("*.parquet")) - before:
        segment.unlink()
    lab.build()


def test_a_damaged_segment_is_named_and_publishes_nothing(grown: Grown) -> None:
    lab = grown.lab
    damaged = lab.home.lake / "feedback" / "0" / f"{'9' * 20}.parquet"
    damaged.write_bytes(b"no parquet")
    before = published(lab.home)
    with pytest.raises(FlywheelError, match=damaged.name):
        lab.build()
    damaged.unlink()
    assert published(lab.home) == before
    assert list(lab.home.builds.glob(".*")) == []
