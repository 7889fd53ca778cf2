"""The loop closes: one command takes feedback to a trained, evaluated result and back into SQL, and comes to rest."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import pytest

from tests.e2e.command import flywheel, run
from tests.e2e.marts import count, differences, dump, portable

Copy = Callable[[Path], Path]


def test_the_demo_ends_with_a_table_and_three_commands_that_run(demo_home: Path):
    printed = (demo_home.parent / "printed.txt").read_text()
    assert "fct_eval_results" in printed
    commands = [line.strip() for line in printed.split("Look further:")[1].splitlines() if line.strip()]
    assert len(commands) == 3
    assert [line.split(" --home")[0].split()[-1] for line in commands] == ["sql", "report", "status"]


def test_every_stage_left_rows(demo_home: Path):
    for table in ("fct_feedback", "fct_feedback_modes", "fct_specs", "fct_eval_results", "fct_training_runs"):
        assert count(demo_home, f"select count(*) from {table}") > 0, table
    assert count(demo_home, "select count(*) from dim_failure_modes where origin = 'discovered'") >= 1
    assert count(demo_home, "select count(*) from stg_quarantine") > 0


def test_the_second_turn_differs_for_a_visible_reason(demo_home: Path):
    judged = "select count(*) from fct_feedback where judged_negative is not null and is_negative is null"
    assert count(demo_home, judged) > 0
    assert count(demo_home, "select count(distinct judge_checkpoint_id) from fct_feedback") == 1


def test_two_judges_and_two_policies_have_results(demo_home: Path):
    for role in ("judge", "policy"):
        seen = (
            "select count(distinct checkpoint_id) from fct_eval_results as r"
            f" join dim_checkpoints as c using (checkpoint_id) where c.role = '{role}' and r.value is not null"
        )
        assert count(demo_home, seen) >= 2, role


def test_nothing_is_left_to_do(demo_home: Path):
    assert count(demo_home, "select count(*) from fct_jobs where status <> 'completed'") == 0
    status = json.loads(flywheel("status", "--json", home=demo_home))
    assert status["lag"] == {}
    assert status["unbuilt"] == {}
    assert set(status["jobs"]) == {"completed"}


def test_a_second_demo_adds_nothing(demo_home: Path, copy_of: Copy):
    home = copy_of(demo_home)
    flywheel("demo", home=home)
    assert differences(dump(demo_home), dump(home)) == {}


def test_lake_and_warehouse_come_back_from_the_log(demo_home: Path, copy_of: Copy):
    home = copy_of(demo_home)
    for gone in ("lake", "builds"):
        shutil.rmtree(home / gone)
    (home / "warehouse.duckdb").unlink()
    flywheel("sink", "--once", home=home)
    flywheel("build", home=home)
    assert differences(dump(demo_home), dump(home)) == {}


def test_a_replay_into_a_new_home_gives_the_same_marts_and_goes_on_from_the_same_log(demo_home: Path, tmp_path: Path):
    printed = flywheel("replay", "--into", tmp_path / "again", home=demo_home)
    assert "DIFFERS" not in printed
    assert "fct_eval_results" in printed
    assert differences(dump(demo_home), dump(tmp_path / "again")) == {}
    assert "landed 0 records" in flywheel("sink", "--once", home=tmp_path / "again")


def test_sql_speaks_three_formats(demo_home: Path):
    statement = "select mode_id, feedback_count from dim_failure_modes order by 2 desc, 1 limit 3"
    rows = json.loads(flywheel("sql", statement, "--format", "json", home=demo_home))
    assert len(rows) == 3
    assert isinstance(rows[0]["feedback_count"], int)
    printed = flywheel("sql", statement, "--format", "csv", home=demo_home).splitlines()
    assert printed[0] == "mode_id,feedback_count"
    assert printed[1].startswith(rows[0]["mode_id"])
    assert rows[0]["mode_id"] in flywheel("sql", statement, home=demo_home)


def test_sql_can_not_write(demo_home: Path):
    done = run("sql", "delete from fct_feedback", home=demo_home)
    assert done.returncode != 0
    assert "only reads" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_the_report_stands_alone(demo_home: Path, tmp_path: Path):
    out = tmp_path / "report.html"
    flywheel("report", "--out", out, home=demo_home)
    page = out.read_text()
    assert "<svg" in page
    assert "<script" not in page
    assert "eval:all:judge" in page
    assert not [line for line in page.splitlines() if 'src="http' in line or 'href="http' in line]


def test_doctor_is_content_and_says_what_mends_a_moved_home(demo_home: Path, copy_of: Copy):
    assert "FIX" not in flywheel("doctor", home=demo_home)
    moved = copy_of(demo_home)
    moved = moved.rename(moved.parent / "moved")
    shutil.move(demo_home / "lake", demo_home / "aside")
    try:
        done = run("doctor", home=moved)
    finally:
        shutil.move(demo_home / "aside", demo_home / "lake")
    assert done.returncode == 1
    assert "flywheel build" in done.stdout


def test_doctor_names_the_first_command_for_a_new_home(tmp_path: Path):
    done = run("doctor", home=tmp_path / "none")
    assert done.returncode == 1
    assert "flywheel demo" in done.stdout
    assert not (tmp_path / "none").exists()


def test_home_and_log_are_understood_before_and_after_the_subcommand(demo_home: Path, tmp_path: Path):
    after = run("specs", "list", "--home", demo_home)
    between = run("specs", "--home", demo_home, "list")
    assert after.stdout == between.stdout == flywheel("specs", "list", home=demo_home)
    default = run("sql", "select 1", cwd=tmp_path)
    assert f"home: {tmp_path}/.flywheel (default" in default.stderr


def test_publishing_twice_issues_nothing(demo_home: Path, copy_of: Copy):
    home = copy_of(demo_home)
    assert "0 specs issued, 0 jobs queued" in flywheel("specs", "publish", home=home)


def test_a_spec_can_be_run_once_more_as_another_look(demo_home: Path, copy_of: Copy):
    home = copy_of(demo_home)
    before = count(home, "select count(*) from fct_eval_results")
    printed = flywheel("evals", "run", "eval:all:judge", "--checkpoint", "judge-lexicon-1", home=home)
    assert "1 jobs completed" in printed
    flywheel("sink", "--once", home=home)
    flywheel("build", home=home)
    assert count(home, "select count(*) from fct_eval_results") == before + 1


@pytest.mark.kafka
def test_the_same_demo_on_kafka_gives_the_same_marts(
    data_home: Path, export_folder: Path, tmp_path: Path, kafka_bootstrap: str
):
    home = tmp_path / "home"
    flywheel("demo", "--data", export_folder, home=home, log=f"kafka://{kafka_bootstrap}/demo-{uuid4().hex}")
    assert differences(portable(data_home), portable(home)) == {}
