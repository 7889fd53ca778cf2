"""Cases of ../shared/cases/reports.jsonl that the marts must get right, all landed together and built once."""

import os
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

import pytest

from models.events.comment import CommentLeft
from models.events.response import ResponseServed
from models.events.score import ScoreGiven
from models.events.thumb import ThumbGiven
from models.feedback import Author, Target, TargetKind
from tests.transforms.comparing import differing
from transforms.run import PROJECT

NOON = datetime(2026, 11, 3, 12, tzinfo=UTC)


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def thumb(case: int, name: str, thumb: Literal["up", "down"] | None, **fields: Any) -> ThumbGiven:
    return ThumbGiven(**_given(case, name, fields), thumb=thumb, **fields)


def score(case: int, name: str, value: float | None, **fields: Any) -> ScoreGiven:
    fields = {"metric": "quality", "data_type": "numeric", **fields}
    return ScoreGiven(**_given(case, name, fields), value=value, **fields)


def comment(case: int, name: str, text: str, **fields: Any) -> CommentLeft:
    return CommentLeft(**_given(case, name, fields), text=text, **fields)


def _given(case: int, name: str, fields: dict[str, Any]) -> dict[str, Any]:
    kind: TargetKind = fields.pop("kind", "response")
    return {
        "id": f"{case}-{name}",
        "source": fields.pop("source", f"case{case}"),
        "target": Target(kind=kind, id=fields.pop("target", f"{case}-m1")),
        "author": Author(kind="human", id=fields.pop("author", "u1")),
    }


def served(case: int, name: str = "m1", **fields: Any) -> ResponseServed:
    return ResponseServed(id=f"{case}-served-{name}", source=f"case{case}", response_id=f"{case}-{name}", **fields)


@pytest.fixture(scope="module")
def lab(new_lab: Callable[[str], Any]) -> Any:
    lab = new_lab("cases")
    lab.land(
        served(1), served(2), served(5, trace_id="5-t1", span_id="5-root"), served(6, span_id="6-s1"),
        served(7, span_id="7-s1"), served(8), served(10), served(12), served(17, "zz", span_id="17-a1"), served(21),
        served(23), served(28), served(29), served(31),
        thumb(1, "a", "up", native_id="s1", occurred_at=moment("2026-11-02T23:59:59Z")),
        thumb(1, "b", "down", native_id="s1", occurred_at=moment("2026-11-03T00:00:01Z")),
        thumb(2, "a", "up", sequence=1), thumb(2, "b", "down", sequence=2),
        thumb(5, "e1", "down", kind="trace", target="5-t1"),
        score(6, "1", 1, kind="span", target="6-s1", author="a", scale_min=-1, scale_max=1, sequence=1),
        score(6, "2", -1, kind="span", target="6-s1", author="b", scale_min=-1, scale_max=1, sequence=2),
        score(6, "3", -1, kind="span", target="6-s1", author="a", scale_min=-1, scale_max=1, sequence=3),
        score(7, "a", 1, kind="span", target="7-s1", author="a", scale_min=0, scale_max=1),
        comment(7, "c", "ok", kind="span", target="7-s1", author="a"),
        score(7, "b", 0, kind="span", target="7-s1", author="b", scale_min=0, scale_max=1),
        thumb(8, "a", "up", sequence=1), thumb(8, "b", None, sequence=2),
        comment(10, "c", "It opened the wrong file and then kept editing it."),
        *(thumb(10, str(click), "down", sequence=click) for click in range(6)),
        thumb(12, "user", "down", source="case12/user"), thumb(12, "admin", "up", source="case12/admin"),
        score(14, "s1", 1, kind="trace", target="14-never"),
        thumb(17, "span", "down", kind="span", target="17-a1"), thumb(17, "response", "down", target="17-a1"),
        thumb(19, "a", "up", target="19-m1", occurred_at=moment("2026-11-02T23:30:00+08:00")),
        thumb(20, "a", "up", target="20-m1", occurred_at=moment("2026-11-02T01:00:00Z")),
        thumb(21, "late", "down", occurred_at=moment("2026-10-01T00:00:00Z")),
        thumb(23, "future", "up", occurred_at=moment("2031-01-01T00:00:00Z")),
        score(28, "zero", 0, metric="zero", scale_min=0, scale_max=1),
        score(28, "false", 0, metric="false", data_type="boolean"),
        score(28, "empty", None, metric="empty", data_type="categorical", label=""),
        score(28, "null", None, metric="null", status="skipped"),
        score(29, "pass", 1, author="a", scale_min=0, scale_max=1),
        score(29, "error", None, author="b", scale_min=0, scale_max=1, status="errored"),
        comment(31, "slow", "too slow"), thumb(31, "t", "down"), comment(31, "empty", "", author="u2"),
        at=NOON,
    )  # fmt: skip
    lab.land(
        thumb(5, "e1", "down", kind="span", target="5-root"), thumb(23, "now", "down"),
        thumb(16, "f1", "up", target="16-i1"), at=NOON + timedelta(seconds=1),
    )  # fmt: skip
    lab.land(served(16, "i1"), at=NOON + timedelta(seconds=1.4))
    lab.land(thumb(16, "lost", "up", target="16-lost"), at=NOON - timedelta(days=2), partition=1)
    lab.build()
    return lab


def current(lab: Any, case: int) -> list[tuple[Any, ...]]:
    return lab.ask(
        "select event_id, thumb, value from fct_feedback where is_current and event_id like ? order by event_id",
        f"{case}-%",
    )


def history(lab: Any, case: int) -> int:
    return lab.one("select count(*) from fct_feedback where event_id like ?", f"{case}-%")


def test_case_01_a_vote_changed_the_next_day_is_one_vote(lab: Any) -> None:
    assert current(lab, 1) == [("1-b", "down", None)]
    assert history(lab, 1) == 2


def test_case_02_a_changed_vote_leaves_one_current_row(lab: Any) -> None:
    assert current(lab, 2) == [("2-b", "down", None)]
    assert history(lab, 2) == 2


def test_case_05_a_thumb_on_trace_and_root_span_counts_once(lab: Any) -> None:
    assert lab.one("select thumbs_down from fct_responses where response_id = '5-m1'") == 1
    assert lab.ask("select event_id, reason like '%other content%' from stg_quarantine where source = 'case5'") == [
        ("5-e1", True)
    ]


def test_case_06_every_rater_counts_with_the_latest_vote(lab: Any) -> None:
    row = lab.ask("select raters, mean_score, disagreement from fct_responses where response_id = '6-m1'")
    assert row == [(2, 0.0, 0.0)]
    assert history(lab, 6) == 3


def test_case_07_reviewers_stay_apart(lab: Any) -> None:
    votes = lab.ask("select author_id, value, is_current from fct_feedback where event_id in ('7-a', '7-b') order by 1")
    assert votes == [("a", 1.0, True), ("b", 0.0, True)]
    assert lab.ask("select text, is_negative from fct_feedback where event_id = '7-c'") == [("ok", False)]
    assert lab.ask("select raters, disagreement from fct_responses where response_id = '7-m1'") == [(2, 1.0)]


def test_case_08_a_withdrawn_vote_is_null_and_its_history_remains(lab: Any) -> None:
    assert current(lab, 8) == [("8-b", None, None)]
    assert lab.one("select is_negative from fct_feedback where event_id = '8-b'") is None
    row = lab.ask("select thumbs_up, thumbs_down, thumbs_cleared from fct_responses where response_id = '8-m1'")
    assert row == [(0, 0, 1)]


def test_case_10_a_click_storm_is_one_vote_and_keeps_the_comment(lab: Any) -> None:
    assert lab.one("select thumbs_down from fct_responses where response_id = '10-m1'") == 1
    assert lab.one("select count(*) from fct_feedback where event_id like '10-%' and is_repeat") == 5
    kept = lab.ask("select text, is_negative, is_current from fct_feedback where event_id = '10-c'")
    assert kept == [("It opened the wrong file and then kept editing it.", True, True)]


def test_case_12_user_and_admin_are_both_shown(lab: Any) -> None:
    assert current(lab, 12) == [("12-admin", "up", None), ("12-user", "down", None)]


def test_case_14_feedback_without_its_trace_is_shown(lab: Any) -> None:
    assert lab.one("select target_state from fct_feedback where event_id = '14-s1'") == "pending"


def test_case_16_feedback_before_its_answer_resolves_and_is_overdue_after_a_day(lab: Any) -> None:
    found = lab.ask(
        "select event_id, target_state, response_id from fct_feedback where event_id like '16-%' order by 1"
    )
    assert found == [("16-f1", "resolved", "16-i1"), ("16-lost", "overdue", None)]


def test_case_17_an_id_counts_only_as_its_kind(lab: Any) -> None:
    found = lab.ask("select event_id, target_state, response_id from fct_feedback where source = 'case17' order by 1")
    assert found == [("17-response", "pending", None), ("17-span", "resolved", "17-zz")]


def test_case_19_an_offset_time_is_stored_in_utc(lab: Any) -> None:
    assert lab.one("select occurred_at from fct_feedback where event_id = '19-a'") == moment("2026-11-02T15:30:00Z")


def test_case_20_the_machines_zone_changes_nothing(lab: Any, new_lab: Callable[[str], Any]) -> None:
    """A machine in Seoul builds the same marts of the same lake, and reads the same times."""
    seoul = new_lab("seoul")
    seoul.home.lake.symlink_to(lab.home.lake)
    work = (
        "import sys, time; from pathlib import Path; from ingest.home import Home; from ingest.reader import query;"
        "from transforms.build import build; home = Home(Path(sys.argv[1])); build(home);"
        "print(time.tzname[0], query(home, sys.argv[2]).rows)"
    )
    sql = "select occurred_at::varchar from fct_feedback where event_id = '20-a'"
    said = subprocess.run(
        [sys.executable, "-c", work, str(seoul.home.path), sql],
        env={**os.environ, "TZ": "Asia/Seoul"}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert said.stdout.strip() == "KST [('2026-11-02 01:00:00+00',)]"
    assert differing(lab.home.warehouse, seoul.home.warehouse) == []


def test_case_20_a_session_in_another_zone_fails_the_build(lab: Any, tmp_path: Path) -> None:
    """The project's own profile, but for the zone."""
    file = tmp_path / "warehouse.duckdb"
    file.write_bytes(lab.home.warehouse.read_bytes())
    profile = (PROJECT / "profiles.yml").read_text()
    assert "TimeZone: UTC" in profile
    (tmp_path / "profiles.yml").write_text(profile.replace("TimeZone: UTC", "TimeZone: Asia/Seoul"))
    command = [
        sys.executable, "-m", "dbt.cli.main", "build", "--select", "session_is_utc", "--project-dir", str(PROJECT),
        "--profiles-dir", str(tmp_path), "--target-path", str(tmp_path), "--log-path", str(tmp_path),
    ]  # fmt: skip
    env = {**os.environ, "FLYWHEEL_BUILD_FILE": str(file), "FLYWHEEL_BUILD_HOME": str(lab.home.path)}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout
    assert "Failure in test session_is_utc" in done.stdout


def test_case_21_backdated_feedback_keeps_both_times(lab: Any) -> None:
    found = lab.ask("select occurred_at, received_at, happened_at from fct_feedback where event_id = '21-late'")
    assert found == [(moment("2026-10-01T00:00:00Z"), NOON, moment("2026-10-01T00:00:00Z"))]


def test_case_23_a_clock_in_2031_is_flagged_and_wins_nothing(lab: Any) -> None:
    assert current(lab, 23) == [("23-now", "down", None)]
    flagged = lab.ask("select occurred_at, happened_at, is_skewed from fct_feedback where event_id = '23-future'")
    assert flagged == [(moment("2031-01-01T00:00:00Z"), NOON, True)]


def test_case_28_zero_false_empty_and_null_are_four_answers(lab: Any) -> None:
    found = lab.ask(
        "select metric, value, label, status, is_negative from fct_feedback where source = 'case28' order by metric"
    )
    assert found == [
        ("empty", None, "", "scored", None),
        ("false", 0.0, None, "scored", True),
        ("null", None, None, "skipped", None),
        ("zero", 0.0, None, "scored", True),
    ]


def test_case_29_an_error_is_no_zero(lab: Any) -> None:
    row = lab.ask("select raters, scored, mean_score from fct_responses where response_id = '29-m1'")
    assert row == [(2, 1, 1.0)]
    assert lab.one("select count(*) from fct_feedback where source = 'case29' and is_negative is null") == 1


def test_case_31_a_comment_comes_through_and_empty_is_not_missing(lab: Any) -> None:
    found = lab.ask(
        "select text, is_negative from fct_feedback where source = 'case31' and kind = 'comment' order by event_id"
    )
    assert found == [("", None), ("too slow", True)]
